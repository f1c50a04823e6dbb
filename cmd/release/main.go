// Release makes the files of a release that goreleaser cannot make, for
// goreleaser.yaml and docs/releasing.md to call. It is not released itself.
//
//	release docs VERSION           completions and the manual page
//	release binary FILE VERSION OS ARCH   sign a built binary, and bundle it
//	release server VERSION         server.json for the MCP registry
//	release build VERSION [OS/ARCH...]   the archives of these systems, or of all, and their list, without goreleaser
//
// Files go to .cache/release. Secrets stay with minisign: the variable
// MINISIGN_KEY names its key file; without it nothing is signed, with a warning.
//
// Start reading at [run].
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/lectern-mcp/lectern/installer/bundle"
	"github.com/lectern-mcp/lectern/internal/atomicfile"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	m := releaser{out: filepath.Join(".cache", "release"), key: os.Getenv("MINISIGN_KEY"), log: os.Stderr}
	err := m.run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// A releaser writes files to the folder out.
type releaser struct {
	out, key string
	source   string // the repository; empty: the working directory
	log      io.Writer
}

func (m releaser) run(ctx context.Context, args []string) error {
	switch {
	case len(args) == 2 && args[0] == "docs":
		return m.writeDocs(ctx, args[1])
	case len(args) == 5 && args[0] == "binary":
		return m.signAndBundle(ctx, args[1], args[2], bundle.Target{OS: args[3], Arch: args[4]})
	case len(args) >= 2 && args[0] == "build":
		return m.build(ctx, args[1], args[2:])
	case len(args) == 2 && args[0] == "server":
		return m.writeServerJSON(args[1])
	}
	return errors.New("usage: release docs VERSION | release binary FILE VERSION OS ARCH | release server VERSION | release build VERSION")
}

func (m releaser) write(name string, text []byte) error {
	file := filepath.Join(m.out, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil { //nolint:gosec // to be published
		return err
	}
	return atomicfile.WriteFile(file, text, 0o644)
}

// runLectern runs lectern from source, with a home folder that does not exist, and
// returns its output.
func runLectern(ctx context.Context, args ...string) ([]byte, error) {
	var output bytes.Buffer
	cmd := exec.CommandContext(ctx, "go", append([]string{"run", "-exec", "env HOME=/home/you XDG_CONFIG_HOME= LECTERN_HOME=", //nolint:gosec // arguments of ours
		"./cmd/lectern"}, args...)...)
	cmd.Stdout, cmd.Stderr = &output, os.Stderr
	err := cmd.Run()
	return output.Bytes(), err
}

// manualPageNames are the help pages in the manual: of lectern itself, whose name is
// empty, of the configuration, and of every command.
func manualPageNames(ctx context.Context) ([]string, error) {
	offered, err := runLectern(ctx, "__complete", "")
	if err != nil {
		return nil, fmt.Errorf("list commands: %w", err)
	}
	list := []string{"", "config"}
	for line := range strings.Lines(string(offered)) {
		name, _, _ := strings.Cut(line, "\t")
		if name != line && name != "help" && name != "completion" {
			list = append(list, name)
		}
	}
	return list, nil
}

// writeDocs is the first step of a release, so it removes the files of an earlier one.
func (m releaser) writeDocs(ctx context.Context, version string) error {
	if err := os.RemoveAll(m.out); err != nil {
		return err
	}
	for shell, name := range map[string]string{
		"bash": "lectern.bash", "zsh": "_lectern", "fish": "lectern.fish", "powershell": "lectern.ps1",
	} {
		text, err := runLectern(ctx, "completion", shell)
		if err != nil {
			return fmt.Errorf("make completion: %w", err)
		}
		if err := m.write(filepath.Join("completions", name), text); err != nil {
			return err
		}
	}
	commands, err := manualPageNames(ctx)
	if err != nil {
		return err
	}
	var manual []bundle.Page
	for _, page := range commands {
		args := []string{"--help"}
		p := bundle.Page{Command: "lectern"}
		if page != "" {
			args, p.Command = []string{page, "--help"}, "lectern "+page
		}
		text, err := runLectern(ctx, args...)
		if err != nil {
			return fmt.Errorf("make manual: %w", err)
		}
		p.Help = string(text)
		manual = append(manual, p)
	}
	return m.write("lectern.1", bundle.Manual(version, manual))
}

// signAndBundle signs a binary for one system, so that it cannot be passed off as
// another system's, and bundles it.
func (m releaser) signAndBundle(ctx context.Context, file, version string, t bundle.Target) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	packed, err := bundle.Pack(version, t, text)
	if err != nil {
		return err
	}
	if err := m.write(filepath.Join("extra", t.File(version)), packed); err != nil {
		return err
	}
	if m.key == "" {
		_, err := fmt.Fprintf(m.log, "MINISIGN_KEY is not set: %s is not signed, and self-update will refuse it\n", file)
		return err
	}
	comment := fmt.Sprintf("lectern %s %s/%s", version, t.OS, t.Arch)
	cmd := exec.CommandContext(ctx, "minisign", "-S", "-s", m.key, "-m", file, "-x", file+".minisig", "-t", //nolint:gosec // the release manager's own key
		comment)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, m.log, m.log
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("sign %s: %w", file, err)
	}
	return nil
}

func (m releaser) writeServerJSON(version string) error {
	sums := map[string]string{}
	for _, t := range bundle.Targets() {
		text, err := os.ReadFile(filepath.Join(m.out, "extra", t.File(version)))
		if err != nil {
			return fmt.Errorf("make server.json: %w; run goreleaser first", err)
		}
		sums[t.File(version)] = fmt.Sprintf("%x", sha256.Sum256(text))
	}
	text, err := bundle.Server(version, sums)
	if err != nil {
		return err
	}
	return m.write("server.json", text)
}
