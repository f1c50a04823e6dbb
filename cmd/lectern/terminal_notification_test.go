package main

import "testing"

// A terminal is told in its own way, once, and never by what an agent has named.
func TestTerminalNote(t *testing.T) {
	const text, plain = "cursor wants to write a.md (34 s)", "Lectern: cursor wants to write a.md (34 s)"
	for name, tt := range map[string]struct {
		goos string
		env  map[string]string
		text string
		want string
	}{
		"OSC 9":               {"linux", map[string]string{"TERM": "xterm-256color"}, text, "\x1b]9;" + plain + "\x07"},
		"OSC 777":             {"linux", map[string]string{"TERM": "xterm-256color", "VTE_VERSION": "7600"}, text, "\x1b]777;notify;Lectern;" + plain + "\x07"},
		"rxvt":                {"linux", map[string]string{"TERM": "rxvt-unicode"}, text, "\x1b]777;notify;Lectern;" + plain + "\x07"},
		"tmux":                {"linux", map[string]string{"TERM": "screen-256color", "TMUX": "/tmp/tmux"}, text, "\x1bPtmux;\x1b\x1b]9;" + plain + "\x07\x1b\\"},
		"the desktop is told": {"linux", map[string]string{"TERM": "xterm", "DISPLAY": ":0"}, text, ""},
		"that of macOS":       {"darwin", map[string]string{"TERM": "xterm"}, text, ""},
		"not over SSH":        {"darwin", map[string]string{"TERM": "xterm", "SSH_TTY": "/dev/ttys001"}, text, "\x1b]9;" + plain + "\x07"},
		"the console":         {"linux", map[string]string{"TERM": "linux"}, text, ""},
		"a hostile name":      {"linux", map[string]string{"TERM": "xterm"}, "a\x1b]52;c;x\x07\u202eb;<b>", "\x1b]9;Lectern: a··52·c·x··b··b·\x07"},
	} {
		if got := notificationSequence(tt.goos, func(k string) string { return tt.env[k] }, tt.text); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
