package thismachine

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"time"
	"unicode/utf16"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/internal/atomicfile"
)

// A Clipboard finds a way to the person's clipboard. Its fields are everything
// outside this process, so that tests can replace it.
type Clipboard struct {
	goos     string
	env      func(string) string
	terminal io.Writer // obeys OSC 52; nil: there is none
	look     func(program string) bool
	feed     func(ctx context.Context, stdin []byte, program string, args ...string) error
	file     string // the last resort
}

// maxOSC52Bytes is what terminals commonly accept, in bytes before encoding.
const maxOSC52Bytes = 70_000

// A copyProgram puts its stdin on the clipboard.
type copyProgram struct {
	name   string
	args   []string
	when   string // an environment variable that must be set for it to work
	encode func(string) []byte
}

func (c Clipboard) programs() []copyProgram {
	switch c.goos {
	case "darwin":
		return []copyProgram{{name: "pbcopy"}}
	case "windows":
		return []copyProgram{{name: "clip.exe", encode: utf16LE}}
	default:
		return []copyProgram{
			{name: "wl-copy", when: "WAYLAND_DISPLAY"},
			{name: "xclip", args: []string{"-selection", "clipboard"}, when: "DISPLAY"},
			{name: "xsel", args: []string{"--clipboard", "--input"}, when: "DISPLAY"},
			{name: "clip.exe", when: "WSL_DISTRO_NAME", encode: utf16LE},
			{name: "termux-clipboard-set"},
		}
	}
}

// Copy puts text where the person can paste it and says how. A file always works.
func (c Clipboard) Copy(text string) (how string, err error) {
	how, sure := c.tryAll(text, c.file)
	if sure {
		return how, nil
	}
	if err := atomicfile.WriteFile(c.file, []byte(text+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("save snippet: %w", err)
	}
	return cmp.Or(how, "no clipboard found; saved to "+c.file), nil
}

// CopySecret is Copy for a secret, which it writes to no file; file is where the
// secret is already.
func (c Clipboard) CopySecret(secret, file string) (how string, err error) {
	if how, _ := c.tryAll(secret, file); how != "" {
		return how, nil
	}
	return "", errors.New("no clipboard found; see " + file)
}

// tryAll tries all ways. tmux comes first, because it swallows OSC 52 by default.
// Over SSH only OSC 52 reaches the person's clipboard. file is where text is if
// sure is false, because terminals do not tell whether they obey OSC 52.
func (c Clipboard) tryAll(text, file string) (how string, sure bool) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	if c.env("TMUX") != "" && c.look("tmux") && c.feed(ctx, []byte(text), "tmux", "load-buffer", "-w", "-") == nil {
		return "copied to tmux's buffer and its terminal's clipboard", true
	}
	if remote := c.env("SSH_CONNECTION") != "" || c.env("SSH_TTY") != ""; !remote {
		if name := c.tryPrograms(ctx, text); name != "" {
			return "copied with " + name, true
		}
	}
	if c.terminal == nil || len(text) > maxOSC52Bytes {
		return "", false
	}
	if _, err := fmt.Fprintf(c.terminal, "\x1b]52;c;%s\x07", base64.StdEncoding.EncodeToString([]byte(text))); err != nil {
		return "", false
	}
	return "sent to the terminal's clipboard (OSC 52); if it does not arrive, see " + file, false
}

// tryPrograms returns the program of the system that worked; empty: none did.
func (c Clipboard) tryPrograms(ctx context.Context, text string) string {
	for _, t := range c.programs() {
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

// utf16LE is what clip.exe expects, with a byte order mark.
func utf16LE(s string) []byte {
	out := []byte{0xff, 0xfe}
	for _, unit := range utf16.Encode([]rune(s)) {
		out = binary.LittleEndian.AppendUint16(out, unit)
	}
	return out
}

// NewClipboard is the clipboard of the person at a terminal.
func NewClipboard(a *app.App, terminal io.Writer) Clipboard {
	return Clipboard{
		goos: runtime.GOOS, env: a.Getenv, terminal: terminal, file: a.Paths.Clipboard(),
		look: func(program string) bool { _, err := exec.LookPath(program); return err == nil },
		feed: func(ctx context.Context, stdin []byte, program string, args ...string) error {
			cmd := exec.CommandContext(ctx, program, args...) //nolint:gosec // one of the names above
			cmd.Stdin = bytes.NewReader(stdin)
			cmd.WaitDelay = time.Second // xclip stays in the background and holds our pipes
			return cmd.Run()
		},
	}
}
