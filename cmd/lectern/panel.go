package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	tea "charm.land/bubbletea/v2"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/supervisor"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
	"github.com/lectern-mcp/lectern/tui"
)

// A manner is how a person wants to meet the panel.
type manner struct{ plain, spoken bool }

func (l *manner) flags(c *cobra.Command) {
	c.Flags().BoolVar(&l.plain, "plain", false, "say how things are as text, and end")
	c.Flags().BoolVar(&l.spoken, "screen-reader", false, "the panel as plain lines that are only ever appended")
}

// panel is `lectern` without a command: the control panel where there is a
// terminal, and the same as text where there is none.
func (w *world) panel(ctx context.Context, how manner) error {
	if how.plain || !isTerminal(w.in) || !how.spoken && !w.onTerminal() {
		return w.plain(ctx)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	hub := &tender{world: w, policy: supervisor.UsualPolicy()}
	go hub.run(ctx)
	here := w.onMachine(w.client(hub.problems))
	go here.run(ctx)
	conf := tui.Config{
		Client: here, Ledger: here, Desk: here, Shelf: here, Copy: w.clipboard().Copy, Now: w.now, Version: lecternVersion,
		Save: func(name, text string) (string, error) {
			return saveNew(filepath.Join(w.places.Data, "saved"), name, text)
		},
		Dark: true, NoColor: w.env("NO_COLOR") != "", Memory: w.panelMemory(),
	}
	var model tea.Model = tui.New(conf)
	options := []tea.ProgramOption{tea.WithContext(ctx), tea.WithInput(w.in), tea.WithOutput(w.out), tea.WithEnvironment(w.environ)}
	back := func() {}
	if how.spoken {
		model = tui.NewSpeaker(conf, func(line string) { w.say("%s\r\n", line) }) // the terminal is raw
		options = append(options, tea.WithoutRenderer())
		var err error
		if back, err = raw(w.in); err != nil {
			return err
		}
	}
	end, err := tea.NewProgram(model, options...).Run()
	back()
	here.finish()
	if errors.Is(err, tea.ErrInterrupted) || errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil {
		err = nil // told to end
	}
	if m, ok := end.(tui.Model); ok {
		w.keepPanelMemory(m.Memory())
	}
	if m, ok := end.(interface{ Farewell() string }); ok && err == nil {
		w.say("%s\n", m.Farewell())
	}
	return err
}

// raw makes a terminal hand over keys as they are pressed, which bubbletea does
// itself only when it draws. The returned func makes it as it was.
func raw(in any) (back func(), err error) {
	f := in.(*os.File) //nolint:forcetypeassert // isTerminal has looked
	state, err := term.MakeRaw(int(f.Fd()))
	if err != nil {
		return nil, fmt.Errorf("read keys: %w", err)
	}
	return func() { _ = term.Restore(int(f.Fd()), state) }, nil // who ends has no use for why not
}

// plain makes sure that a hub runs and says what the panel's first screen says.
func (w *world) plain(ctx context.Context) error {
	conn, _, err := daemon.Connect(ctx, w.connecting(w.stderrLog()))
	if err != nil {
		return err
	}
	if err := conn.Close(); err != nil {
		return fmt.Errorf("connect to hub: %w", err)
	}
	snap, err := w.settled(ctx)
	if err != nil {
		return err
	}
	if err := writeStatus(w.out, snap); err != nil {
		return err
	}
	w.next(snap)
	return nil
}

// next says what a person may want to run.
func (w *world) next(snap status.Snapshot) {
	w.say("\nTo connect an agent:\n")
	for _, s := range snap.Snippets {
		w.say("\n%s (%s)\n%s\n", safetext.Line(s.Client), safetext.Line(s.Where), indent(string(safetext.Of(s.Text))))
	}
	w.say("%s", "\nTo open your own notes:   lectern source add PATH\n"+
		"To look again:            lectern status\n"+
		"To stop the hub:          lectern hub stop\n"+
		"For the control panel run lectern in a terminal. For all commands: lectern --help\n")
}

// onTerminal reports whether a person reads stdout on a screen that can draw.
func (w *world) onTerminal() bool { return isTerminal(w.out) && w.env("TERM") != "dumb" }

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
