package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"time"

	"github.com/lectern-mcp/lectern/installer"
)

// programTime bounds how long another program's own command may take: Claude
// Code starts a runtime first.
const programTime = time.Minute

// machine is this computer, for installer. Programs are started here and
// nowhere else: those that a plan names, with what the plan shows.
func (w *world) machine() installer.Machine {
	return installer.Machine{
		OS: runtime.GOOS, Home: w.home, Env: w.env, State: w.places.State, Now: w.now, Run: w.runProgram,
		Look: func(name string) string {
			path, err := exec.LookPath(name)
			if err != nil {
				return "" // an answer, too: it is not there, or not to be trusted
			}
			return path
		},
	}
}

// runProgram runs a program to its end, without a terminal.
func (w *world) runProgram(ctx context.Context, argv []string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, programTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...) //nolint:gosec // it is in the plan that a person agreed to
	cmd.Env = w.environ
	said, err := cmd.CombinedOutput()
	if err != nil {
		return string(said), fmt.Errorf("run %s: %w", argv[0], err)
	}
	return string(said), nil
}

// server is what clients are told of us. endpoint is the HTTP address; empty:
// HTTP is off.
func (w *world) server(endpoint string) (s installer.Server, hint string) {
	bin, hint := w.stableBinary()
	return installer.Server{Name: entryName, Bin: bin, Args: []string{"serve"}, URL: endpoint, Home: w.env("LECTERN_HOME")}, hint
}

// configured is the HTTP address that the configuration asks for.
func (w *world) configured() string {
	conf, err := w.config()
	if err != nil || !conf.Hub.HTTP {
		return ""
	}
	return fmt.Sprintf("http://127.0.0.1:%d/mcp", conf.Hub.Port)
}

// service is `lectern supervise`, as the system is to run it.
func (w *world) service() installer.Service {
	bin, _ := w.stableBinary()
	s := installer.Service{Bin: bin, Args: []string{"supervise"}, User: strconv.Itoa(os.Getuid())}
	if home := w.env("LECTERN_HOME"); home != "" {
		s.Env = map[string]string{"LECTERN_HOME": home}
	}
	return s
}
