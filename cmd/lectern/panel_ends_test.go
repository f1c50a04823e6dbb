//go:build unix

package main

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

const oneSource = "[hub]\nhttp = false\n\n[[source]]\nname = \"notes\"\nkind = \"markdown\"\npath = \"notes\"\n"

// TestPanelEnds: however the panel ends, the terminal is as it was, and what is
// said last is right.
func TestPanelEnds(t *testing.T) {
	home := furnish(t, oneSource)
	for _, c := range []struct {
		name   string
		end    func(x *screen)
		status int
	}{
		{"q", func(x *screen) { x.types("q") }, 0},
		{"ctrl+c", func(x *screen) { x.types("\x03") }, 0},
		{"interrupt", func(x *screen) { x.signals(syscall.SIGINT) }, 0},
		{"terminate", func(x *screen) { x.signals(syscall.SIGTERM) }, 0},
		{"hang up", func(x *screen) { x.signals(syscall.SIGHUP) }, 0},
	} {
		if c.name == "hang up" && signal.Ignored(syscall.SIGHUP) {
			t.Log("hang up is not tried: whoever started the tests, such as nohup, has it ignored")
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			x := openScreen(t, 100, 30, in(home), "lectern")
			x.shows("● ready", "● notes")
			if !strings.HasPrefix(x.modes(), "alternate ") {
				t.Error("the panel draws on the screen of the shell, without a mouse")
			}
			c.end(x)
			if got := x.ends(); got != c.status {
				t.Errorf("left with %d, want %d", got, c.status)
			}
			x.shows("The hub keeps running: 1 source, ", "`lectern hub stop` stops it.")
			x.restored()
		})
		t.Run(c.name+", for ears", func(t *testing.T) {
			x := openScreen(t, 100, 30, in(home), "lectern", "--screen-reader")
			x.shows("ready")
			c.end(x)
			if got := x.ends(); got != c.status {
				t.Errorf("left with %d, want %d", got, c.status)
			}
			x.shows("The hub keeps running: 1 source, ")
			x.restored()
		})
	}
	stopTestHub(t, home)
}

// TestPanelOfAClosedTerminal: a panel whose terminal is gone ends by itself,
// also when it was asked to outlive that.
func TestPanelOfAClosedTerminal(t *testing.T) {
	home := furnish(t, oneSource)
	for name, argv := range map[string][]string{
		"hung up":         {"lectern"},
		"nohup":           {"sh", "-c", "trap '' HUP; exec lectern"},
		"nohup, for ears": {"sh", "-c", "trap '' HUP; exec lectern --screen-reader"},
	} {
		t.Run(name, func(t *testing.T) {
			x := openScreen(t, 100, 30, in(home), argv...)
			x.shows("ready")
			x.hangUp()
			x.ends()
		})
	}
	stopTestHub(t, home)
}

// TestPanelInTheBackground: in a shell Ctrl+Z gives the terminal back and fg
// draws the panel again; where no shell could, it says so and goes on.
func TestPanelInTheBackground(t *testing.T) {
	home := furnish(t, oneSource)
	x := openScreen(t, 100, 30, in(home, "PS1=shell> "), "sh", "-i")
	x.shows("shell>")
	x.types("lectern\r")
	x.shows("● ready", "● notes")
	x.types("\x1a")
	x.shows("Stopped", "shell>")
	if left := x.modes(); left != "" {
		t.Errorf("in the background the terminal has the modes %q", left)
	}
	x.types("echo back to the $((6*7)) shell\r")
	x.shows("back to the 42 shell")
	x.resize(120, 36)
	x.types("fg\r")
	x.shows("● ready", "● notes", "ctrl+p do")
	x.types("2")
	x.shows("─ Sources 1 ─")
	x.types("q")
	x.shows("The hub keeps running")
	x.types("exit\r")
	x.ends()
	x.restored()

	alone := openScreen(t, 100, 30, in(home), "lectern")
	alone.shows("● ready", "─ Sources 1 ─")
	alone.types("\x1a")
	alone.shows("There is no shell here")
	alone.types("1")
	alone.shows("─ Agents ─")
	alone.types("q")
	alone.ends()
	alone.restored()
	stopTestHub(t, home)
}

// TestPanelBreaks: a panic leaves the terminal as it was, a report, and words
// that say where it was and where the report is.
func TestPanelBreaks(t *testing.T) {
	for _, at := range []string{"update", "view", "command", "batch", "beside"} {
		t.Run(at, func(t *testing.T) {
			home := t.TempDir()
			x := openScreen(t, 300, 30, in(home), "lectern-brittle", at)
			x.shows("brittle")
			x.types("x")
			if got := x.ends(); got != int(exitFailed) {
				t.Errorf("left with %d, want %d", got, exitFailed)
			}
			x.shows("lectern: the panel crashed at lectern.brittle.breaks, brittle_test.go:", "index out of range", "the report is in "+home)
			x.restored()
			if text := x.text(); strings.Contains(text, "goroutine") {
				t.Errorf("a stack on the screen:\n%s", text)
			}
			path := regexp.MustCompile(`the report is in (\S+)`).FindStringSubmatch(x.text())
			report, err := os.ReadFile(path[1])
			if err != nil || !strings.Contains(string(report), "brittle.breaks(") || !strings.Contains(string(report), "index out of range") {
				t.Errorf("the report: %v\n%s", err, report)
			}
			if info, err := os.Stat(path[1]); err != nil || info.Mode().Perm() != 0o600 || filepath.Dir(path[1]) != filepath.Join(home, "state", "reports") {
				t.Errorf("the report is %v, %v", info, err)
			}
		})
	}
}

// TestPanelWithoutATerminal: what cannot draw gets text, and ends.
func TestPanelWithoutATerminal(t *testing.T) {
	home := furnish(t, oneSource)
	for name, environ := range map[string][]string{
		"dumb":  in(home, "TERM=dumb"),
		"unset": strings.Split(strings.Replace(strings.Join(in(home), "\x00"), "TERM=xterm-256color\x00", "", 1), "\x00"),
	} {
		t.Run(name, func(t *testing.T) {
			x := openScreen(t, 100, 50, environ, "lectern")
			if got := x.ends(); got != 0 {
				t.Errorf("left with %d", got)
			}
			x.shows("To see the status again:")
			if x.mu.Lock(); strings.ContainsRune(string(x.raw), '\x1b') {
				t.Errorf("it draws: %q", x.raw)
			}
			x.mu.Unlock()
			x.restored()
		})
	}
	stopTestHub(t, home)
}

// TestPanelFollowsItsWindow: whatever the size becomes, the screen is full from
// its first row to its last.
func TestPanelFollowsItsWindow(t *testing.T) {
	home := furnish(t, oneSource)
	x := openScreen(t, 100, 30, in(home), "lectern")
	x.shows("● ready", "q quit")
	for _, size := range [][2]int{{40, 10}, {200, 60}, {41, 60}, {200, 11}, {80, 24}, {39, 9}, {140, 45}, {1, 1}, {60, 16}} {
		w, h := size[0], size[1]
		x.resize(w, h)
		x.until(fmt.Sprintf("%d×%d is filled", w, h), func() bool {
			rows := strings.Split(x.emulate.String(), "\n")
			if w < 4 {
				return true
			}
			if w < 40 {
				return len(rows) == h && strings.Contains(rows[0], "Too small.") && strings.Contains(rows[2], fmt.Sprintf("%d×%d", w, h))
			}
			return len(rows) == h && strings.Contains(rows[0], "1 Overview") && strings.HasSuffix(strings.TrimSpace(rows[h-1]), "q quit") &&
				ansi.StringWidth(rows[h-1]) >= w-2 && !strings.Contains(strings.Join(rows[1:h-1], "\n"), "q quit")
		})
	}
	x.types("q")
	x.ends()
	x.restored()

	bare := openScreen(t, 100, 30, in(home, "NO_COLOR=1"), "lectern")
	bare.shows("● ready", "● notes", "q quit")
	bare.types("q")
	bare.ends()
	if coloured := colours.Find(bare.written()); coloured != nil {
		t.Errorf("%q in spite of NO_COLOR", coloured)
	}
	stopTestHub(t, home)
}
