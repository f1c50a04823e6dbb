package daemon

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/supervisor"
)

// A spawnedHub is a hub that this process started. It outlives this process.
type spawnedHub struct {
	program string
	paths   Paths
	from    int64 // where in the output file its own output begins
	exit    chan struct{}
	err     error // how it ended; read after exit is closed
}

// maxOutputFileBytes is the size at which the hub's output file is truncated. The
// hub's log is elsewhere: this file has what the hub prints when it cannot log.
const maxOutputFileBytes = 1 << 20

// spawn starts a hub that is detached from terminal, client and directory.
func (c *ConnectConfig) spawn() (*spawnedHub, error) {
	out, from, err := openOutput(c.Paths.Output())
	if err != nil {
		return nil, fmt.Errorf("start hub: %w", err)
	}
	cmd := exec.Command(c.Command[0], c.Command[1:]...) //nolint:gosec,noctx // our own program; it must outlive every context here
	cmd.Dir = c.Paths.State
	cmd.Env = c.hubEnv()
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = detachedProcAttr()
	if err := errors.Join(cmd.Start(), out.Close()); err != nil {
		return nil, fmt.Errorf("start hub: %w", err)
	}
	c.Log.Info("started a hub", "pid", cmd.Process.Pid, "output", c.Paths.Output())
	s := &spawnedHub{program: c.Command[0], paths: c.Paths, from: from, exit: make(chan struct{})}
	go func() {
		s.err = cmd.Wait() // or it would be a zombie until we exit
		close(s.exit)
		if c.OnExit != nil {
			c.OnExit(cmd.ProcessState.String())
		}
	}()
	return s, nil
}

func (s *spawnedHub) ended() bool {
	select {
	case <-s.exit:
		return true
	default:
		return false
	}
}

// StartError is for a new hub that ended before it was ready.
type StartError struct {
	Program  string
	Output   string // file with its whole output
	LastLine string // of the output
	Err      error  // how it ended
}

func (e *StartError) Error() string {
	if e.LastLine != "" {
		return "start hub: " + e.LastLine
	}
	return fmt.Sprintf("start hub: %s ended: %v; see %s, which may be empty if the disk is full", e.Program, e.Err, e.Output)
}

func (e *StartError) Unwrap() error { return e.Err }

// Final reports whether the exit code means that a person must act: 64 to 78 of
// sysexits(3).
func (e *StartError) Final() bool {
	exit, ok := errors.AsType[*exec.ExitError](e.Err)
	return ok && exit.ExitCode() >= 64 && exit.ExitCode() <= 78
}

// failure describes a hub that has ended.
func (s *spawnedHub) failure() error {
	exit, ok := errors.AsType[*exec.ExitError](s.err)
	if s.err == nil || ok && exit.ExitCode() == 75 {
		return errReplaced
	}
	return &StartError{Program: s.program, Output: s.paths.Output(), LastLine: strings.Join(LastOutput(s.paths, s.from, 1), ""), Err: s.err}
}

// LastOutput returns the last lines that hubs wrote to their output after byte
// from, at most n and each cut at 1,000 bytes. It returns nil if the file cannot
// be read.
func LastOutput(p Paths, from int64, n int) []string {
	f, err := os.Open(p.Output())
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }() // only read
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	if info.Size() < from {
		from = 0 // it was truncated
	}
	const most = 64 << 10
	text, err := io.ReadAll(io.NewSectionReader(f, max(from, info.Size()-most), most))
	if err != nil || len(strings.TrimSpace(string(text))) == 0 {
		return nil
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	lines = lines[max(0, len(lines)-n):]
	for i, l := range lines {
		lines[i] = strings.ToValidUTF8(l[:min(len(l), 1000)], "")
	}
	return lines
}

// openOutput opens the file for appending, and returns where its end is.
func openOutput(path string) (*os.File, int64, error) {
	flags := os.O_WRONLY | os.O_CREATE | os.O_APPEND
	if info, err := os.Stat(path); err == nil && info.Size() > maxOutputFileBytes {
		flags |= os.O_TRUNC
	}
	f, err := os.OpenFile(filepath.Clean(path), flags, 0o600)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, info.Size(), nil
}

// hubEnv is the environment of a hub.
func (c *ConnectConfig) hubEnv() []string {
	var secrets []string
	if c.SecretNames != nil {
		secrets = c.SecretNames()
	}
	return filterAllowedEnv(c.Env, secrets)
}

// filterAllowedEnv keeps the variables of env that any process of this user needs, and those
// that a person has named for the hub. The hub serves every client, so it must not
// inherit the secrets of one.
func filterAllowedEnv(env, secrets []string) []string {
	keep := []string{
		"HOME", "PATH", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "TMPDIR",
		"SYSTEMROOT", "WINDIR", "USERPROFILE", "USERNAME", "HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA",
		"PROGRAMDATA", "TEMP", "TMP", "PATHEXT", "COMSPEC",
		"DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", // for notifications
	}
	prefixes := []string{"LECTERN_", "XDG_", "LC_"}
	return slices.DeleteFunc(slices.Clone(env), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		if slices.Contains(secrets, name) {
			return false
		}
		name = strings.ToUpper(name) // Windows writes Path and SystemRoot
		return name == supervisor.LifelineEnv || !slices.Contains(keep, name) &&
			!slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
	})
}
