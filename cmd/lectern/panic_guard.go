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

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/thismachine"
)

// A panicGuard ends the panel in the usual way when a part of it panics, so that
// the terminal is restored, and remembers what panicked and where.
type panicGuard struct {
	cancel func() // ends the panel; may be called more than once

	mu    sync.Mutex
	what  string // empty: nothing panicked
	where string // function, file and line
	stack []byte
}

// recover is deferred by code that may panic. The first panic is reported.
func (g *panicGuard) recover() {
	what := recover()
	if what == nil {
		return
	}
	g.mu.Lock()
	if g.what == "" {
		g.what, g.where, g.stack = fmt.Sprint(what), panicLocation(), debug.Stack()
	}
	g.mu.Unlock()
	g.cancel()
}

// panicLocation is where the goroutine that calls it, from a deferred function,
// panicked.
func panicLocation() string {
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
			return "an unknown place"
		}
	}
}

// run calls f under the guard.
func (g *panicGuard) run(f func()) {
	defer g.recover()
	f()
}

// crashReport is the panic in full and in one line; nil: nothing panicked.
func (g *panicGuard) crashReport(version string) (full string, line error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.what == "" {
		return "", nil
	}
	full = fmt.Sprintf("The panel of lectern %s crashed at %s:\n\n%s\n\n%s %s/%s\n\n%s",
		version, g.where, g.what, runtime.Version(), runtime.GOOS, runtime.GOARCH, g.stack)
	return full, fmt.Errorf("the panel crashed at %s: %s", g.where, g.what)
}

// errPanelCrashed is the end of a panel that panicked.
var errPanelCrashed = errors.New("the hub is still running; please report this crash")

// saveCrashReport saves what guard recovered and says where; nil: nothing
// panicked.
func saveCrashReport(a *app.App, guard *panicGuard) error {
	full, line := guard.crashReport(a.Version)
	if line == nil {
		return nil
	}
	path, err := thismachine.SaveText(a.Paths.CrashReports(), "panel-"+a.Now().UTC().Format(time.DateOnly)+".txt", full)
	if err != nil {
		return fmt.Errorf("%w\nthe report could not be saved: %w\n%w", line, err, errPanelCrashed)
	}
	return fmt.Errorf("%w\nthe report is in %s\n%w", line, path, errPanelCrashed)
}

// A guardedModel is a tea.Model that runs, with its commands, under a guard.
type guardedModel struct {
	model tea.Model
	guard *panicGuard
}

// Init implements tea.Model.
func (m guardedModel) Init() tea.Cmd {
	var cmd tea.Cmd
	m.guard.run(func() { cmd = m.model.Init() })
	return m.guard.guardCommand(cmd)
}

// Update implements tea.Model. A panic leaves the model as it was.
func (m guardedModel) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	m.guard.run(func() { m.model, cmd = m.model.Update(msg) })
	return m, m.guard.guardCommand(cmd)
}

// View implements tea.Model.
func (m guardedModel) View() tea.View {
	var v tea.View
	m.guard.run(func() { v = m.model.View() })
	return v
}

// guardCommand is cmd, and the commands that it returns, under the guard.
func (g *panicGuard) guardCommand(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer g.recover()
		msg = cmd()
		if batch, ok := msg.(tea.BatchMsg); ok {
			for i := range batch {
				batch[i] = g.guardCommand(batch[i])
			}
		}
		return msg
	}
}
