package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/internal/atomicfile"
)

// An editorFile is a text that a person edits in a program of their own: a file that
// only they can read, in a folder of its own.
type editorFile struct{ dir, name string }

// newEditorFile writes text into a new file with this name, which says to the editor
// what it is.
func newEditorFile(name string, text []byte) (f editorFile, err error) {
	dir, err := os.MkdirTemp("", "lectern-")
	if err != nil {
		return editorFile{}, err
	}
	f = editorFile{dir, name}
	root, err := os.OpenRoot(dir)
	if err == nil {
		err = errors.Join(atomicfile.Write(root, name, text, atomicfile.Options{Perm: 0o600, Create: true}), root.Close())
	}
	if err != nil {
		return editorFile{}, errors.Join(err, f.remove())
	}
	return f, nil
}

func (f editorFile) path() string { return filepath.Join(f.dir, f.name) }

func (f editorFile) remove() error { return os.RemoveAll(f.dir) }

// newEditorProcess is the person's editor on a file, without a terminal yet.
func newEditorProcess(ctx context.Context, c *cli, f editorFile) *exec.Cmd {
	usual := "vi"
	if runtime.GOOS == "windows" {
		usual = "notepad"
	}
	words := strings.Fields(cmp.Or(c.Getenv("VISUAL"), c.Getenv("EDITOR"), usual)) // such as "code --wait"
	cmd := exec.CommandContext(ctx, words[0], append(words[1:], f.path())...)      //nolint:gosec // the person's own editor
	cmd.Env = c.Environ
	return cmd
}

// runEditor has a person edit a file, and returns what it holds then.
func (c *cli) runEditor(ctx context.Context, f editorFile) ([]byte, error) {
	cmd := newEditorProcess(ctx, c, f)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.in, c.out, c.err
	return f.readEdited(cmd, cmd.Run())
}

// readEdited is what the file holds after its editor has ended with err.
func (f editorFile) readEdited(cmd *exec.Cmd, err error) ([]byte, error) {
	if err != nil {
		return nil, fmt.Errorf("%s: %w; nothing was changed. Set $VISUAL or $EDITOR to your editor", cmd.Args[0], err)
	}
	return os.ReadFile(f.path())
}

// editTextFromPanel has a person edit a text while the panel stands back from the terminal.
func editTextFromPanel(ctx context.Context, c *cli, name, text string, done func(string, error) tea.Msg) tea.Cmd {
	return func() tea.Msg {
		f, err := newEditorFile(editorFileName(name), []byte(text))
		if err != nil {
			return done("", err)
		}
		cmd := newEditorProcess(ctx, c, f)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = c.in, c.out, c.err // the terminal itself, and not the panel's end of it
		return tea.ExecProcess(cmd, func(err error) tea.Msg {
			edited, err := f.readEdited(cmd, err)
			return done(string(edited), errors.Join(err, f.remove()))
		})()
	}
}

// editFileFromPanel has a person edit a file of theirs, likewise.
func editFileFromPanel(ctx context.Context, c *cli, file string, done func(error) tea.Msg) tea.Cmd {
	cmd := newEditorProcess(ctx, c, editorFile{filepath.Dir(file), filepath.Base(file)})
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.in, c.out, c.err // the terminal itself, and not the panel's end of it
	return tea.ExecProcess(cmd, done)
}

// editorFileName is like the name of a page, so that the editor knows what it is.
func editorFileName(page string) string {
	safe := func(r rune) rune {
		if r == '.' || r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}
	name := strings.Map(safe, path.Base(page))
	const most = 80
	return "page-" + name[max(0, len(name)-most):]
}
