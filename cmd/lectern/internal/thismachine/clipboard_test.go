package thismachine

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The order of the ways to a clipboard, each in the environment that selects it.
func TestClipboardOrder(t *testing.T) {
	const osc = "\x1b]52;c;aGk=\x07"
	for name, c := range map[string]struct {
		goos      string
		env       map[string]string
		installed []string
		broken    string // a tool that fails
		fed       string // what ran in the end
		terminal  string
		saved     bool
	}{
		"tmux first":         {"linux", map[string]string{"TMUX": "1", "DISPLAY": ":0"}, []string{"tmux", "xclip"}, "", "tmux load-buffer -w -", "", false},
		"tmux fails":         {"linux", map[string]string{"TMUX": "1", "DISPLAY": ":0"}, []string{"tmux", "xclip"}, "tmux", "xclip -selection clipboard", "", false},
		"ssh":                {"linux", map[string]string{"SSH_TTY": "/dev/pts/1", "DISPLAY": ":0"}, []string{"xclip"}, "", "", osc, true},
		"wayland":            {"linux", map[string]string{"WAYLAND_DISPLAY": "w", "DISPLAY": ":0"}, []string{"wl-copy", "xclip"}, "", "wl-copy", "", false},
		"no display":         {"linux", nil, []string{"xclip", "wl-copy"}, "", "", osc, true},
		"xsel":               {"linux", map[string]string{"DISPLAY": ":0"}, []string{"xsel"}, "", "xsel --clipboard --input", "", false},
		"mac":                {"darwin", nil, []string{"pbcopy"}, "", "pbcopy", "", false},
		"nothing":            {"linux", nil, nil, "", "", osc, true},
		"windows":            {"windows", nil, []string{"clip.exe"}, "", "clip.exe", "", false},
		"windows sub-system": {"linux", map[string]string{"WSL_DISTRO_NAME": "Debian"}, []string{"clip.exe"}, "", "clip.exe", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			var screen bytes.Buffer
			fed, in := "", []byte(nil)
			file := filepath.Join(t.TempDir(), "snippet.txt")
			how, err := Clipboard{
				goos: c.goos, env: func(k string) string { return c.env[k] }, terminal: &screen, file: file,
				look: func(program string) bool { return slices.Contains(c.installed, program) },
				feed: func(_ context.Context, stdin []byte, program string, args ...string) error {
					if program == c.broken {
						return errors.New("broken")
					}
					fed, in = strings.Join(append([]string{program}, args...), " "), stdin
					return nil
				},
			}.Copy("hi")
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff([]string{c.fed, c.terminal}, []string{fed, screen.String()}); d != "" || how == "" {
				t.Errorf("said %q, did %s", how, d)
			}
			want := "hi"
			if fed == "clip.exe" {
				want = "\xff\xfeh\x00i\x00"
			}
			if fed != "" && string(in) != want {
				t.Errorf("fed %q, want %q", in, want)
			}
			if text, err := os.ReadFile(file); c.saved != (err == nil) || c.saved && string(text) != "hi\n" {
				t.Errorf("saved %q, %v", text, err)
			}
		})
	}
}

// Text that is too long for a terminal is saved to a file and not sent.
func TestClipboardOfLongText(t *testing.T) {
	var screen bytes.Buffer
	file := filepath.Join(t.TempDir(), "snippet.txt")
	how, err := Clipboard{
		goos: "linux", env: func(string) string { return "" }, terminal: &screen, file: file,
		look: func(string) bool { return false },
	}.Copy(strings.Repeat("x", maxOSC52Bytes+1))
	if err != nil || screen.Len() > 0 || !strings.Contains(how, file) {
		t.Errorf("said %q, wrote %d bytes to the screen, error %v", how, screen.Len(), err)
	}
}

// A secret is copied to a clipboard or nowhere: no file is written, and the
// message names the file that contains it already.
func TestSecretIsCopiedIntoNoFile(t *testing.T) {
	for name, c := range map[string]struct {
		env      map[string]string
		terminal bool
		want     string
		fails    bool
	}{
		"tmux":     {map[string]string{"TMUX": "1"}, true, "tmux's buffer", false},
		"ssh":      {map[string]string{"SSH_TTY": "/dev/pts/1", "DISPLAY": ":0"}, true, "OSC 52); if it does not arrive, see /state/client.token", false},
		"desktop":  {map[string]string{"DISPLAY": ":0"}, true, "copied with xclip", false},
		"no way":   {nil, false, "no clipboard found; see /state/client.token", true},
		"terminal": {nil, true, "OSC 52", false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			board := Clipboard{
				goos: "linux", env: func(k string) string { return c.env[k] }, file: filepath.Join(dir, "snippet.txt"),
				look: func(program string) bool { return program == "tmux" || program == "xclip" },
				feed: func(context.Context, []byte, string, ...string) error { return nil },
			}
			var screen bytes.Buffer
			if c.terminal {
				board.terminal = &screen
			}
			how, err := board.CopySecret("lectern_hunter2", "/state/client.token")
			if err != nil {
				how = err.Error()
			}
			if !strings.Contains(how, c.want) || (err != nil) != c.fails || strings.Contains(how, "hunter2") {
				t.Errorf("said %q, %v; want %q", how, err, c.want)
			}
			if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
				t.Errorf("files %v, %v", files, err)
			}
		})
	}
}
