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

// However the panel ends, the terminal is restored and the last message is right.
func TestPanelEnds(t *testing.T) {
	home := newHomeWith(t, oneSource)
	for _, c := range []struct {
		name   string
		end    func(x *screen)
		status int
	}{
		{"q", func(x *screen) { x.typeKeys("q") }, 0},
		{"ctrl+c", func(x *screen) { x.typeKeys("\x03") }, 0},
		{"interrupt", func(x *screen) { x.signal(syscall.SIGINT) }, 0},
		{"terminate", func(x *screen) { x.signal(syscall.SIGTERM) }, 0},
		{"hang up", func(x *screen) { x.signal(syscall.SIGHUP) }, 0},
	} {
		if c.name == "hang up" && signal.Ignored(syscall.SIGHUP) {
			t.Log("hang up is not tried: what started the tests, such as nohup, has it ignored")
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			x := openScreen(t, 100, 30, environIn(home), "lectern")
			x.waitFor("● ready", "● notes")
			if !strings.HasPrefix(x.modes(), "alternate ") {
				t.Error("the panel draws on the screen of the shell, without a mouse")
			}
			c.end(x)
			if got := x.waitExit(); got != c.status {
				t.Errorf("left with %d, want %d", got, c.status)
			}
			x.waitFor("The hub keeps running: 1 source, ", "`lectern hub stop` to stop it.")
			x.checkRestored()
		})
		t.Run(c.name+", for ears", func(t *testing.T) {
			x := openScreen(t, 100, 30, environIn(home), "lectern", "--screen-reader")
			x.waitFor("Nothing waits for you.")
			c.end(x)
			if got := x.waitExit(); got != c.status {
				t.Errorf("left with %d, want %d", got, c.status)
			}
			x.waitFor("The hub keeps running: 1 source, ")
			x.checkRestored()
		})
	}
	stopTestHub(t, home)
}

// A panel whose terminal is gone exits, also under nohup.
func TestPanelOfAClosedTerminal(t *testing.T) {
	home := newHomeWith(t, oneSource)
	for name, argv := range map[string][]string{
		"hung up":         {"lectern"},
		"nohup":           {"sh", "-c", "trap '' HUP; exec lectern"},
		"nohup, for ears": {"sh", "-c", "trap '' HUP; exec lectern --screen-reader"},
	} {
		t.Run(name, func(t *testing.T) {
			x := openScreen(t, 100, 30, environIn(home), argv...)
			if strings.HasSuffix(name, "for ears") {
				x.waitFor("Nothing waits for you.")
			} else {
				x.waitFor("ready")
			}
			x.hangUp()
			x.waitExit()
		})
	}
	stopTestHub(t, home)
}

// In a shell, Ctrl+Z suspends the panel and fg redraws it. Without a shell the
// panel says that it cannot be suspended and goes on.
func TestPanelInTheBackground(t *testing.T) {
	home := newHomeWith(t, oneSource)
	x := openScreen(t, 100, 30, environIn(home, "PS1=shell> "), "sh", "-i")
	x.waitFor("shell>")
	x.typeKeys("lectern\r")
	x.waitFor("● ready", "● notes")
	x.typeKeys("\x1a")
	x.waitFor("Stopped", "shell>")
	if left := x.modes(); left != "" {
		t.Errorf("in the background the terminal has the modes %q", left)
	}
	x.typeKeys("echo back to the $((6*7)) shell\r")
	x.waitFor("back to the 42 shell")
	x.resize(120, 36)
	x.typeKeys("fg\r")
	x.waitFor("● ready", "● notes", "ctrl+p commands")
	x.typeKeys("2")
	x.waitFor("─ Sources 1 ─")
	x.typeKeys("q")
	x.waitFor("The hub keeps running")
	x.typeKeys("exit\r")
	x.waitExit()
	x.checkRestored()

	alone := openScreen(t, 100, 30, environIn(home), "lectern")
	alone.waitFor("● ready", "─ Sources 1 ─")
	alone.typeKeys("\x1a")
	alone.waitFor("Cannot suspend")
	alone.typeKeys("1")
	alone.waitFor("─ Agents ─")
	alone.typeKeys("q")
	alone.waitExit()
	alone.checkRestored()
	stopTestHub(t, home)
}

// A panic restores the terminal, saves a report, and prints where it happened and
// where the report is.
func TestPanelBreaks(t *testing.T) {
	for _, at := range []string{"update", "view", "command", "batch", "beside"} {
		t.Run(at, func(t *testing.T) {
			home := t.TempDir()
			x := openScreen(t, 300, 30, environIn(home), "lectern-crashing", at)
			x.waitFor("about to crash")
			x.typeKeys("x")
			if got := x.waitExit(); got != int(exitFailed) {
				t.Errorf("left with %d, want %d", got, exitFailed)
			}
			x.waitFor("lectern: the panel crashed at lectern.crashingPanel.crash, crashing_panel_test.go:", "index out of range", "the report is in "+home)
			x.checkRestored()
			if text := x.text(); strings.Contains(text, "goroutine") {
				t.Errorf("a stack on the screen:\n%s", text)
			}
			path := regexp.MustCompile(`the report is in (\S+)`).FindStringSubmatch(x.text())
			report, err := os.ReadFile(path[1])
			if err != nil || !strings.Contains(string(report), "crashingPanel.crash(") || !strings.Contains(string(report), "index out of range") {
				t.Errorf("the report: %v\n%s", err, report)
			}
			if info, err := os.Stat(path[1]); err != nil || info.Mode().Perm() != 0o600 || filepath.Dir(path[1]) != filepath.Join(home, "state", "reports") {
				t.Errorf("the report is %v, %v", info, err)
			}
		})
	}
}

// Without a terminal that can draw, the panel prints text and exits.
func TestPanelWithoutATerminal(t *testing.T) {
	home := newHomeWith(t, oneSource)
	for name, environ := range map[string][]string{
		"dumb":  environIn(home, "TERM=dumb"),
		"unset": strings.Split(strings.Replace(strings.Join(environIn(home), "\x00"), "TERM=xterm-256color\x00", "", 1), "\x00"),
	} {
		t.Run(name, func(t *testing.T) {
			x := openScreen(t, 100, 50, environ, "lectern")
			if got := x.waitExit(); got != 0 {
				t.Errorf("left with %d", got)
			}
			x.waitFor("To see the status again:")
			if x.mu.Lock(); strings.ContainsRune(string(x.raw), '\x1b') {
				t.Errorf("it draws: %q", x.raw)
			}
			x.mu.Unlock()
			x.checkRestored()
		})
	}
	stopTestHub(t, home)
}

// The panel fills the screen from the first row to the last after every resize.
func TestPanelFollowsItsWindow(t *testing.T) {
	home := newHomeWith(t, oneSource)
	x := openScreen(t, 100, 30, environIn(home), "lectern")
	x.waitFor("● ready", "q quit")
	for _, size := range [][2]int{{40, 10}, {200, 60}, {41, 60}, {200, 11}, {80, 24}, {39, 9}, {140, 45}, {1, 1}, {60, 16}} {
		w, h := size[0], size[1]
		x.resize(w, h)
		x.waitUntil(fmt.Sprintf("%d×%d is filled", w, h), func() bool {
			rows := strings.Split(x.emulate.String(), "\n")
			if w < 4 {
				return true
			}
			if w < 40 {
				return len(rows) == h && strings.Contains(rows[0], "Terminal too small.") && strings.Contains(rows[2], fmt.Sprintf("%d×%d", w, h))
			}
			return len(rows) == h && strings.Contains(rows[0], "1 Overview") && strings.HasSuffix(strings.TrimSpace(rows[h-1]), "q quit") &&
				ansi.StringWidth(rows[h-1]) >= w-2 && !strings.Contains(strings.Join(rows[1:h-1], "\n"), "q quit")
		})
	}
	x.typeKeys("q")
	x.waitExit()
	x.checkRestored()

	bare := openScreen(t, 100, 30, environIn(home, "NO_COLOR=1"), "lectern")
	bare.waitFor("● ready", "● notes", "q quit")
	bare.typeKeys("q")
	bare.waitExit()
	if coloured := colours.Find(bare.output()); coloured != nil {
		t.Errorf("%q in spite of NO_COLOR", coloured)
	}
	stopTestHub(t, home)
}
