package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
)

// A catcher ends the panel when something of it panics, as a person would end
// it, with the terminal as it was; and remembers what and where.
type catcher struct {
	end func() // ends the panel; may be called more than once

	mu    sync.Mutex
	what  string // panicked; empty: nothing did
	where string // the function of ours, or its caller's, and the line
	stack []byte
}

// catch is deferred by what may panic. The first panic is the one that is told.
func (c *catcher) catch() {
	what := recover()
	if what == nil {
		return
	}
	c.mu.Lock()
	if c.what == "" {
		c.what, c.where, c.stack = fmt.Sprint(what), panicked(), debug.Stack()
	}
	c.mu.Unlock()
	c.end()
}

// panicked is where the goroutine that calls it, from a deferred function,
// panicked.
func panicked() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for panics := false; ; {
		f, more := frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			panics = true
		case panics && !strings.HasPrefix(f.Function, "runtime."):
			return fmt.Sprintf("%s, %s:%d", filepath.Base(f.Function), filepath.Base(f.File), f.Line)
		}
		if !more {
			return "nobody knows where"
		}
	}
}

// watch is run, caught.
func (c *catcher) watch(run func()) {
	defer c.catch()
	run()
}

// report is what was caught, in full and in one line; nil: nothing was.
func (c *catcher) report() (full string, line error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.what == "" {
		return "", nil
	}
	full = fmt.Sprintf("The panel of lectern %s broke at %s:\n\n%s\n\n%s %s/%s\n\n%s",
		lecternVersion, c.where, c.what, runtime.Version(), runtime.GOOS, runtime.GOARCH, c.stack)
	return full, fmt.Errorf("the panel broke at %s: %s", c.where, c.what)
}

// errBroke is the end of a panel that panicked.
var errBroke = errors.New("the hub goes on without it; please report it")

// broke keeps the report of what c caught and says where that is; nil: it
// caught nothing.
func (w *world) broke(c *catcher) error {
	full, line := c.report()
	if line == nil {
		return nil
	}
	path, err := saveNew(filepath.Join(w.places.State, "reports"), "panel-"+w.now().UTC().Format(time.DateOnly)+".txt", putText(full))
	if err != nil {
		return fmt.Errorf("%w\nthe report is lost: %w\n%w", line, err, errBroke)
	}
	return fmt.Errorf("%w\nthe report is in %s\n%w", line, path, errBroke)
}

// A caught is a tea.Model whose panics, and those of its commands, are caught.
type caught struct {
	model tea.Model
	by    *catcher
}

// Init implements tea.Model.
func (m caught) Init() tea.Cmd {
	var do tea.Cmd
	m.by.watch(func() { do = m.model.Init() })
	return m.by.command(do)
}

// Update implements tea.Model. A panic leaves the model as it was.
func (m caught) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var do tea.Cmd
	m.by.watch(func() { m.model, do = m.model.Update(msg) })
	return m, m.by.command(do)
}

// View implements tea.Model.
func (m caught) View() tea.View {
	var v tea.View
	m.by.watch(func() { v = m.model.View() })
	return v
}

// command is do, and those that it brings, caught.
func (c *catcher) command(do tea.Cmd) tea.Cmd {
	if do == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer c.catch()
		msg = do()
		if batch, ok := msg.(tea.BatchMsg); ok {
			for i := range batch {
				batch[i] = c.command(batch[i])
			}
		}
		return msg
	}
}
