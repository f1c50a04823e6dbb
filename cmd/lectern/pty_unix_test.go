//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"image/color"
	"io"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"github.com/lectern-mcp/lectern/internal/runtest"
)

// A screen is a pseudo-terminal with an emulator behind it, and what runs in
// it: where a terminal of [openTerminal] is what people use, this one counts
// every byte and knows every mode.
type screen struct {
	t       testing.TB
	master  *os.File
	slave   *os.File // held open, so that the terminal outlives what runs in it
	before  *term.State
	emulate *vt.Emulator

	mu      sync.Mutex
	changed chan struct{} // closed when more has come
	on      map[int]bool  // the private modes that are set
	titles  []string
	palette bool // a colour of the terminal itself was changed
	bytes   int
	raw     []byte
	checked struct { // of raw, by [screen.checkHarmless]
		bytes int
		state byte
	}

	marked      int       // bytes when [screen.mark] was called
	first, last time.Time // when the first bytes since then came, and the newest

	cmd  *exec.Cmd
	done chan struct{} // closed when cmd has ended
	code int           // of cmd, or the negative signal
}

// openScreen starts a command in a terminal of w by h cells.
func openScreen(t testing.TB, w, h int, environ []string, argv ...string) *screen {
	t.Helper()
	return openScreenIn(t, "", w, h, environ, argv...)
}

// openScreenIn is openScreen in a folder.
func openScreenIn(t testing.TB, folder string, w, h int, environ []string, argv ...string) *screen {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	// What pty.Open returns cannot be closed while it is read.
	fd, err := unix.FcntlInt(master.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err = errors.Join(err, master.Close()); err == nil {
		err = unix.SetNonblock(fd, true)
	}
	if err != nil {
		t.Fatal(err)
	}
	master = os.NewFile(uintptr(fd), "terminal")
	x := &screen{t: t, master: master, slave: slave, emulate: vt.NewEmulator(w, h), changed: make(chan struct{}), on: map[int]bool{}, done: make(chan struct{})}
	x.emulate.SetCallbacks(vt.Callbacks{
		EnableMode:      func(m ansi.Mode) { x.on[m.Mode()] = true },
		DisableMode:     func(m ansi.Mode) { delete(x.on, m.Mode()) },
		Title:           func(title string) { x.titles = append(x.titles, title) },
		IconName:        func(title string) { x.titles = append(x.titles, title) },
		BackgroundColor: x.recolours, ForegroundColor: x.recolours, CursorColor: x.recolours,
	})
	x.resize(w, h)
	if x.before, err = term.GetState(int(slave.Fd())); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(x.close)
	x.cmd = exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	x.cmd.Env, x.cmd.Dir = environ, folder
	x.cmd.Stdin, x.cmd.Stdout, x.cmd.Stderr = slave, slave, slave
	x.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := x.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go x.read()
	go func() { _, _ = io.Copy(master, x.emulate) }() // what the terminal answers
	go func() {
		defer close(x.done)
		if e, ok := errors.AsType[*exec.ExitError](x.cmd.Wait()); ok {
			x.code = e.ExitCode()
			if s, ok := e.Sys().(syscall.WaitStatus); ok && s.Signaled() {
				x.code = -int(s.Signal())
			}
		}
	}()
	return x
}

// environIn is the environment of a terminal, with one LECTERN_HOME.
func environIn(home string, more ...string) []string {
	return append([]string{"LECTERN_HOME=" + home, "HOME=" + home, "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "LC_ALL=C.UTF-8", "SHELL=/bin/sh", raceOptions(home)}, more...)
}

func (x *screen) close() {
	select {
	case <-x.done:
	default:
		_ = x.cmd.Process.Kill()
		<-x.done
	}
	x.hangUp()
	_ = x.emulate.InputPipe().(io.Closer).Close() // ends what copies its answers; its own Close races with that
}

// hangUp closes the terminal, as its window is closed.
func (x *screen) hangUp() {
	_ = x.slave.Close()
	_ = x.master.Close()
}

func (x *screen) read() {
	buf := make([]byte, 64<<10)
	for {
		n, err := x.master.Read(buf)
		now := time.Now()
		x.mu.Lock()
		if x.last = now; x.first.IsZero() {
			x.first = now
		}
		x.bytes += n
		x.raw = append(x.raw, buf[:n]...)
		_, _ = x.emulate.Write(buf[:n])
		close(x.changed)
		x.changed = make(chan struct{})
		x.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// mark begins to measure what comes, and says when that was.
func (x *screen) mark() time.Time {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.marked, x.first = x.bytes, time.Time{}
	return time.Now()
}

// sinceMark is how long after a time the first bytes since the last mark came, and the newest, and
// how many.
func (x *screen) sinceMark(began time.Time) (first, last time.Duration, n int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.first.Sub(began), x.last.Sub(began), x.bytes - x.marked
}

func (x *screen) recolours(color.Color) { x.palette = true }

func (x *screen) resize(w, h int) {
	x.t.Helper()
	x.mu.Lock()
	x.emulate.Resize(w, h)
	x.mu.Unlock()
	if err := unix.IoctlSetWinsize(int(x.slave.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: uint16(w), Row: uint16(h)}); err != nil {
		x.t.Fatal(err)
	}
}

// escape is the key as a terminal sends it that leaves nothing open. Of the byte alone a panel that
// reads late believes that it begins what comes next: with the next key it is another one.
const escape = "\x1b[27u"

// typeKeys sends keys as a terminal does.
func (x *screen) typeKeys(keys string) {
	x.t.Helper()
	if _, err := io.WriteString(x.master, keys); err != nil {
		x.t.Fatal(err)
	}
}

// text is what the screen shows.
func (x *screen) text() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.emulate.String()
}

// waitUntil waits for the screen to be as wanted, looking whenever it changes.
func (x *screen) waitUntil(what string, done func() bool) {
	x.t.Helper()
	late := time.After(runtest.Timeout)
	for {
		x.mu.Lock()
		ok, changed := done(), x.changed
		x.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-late:
			x.t.Fatalf("never so: %s; the screen shows\n%s", what, x.text())
		}
	}
}

// waitFor waits until the screen holds every one of what.
func (x *screen) waitFor(what ...string) {
	x.t.Helper()
	x.waitUntil(fmt.Sprintf("the screen shows %q", what), func() bool {
		text := x.emulate.String()
		return !slices.ContainsFunc(what, func(w string) bool { return !strings.Contains(text, w) })
	})
}

// waitGone waits until the screen no longer holds what.
func (x *screen) waitGone(what string) {
	x.t.Helper()
	x.waitUntil(fmt.Sprintf("the screen does not show %q", what), func() bool { return !strings.Contains(x.emulate.String(), what) })
}

// pressUntilGone types a key until the screen no longer holds what.
func (x *screen) pressUntilGone(key, what string) {
	x.t.Helper()
	x.pressWhile(key, func() { x.waitGone(what) })
}

// pressWhile types a key again and again until wait returns: what appears by itself
// ignores keys for a moment.
func (x *screen) pressWhile(key string, wait func()) {
	x.t.Helper()
	ctx, cancel := context.WithCancel(x.t.Context())
	defer cancel()
	go func() {
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			_, _ = io.WriteString(x.master, key)
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
	}()
	wait()
}

// shownRows is which rows of a text are on the screen, and how many it has.
var shownRows = regexp.MustCompile(`rows (\d+)–(\d+) of (\d+)`)

// readAll pages down to the end of a text and back, a page at a time, so that each is drawn
// and counts as seen.
func (x *screen) readAll() {
	x.t.Helper()
	x.waitFor("─ rows ")
	x.pageUntil("\x1b[6~", func(shown []string) bool { return shown[2] == shown[3] })
	x.pageUntil("\x1b[5~", func(shown []string) bool { return shown[1] == "1" })
}

func (x *screen) pageUntil(key string, done func(shown []string) bool) {
	x.t.Helper()
	for {
		shown := shownRows.FindStringSubmatch(x.text())
		if shown == nil {
			x.t.Fatalf("no rows are shown; the screen shows\n%s", x.text())
		}
		if done(shown) {
			return
		}
		x.typeKeys(key)
		x.waitGone(shown[0])
	}
}

// waitExit waits for the end of what runs and returns its exit status, or the
// signal that killed it as a negative number.
func (x *screen) waitExit() int {
	x.t.Helper()
	select {
	case <-x.done:
	case <-time.After(runtest.Timeout):
		x.t.Fatalf("it does not end; the screen shows\n%s", x.text())
	}
	return x.code
}

// checkRestored checks that everything a program changes at a terminal is as it was.
func (x *screen) checkRestored() {
	x.t.Helper()
	x.waitUntil("nothing of a panel is left: alternate screen, hidden cursor, mouse, paste marks", func() bool {
		return !x.emulate.IsAltScreen() && x.changedModes() == ""
	})
	after, err := term.GetState(int(x.slave.Fd()))
	if err != nil {
		x.t.Fatal(err)
	}
	if *after != *x.before {
		x.t.Errorf("the line discipline is %+v, was %+v", after, x.before)
	}
}

// modes names the modes that are not as in a new terminal, the alternate screen
// first.
func (x *screen) modes() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.emulate.IsAltScreen() {
		return strings.TrimSpace("alternate " + x.changedModes())
	}
	return x.changedModes()
}

// output is all that was written to the terminal so far.
func (x *screen) output() []byte {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Clone(x.raw)
}

// changedModes is [screen.modes] but for the alternate screen. With the lock.
func (x *screen) changedModes() string {
	usual := map[int]bool{ansi.ModeTextCursorEnable.Mode(): true, ansi.ModeAutoWrap.Mode(): true}
	var odd []string
	for mode := range maps.Keys(x.on) {
		if !usual[mode] {
			odd = append(odd, fmt.Sprint(mode))
		}
	}
	return strings.Join(odd, " ")
}

func (x *screen) signal(s syscall.Signal) {
	x.t.Helper()
	if err := x.cmd.Process.Signal(s); err != nil {
		x.t.Fatal(err)
	}
}
