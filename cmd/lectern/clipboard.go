package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
	"unicode/utf16"

	"github.com/lectern-mcp/lectern/internal/atomicfile"
)

// A clipboard finds a way to the person's clipboard. Its fields are the
// outside, so that tests can be another outside.
type clipboard struct {
	goos     string
	env      func(string) string
	terminal io.Writer // obeys OSC 52; nil: there is none
	look     func(program string) bool
	feed     func(ctx context.Context, stdin []byte, program string, args ...string) error
	file     string // the last resort
}

// osc52Max is what terminals commonly accept, in bytes before encoding.
const osc52Max = 70_000

// tool is a program that puts its stdin into the clipboard.
type tool struct {
	name   string
	args   []string
	when   string // an environment variable that must be set for it to work
	encode func(string) []byte
}

func (c clipboard) tools() []tool {
	switch c.goos {
	case "darwin":
		return []tool{{name: "pbcopy"}}
	case "windows":
		return []tool{{name: "clip.exe", encode: utf16LE}}
	default:
		return []tool{
			{name: "wl-copy", when: "WAYLAND_DISPLAY"},
			{name: "xclip", args: []string{"-selection", "clipboard"}, when: "DISPLAY"},
			{name: "xsel", args: []string{"--clipboard", "--input"}, when: "DISPLAY"},
			{name: "clip.exe", when: "WSL_DISTRO_NAME", encode: utf16LE},
			{name: "termux-clipboard-set"},
		}
	}
}

// Copy puts text where the person can paste it and says how. tmux comes first,
// because it swallows OSC 52 by default; over SSH the far clipboard is the
// person's, which OSC 52 alone reaches; a file always works.
func (c clipboard) Copy(text string) (how string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	if how := c.reach(ctx, text); how != "" {
		return how, nil
	}
	if c.osc52(text) == nil {
		return "sent to the terminal's clipboard (OSC 52); if nothing arrives it is in " + c.file, c.save(text)
	}
	if err := c.save(text); err != nil {
		return "", err
	}
	return "no clipboard found; saved to " + c.file, nil
}

// CopySecret is Copy for what must get into no file: in is the one that it is
// in anyway.
func (c clipboard) CopySecret(secret, in string) (how string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	if how := c.reach(ctx, secret); how != "" {
		return how, nil
	}
	if c.osc52(secret) == nil {
		return "sent to the terminal's clipboard (OSC 52); if nothing arrives it is in " + in, nil
	}
	return "", errors.New("no clipboard was found; it is in " + in)
}

// reach tries the ways that tell whether they worked, and says which did;
// empty: none.
func (c clipboard) reach(ctx context.Context, text string) (how string) {
	if c.env("TMUX") != "" && c.look("tmux") && c.feed(ctx, []byte(text), "tmux", "load-buffer", "-w", "-") == nil {
		return "copied to tmux's buffer and its terminal's clipboard"
	}
	if remote := c.env("SSH_CONNECTION") != "" || c.env("SSH_TTY") != ""; remote {
		return ""
	}
	if name := c.native(ctx, text); name != "" {
		return "copied with " + name
	}
	return ""
}

// native tries the system's own tools and returns the one that worked.
func (c clipboard) native(ctx context.Context, text string) string {
	for _, t := range c.tools() {
		if t.when != "" && c.env(t.when) == "" || !c.look(t.name) {
			continue
		}
		in := []byte(text)
		if t.encode != nil {
			in = t.encode(text)
		}
		if c.feed(ctx, in, t.name, t.args...) == nil {
			return t.name
		}
	}
	return ""
}

func (c clipboard) osc52(text string) error {
	if c.terminal == nil || len(text) > osc52Max {
		return errors.New("no terminal for OSC 52")
	}
	_, err := fmt.Fprintf(c.terminal, "\x1b]52;c;%s\x07", base64.StdEncoding.EncodeToString([]byte(text)))
	return err
}

func (c clipboard) save(text string) error {
	if err := atomicfile.WriteFile(c.file, []byte(text+"\n"), 0o600); err != nil {
		return fmt.Errorf("save snippet: %w", err)
	}
	return nil
}

// utf16LE is what clip.exe expects, with the mark that says so.
func utf16LE(s string) []byte {
	out := []byte{0xff, 0xfe}
	for _, unit := range utf16.Encode([]rune(s)) {
		out = binary.LittleEndian.AppendUint16(out, unit)
	}
	return out
}

func (w *world) clipboard() clipboard {
	return clipboard{
		goos: runtime.GOOS, env: w.env, terminal: w.out, file: filepath.Join(w.places.State, "snippet.txt"),
		look: func(program string) bool { _, err := exec.LookPath(program); return err == nil },
		feed: func(ctx context.Context, stdin []byte, program string, args ...string) error {
			cmd := exec.CommandContext(ctx, program, args...) //nolint:gosec // one of the names above
			cmd.Stdin = bytes.NewReader(stdin)
			cmd.WaitDelay = time.Second // xclip stays in the background and holds our pipes
			return cmd.Run()
		},
	}
}
