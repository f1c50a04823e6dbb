package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

// A terminal is a tmux server of its own with one window, in which a shell
// runs. Everything that is started in it has one LECTERN_HOME.
type terminal struct {
	t      *testing.T
	socket string
}

func openTerminal(t *testing.T, home string, width, height int) terminal {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("the panel is tried in a real terminal, and tmux is not installed: apt install tmux")
	}
	x := terminal{t, filepath.Join(home, "tmux")}
	t.Cleanup(func() { _ = x.command("kill-server").Run() })
	shell := x.command("new-session", "-d", "-x", strconv.Itoa(width), "-y", strconv.Itoa(height), "sh")
	shell.Env = []string{"LECTERN_HOME=" + home, "HOME=" + home, "PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8", "SHELL=/bin/sh", raceOptions(home)}
	if out, err := shell.CombinedOutput(); err != nil {
		t.Fatalf("start tmux: %v\n%s", err, out)
	}
	return x
}

// raceOptions has a panel that is built with the race detector report to a file
// and end as it would without: when a panel ends, bubbletea v2.0.9 closes the
// input while its own reader still waits for it.
func raceOptions(home string) string {
	return "GORACE=exitcode=0 log_path=" + filepath.Join(home, "race")
}

func (x terminal) command(args ...string) *exec.Cmd {
	return exec.Command("tmux", append([]string{"-S", x.socket, "-f", "/dev/null"}, args...)...)
}

func (x terminal) tmux(args ...string) string {
	x.t.Helper()
	out, err := x.command(args...).CombinedOutput()
	if err != nil {
		x.t.Fatalf("tmux %s: %v\n%s", args, err, out)
	}
	return string(out)
}

// typeKeys sends text as it is, and then keys by their names.
func (x terminal) typeKeys(text string, keys ...string) {
	x.t.Helper()
	x.tmux("send-keys", "-l", text)
	if len(keys) > 0 {
		x.tmux(append([]string{"send-keys"}, keys...)...)
	}
}

// waitFor waits until the screen holds every one of what, and returns it.
func (x terminal) waitFor(what ...string) string {
	x.t.Helper()
	return x.waitUntil(fmt.Sprintf("show %q", what), func(screen string) bool {
		for _, w := range what {
			if !strings.Contains(screen, w) {
				return false
			}
		}
		return true
	})
}

// pressUntilGone presses a key until the screen no longer holds what: a question
// ignores keys for a moment after it appears. It presses seldom, because two
// Escapes in a row are one key with Alt.
func (x terminal) pressUntilGone(key, what string) {
	x.t.Helper()
	looks := 0
	x.waitUntil(fmt.Sprintf("lose %q", what), func(screen string) bool {
		if !strings.Contains(screen, what) {
			return true
		}
		if looks%100 == 20 {
			x.tmux("send-keys", key)
		}
		looks++
		return false
	})
}

// waitGone waits until the screen no longer holds what.
func (x terminal) waitGone(what string) {
	x.t.Helper()
	x.waitUntil(fmt.Sprintf("lose %q", what), func(screen string) bool { return !strings.Contains(screen, what) })
}

func (x terminal) waitUntil(todo string, done func(screen string) bool) string {
	x.t.Helper()
	screen := ""
	if !runtest.Until(func() bool { screen = x.tmux("capture-pane", "-p"); return done(screen) }) {
		x.t.Fatalf("the screen did not %s; it shows\n%s", todo, screen)
	}
	return screen
}

// checkRestored checks what a program that draws must put back.
func (x terminal) checkRestored() {
	x.t.Helper()
	if got, want := x.tmux("display-message", "-p", "alternate #{alternate_on} cursor #{cursor_flag} mouse #{mouse_any_flag}"), "alternate 0 cursor 1 mouse 0\n"; got != want {
		x.t.Errorf("the terminal is left with %s, want %s", got, want)
	}
	x.typeKeys("clear; stty -a", "Enter")
	x.waitUntil("echo what is typed", func(s string) bool {
		return regexp.MustCompile(`(^|\s)icanon\s`).MatchString(s) && regexp.MustCompile(`\secho\s`).MatchString(s)
	})
}

// colours matches an SGR sequence that sets a colour.
var colours = regexp.MustCompile(`\x1b\[([0-9;]*;)?(3[0-8]|4[0-8]|9[0-7]|10[0-7])(;[0-9;]*)?m`)

func (x terminal) isColored() bool {
	x.t.Helper()
	return colours.MatchString(x.tmux("capture-pane", "-p", "-e"))
}

// TestPanelInATerminal is a person's first minutes: the panel as released, in
// a real terminal, from the first start to the end of the hub.
func TestPanelInATerminal(t *testing.T) {
	home := newHomeWith(t, fmt.Sprintf("[hub]\nport = %d\n", freeTCPPort(t)))
	x := openTerminal(t, home, 120, 36)

	x.typeKeys("lectern; echo left with $?", "Enter")
	x.waitFor("● ready", "● welcome", "1 Overview")
	if !x.isColored() {
		t.Error("the panel has no colours")
	}
	x.waitFor("─ Welcome · 1 of 2 ─", "notes  "+home)
	x.pressUntilGone("Escape", "Welcome")
	x.waitFor("claude mcp add --scope user lectern")
	x.pressUntilShown("2", "agents can")
	x.waitFor("─ Sources 1 ─", "agents can")
	x.typeKeys("7")
	x.waitFor("─ Logs")
	x.typeKeys("5")
	x.waitFor("─ Connected agents ─", "more that were not found here")
	x.typeKeys("G", "Enter")
	x.waitFor("Claude Desktop")
	x.typeKeys("/claude code", "Enter")
	x.waitFor("─ Connect Claude Code")
	x.typeKeys("c")
	x.waitFor("copied to tmux")
	if got := x.tmux("show-buffer"); !strings.HasPrefix(got, "claude mcp add --scope user lectern --env LECTERN_HOME="+home+" -- ") || !strings.HasSuffix(got, " serve --client claude-code") {
		t.Errorf("copied %q", got)
	}
	x.typeKeys("?")
	x.waitFor("─ Keys ─", "find a command")
	x.tmux("send-keys", "Escape")
	x.waitGone("─ Keys ─")
	x.typeKeys("1")
	x.waitFor("─ Agents ─")

	x.tmux("resize-window", "-x", "40", "-y", "10")
	x.waitFor("1 Overview", "● ready", "q quit")
	x.tmux("resize-window", "-x", "39", "-y", "9")
	x.waitFor("Terminal too small.", "39×9")
	x.tmux("resize-window", "-x", "120", "-y", "36")
	x.waitFor("─ Agents ─")

	x.typeKeys("2a")
	x.waitFor("─ Add a source ─")
	x.typeKeys("~/notes", "Enter")
	x.waitFor("─ Add source notes? ─", "+path = ", "y yes")
	x.pressUntilGone("y", "y yes")
	x.waitFor("● notes ", "done: add")
	x.waitGone("─ Add a source ─")

	x.typeKeys("q")
	x.waitFor("left with 0", "The hub keeps running: 1 source, 0 agents.", "`lectern hub stop` to stop it.")
	x.checkRestored()
	hub := askHub(t, home)

	x.typeKeys("clear; NO_COLOR=1 lectern; echo left with $?", "Enter")
	x.waitFor("● ready", "● notes")
	if x.isColored() {
		t.Errorf("colours in spite of NO_COLOR:\n%s", x.tmux("capture-pane", "-p", "-e"))
	}
	x.tmux("send-keys", "C-c")
	x.waitFor("left with 0", "The hub keeps running")
	x.checkRestored()
	if again := askHub(t, home); again.PID != hub.PID {
		t.Errorf("the second panel has hub %d, want %d", again.PID, hub.PID)
	}

	x.typeKeys("clear; lectern --screen-reader; echo left with $?", "Enter")
	x.waitFor("Nothing waits for you.") // before anything else
	x.typeKeys("1")
	if heard := x.waitFor("Overview, pane 1 of", "ready"); strings.ContainsAny(heard, "│╭") {
		t.Errorf("what is for ears has borders:\n%s", heard)
	}
	x.typeKeys("q")
	x.waitFor("left with 0", "\nRun `lectern` to see it again")
	x.checkRestored()
	x.typeKeys("clear; lectern --plain; echo left with $?", "Enter")
	x.waitFor("left with 0", "To see the status again:")

	x.typeKeys("clear; lectern hub stop", "Enter")
	x.waitFor("hub stopped")
	x.typeKeys("clear; exit", "Enter")
	runtest.Eventually(t, "the hub is gone", func() bool { return !alive(hub.PID) })
	if _, err := daemon.GetHealth(t.Context(), daemonPaths(home)); err == nil {
		t.Error("a hub answers still")
	}
	runtest.Eventually(t, "no process is left", func() bool { return len(processesIn(home)) == 0 })
}

// processesIn are the processes of a LECTERN_HOME, where /proc tells.
func processesIn(home string) []string {
	var found []string
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		env, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(env), "LECTERN_HOME="+home+"\x00") {
			found = append(found, filepath.Base(filepath.Dir(file)))
		}
	}
	return found
}
