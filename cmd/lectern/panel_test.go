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
	"time"

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
	shell.Env = []string{"LECTERN_HOME=" + home, "HOME=" + home, "PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8", "SHELL=/bin/sh", racesAside(home)}
	if out, err := shell.CombinedOutput(); err != nil {
		t.Fatalf("start tmux: %v\n%s", err, out)
	}
	return x
}

// racesAside has a panel that is built with the race detector report to a file
// and end as it would without: when a panel ends, bubbletea v2.0.9 closes the
// input while its own reader still waits for it.
func racesAside(home string) string {
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

// types sends text as it is, and then keys by their names.
func (x terminal) types(text string, keys ...string) {
	x.t.Helper()
	x.tmux("send-keys", "-l", text)
	if len(keys) > 0 {
		x.tmux(append([]string{"send-keys"}, keys...)...)
	}
}

// shows waits until the screen holds every one of what, and returns it.
func (x terminal) shows(what ...string) string {
	x.t.Helper()
	return x.waits(fmt.Sprintf("show %q", what), func(screen string) bool {
		for _, w := range what {
			if !strings.Contains(screen, w) {
				return false
			}
		}
		return true
	})
}

// dismisses presses a key until the screen no longer holds what: a question
// ignores keys for a moment after it appears. It presses seldom, because two
// Escapes in a row are one key with Alt.
func (x terminal) dismisses(key, what string) {
	x.t.Helper()
	looks := 0
	x.waits(fmt.Sprintf("lose %q", what), func(screen string) bool {
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

// loses waits until the screen no longer holds what.
func (x terminal) loses(what string) {
	x.t.Helper()
	x.waits(fmt.Sprintf("lose %q", what), func(screen string) bool { return !strings.Contains(screen, what) })
}

func (x terminal) waits(todo string, done func(screen string) bool) string {
	x.t.Helper()
	deadline := time.After(20 * time.Second)
	tick := time.NewTicker(30 * time.Millisecond)
	defer tick.Stop()
	for {
		screen := x.tmux("capture-pane", "-p")
		if done(screen) {
			return screen
		}
		select {
		case <-tick.C:
		case <-deadline:
			x.t.Fatalf("the screen did not %s; it shows\n%s", todo, screen)
		}
	}
}

// restored checks what a program that draws must put back.
func (x terminal) restored() {
	x.t.Helper()
	if got, want := x.tmux("display-message", "-p", "alternate #{alternate_on} cursor #{cursor_flag} mouse #{mouse_any_flag}"), "alternate 0 cursor 1 mouse 0\n"; got != want {
		x.t.Errorf("the terminal is left with %s, want %s", got, want)
	}
	x.types("clear; stty -a", "Enter")
	x.waits("echo what is typed", func(s string) bool {
		return regexp.MustCompile(`(^|\s)icanon\s`).MatchString(s) && regexp.MustCompile(`\secho\s`).MatchString(s)
	})
}

// colours matches an SGR sequence that sets a colour.
var colours = regexp.MustCompile(`\x1b\[([0-9;]*;)?(3[0-8]|4[0-8]|9[0-7]|10[0-7])(;[0-9;]*)?m`)

func (x terminal) coloured() bool {
	x.t.Helper()
	return colours.MatchString(x.tmux("capture-pane", "-p", "-e"))
}

// TestPanelInATerminal is a person's first minutes: the panel as released, in
// a real terminal, from the first start to the end of the hub.
func TestPanelInATerminal(t *testing.T) {
	home := furnish(t, fmt.Sprintf("[hub]\nport = %d\n", freeTCPPort(t)))
	x := openTerminal(t, home, 120, 36)

	x.types("lectern; echo left with $?", "Enter")
	x.shows("● ready", "● welcome", "http://127.0.0.1:", "claude mcp add --scope user lectern", "1 Overview")
	if !x.coloured() {
		t.Error("the panel has no colours")
	}
	x.shows("─ Welcome · 1 of 2 ─", "notes  "+home)
	x.dismisses("Escape", "Welcome")
	x.presses("2", "agents may")
	x.shows("─ Sources 1 ─", "agents may")
	x.types("7")
	x.shows("─ Logs")
	x.types("5")
	x.shows("─ Connect a client ─", "▸ Claude Code")
	x.types("c")
	x.shows("copied to tmux")
	if got := x.tmux("show-buffer"); !strings.HasPrefix(got, "claude mcp add --scope user lectern --env LECTERN_HOME="+home+" -- ") || !strings.HasSuffix(got, " serve") {
		t.Errorf("copied %q", got)
	}
	x.types("?")
	x.shows("─ Keys ─", "q          quit; the hub keeps running")
	x.tmux("send-keys", "Escape")
	x.loses("─ Keys ─")
	x.types("1")
	x.shows("─ Agents ─")

	x.tmux("resize-window", "-x", "40", "-y", "10")
	x.shows("1 Overview", "● ready", "q quit")
	x.tmux("resize-window", "-x", "39", "-y", "9")
	x.shows("Too small.", "39×9")
	x.tmux("resize-window", "-x", "120", "-y", "36")
	x.shows("─ Agents ─")

	x.types("2a")
	x.shows("─ Add a source ─")
	x.types("~/notes", "Enter")
	x.shows("─ Add source notes? ─", "+path = ", "y yes, do it")
	x.dismisses("y", "y yes, do it")
	x.shows("● notes ", "done: add")
	x.loses("─ Add a source ─")

	x.types("q")
	x.shows("left with 0", "The hub keeps running: 1 source, 0 agents.", "`lectern hub stop` stops it.")
	x.restored()
	hub := hubOf(t, home)

	x.types("clear; NO_COLOR=1 lectern; echo left with $?", "Enter")
	x.shows("● ready", "● notes")
	if x.coloured() {
		t.Errorf("colours in spite of NO_COLOR:\n%s", x.tmux("capture-pane", "-p", "-e"))
	}
	x.tmux("send-keys", "C-c")
	x.shows("left with 0", "The hub keeps running")
	x.restored()
	if again := hubOf(t, home); again.PID != hub.PID {
		t.Errorf("the second panel has hub %d, want %d", again.PID, hub.PID)
	}

	x.types("clear; lectern --screen-reader; echo left with $?", "Enter")
	x.shows("Sources, pane 2 of", "Selected: notes") // where the panel was left
	x.types("1")
	if heard := x.shows("Overview, pane 1 of", "ready"); strings.ContainsAny(heard, "│╭") {
		t.Errorf("what is for ears has borders:\n%s", heard)
	}
	x.types("q")
	x.shows("left with 0", "\n`lectern` shows it again")
	x.restored()
	x.types("clear; lectern --plain; echo left with $?", "Enter")
	x.shows("left with 0", "To see the status again:")

	x.types("clear; lectern hub stop", "Enter")
	x.shows("hub stopped")
	x.types("clear; exit", "Enter")
	eventually(t, "the hub is gone", func() bool { return !alive(hub.PID) })
	if _, err := daemon.GetHealth(t.Context(), pathsIn(home)); err == nil {
		t.Error("a hub answers still")
	}
	eventually(t, "no process is left", func() bool { return len(livingIn(home)) == 0 })
}

// eventually waits for what another process will bring about.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	tick := time.NewTicker(30 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("never so: %s", what)
		}
	}
}

// livingIn are the processes of a LECTERN_HOME, where /proc tells.
func livingIn(home string) []string {
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
