package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"

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

// panelGC is the garbage collector's pace in a panel, in percent of what lives,
// in place of its 100: a full one keeps 15 MB, and took 61 MB with as much
// garbage and its stacks, now 50 MB. GOGC overrides it.
const panelGC = 40

// panel is `lectern` without a command: the control panel where there is a
// terminal, and the same as text where there is none.
func (w *world) panel(ctx context.Context, how manner) error {
	if how.plain || !isTerminal(w.in) || !how.spoken && !w.onTerminal() {
		return w.plain(ctx)
	}
	ctx, cancel := untilHangUp(ctx)
	defer cancel()
	if w.env("GOGC") == "" {
		debug.SetGCPercent(panelGC)
	}
	broken := &catcher{end: cancel}
	hub := w.newTender(supervisor.DefaultRestartPolicy())
	go broken.watch(func() { hub.run(ctx) })
	here := w.onMachine(w.client(hub))
	go broken.watch(func() { here.run(ctx) })
	conf := tui.Config{
		Client: here, Copy: w.clipboard().Copy, Now: w.now, Version: lecternVersion,
		Save: func(name, text string) (string, error) {
			return saveNew(w.savedDir(), name, putText(text))
		},
		Export: w.exportLog, Token: w.showToken, CopyToken: w.copyToken,
		Dark: true, NoColor: w.env("NO_COLOR") != "", Memory: w.panelMemory(), Suspends: suspendable() && !how.spoken,
	}
	var model tea.Model = tui.New(conf)
	if how.spoken {
		model = tui.NewSpeaker(conf, func(line string) { w.say("%s\r\n", line) }) // the terminal is raw
	}
	end, err := w.draw(ctx, model, broken, how)
	here.finish()
	if m, ok := end.(tui.Model); ok {
		w.keepPanelMemory(m.Memory())
	}
	if m, ok := end.(interface{ Farewell() string }); ok && (err == nil || errors.Is(err, errBroke)) {
		w.say("%s\n", m.Farewell())
	}
	return err
}

// draw runs a panel on the terminal until it ends, and leaves that as it was. It
// returns the panel as it was last. To be told to end, by a key or a signal, is
// no error.
func (w *world) draw(ctx context.Context, panel tea.Model, broken *catcher, how manner) (tea.Model, error) {
	options := []tea.ProgramOption{
		tea.WithContext(ctx), tea.WithInput(keyboard{w.in.(*os.File), broken.end}), //nolint:forcetypeassert // isTerminal has looked
		tea.WithOutput(w.out), tea.WithEnvironment(w.environ),
		tea.WithoutSignalHandler(), // ctx ends by them; with two who listen, bubbletea waits for ever
	}
	if how.spoken {
		options = append(options, tea.WithoutRenderer())
		back, err := raw(w.in)
		if err != nil {
			return nil, err
		}
		defer back()
	}
	end, err := tea.NewProgram(caught{panel, broken}, options...).Run()
	if m, ok := end.(caught); ok {
		end = m.model
	}
	if errors.Is(err, tea.ErrInterrupted) || errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil {
		err = nil // told to end
	}
	if fell := w.broke(broken); fell != nil {
		err = fell
	}
	return end, err
}

// A keyboard is a terminal that is read. One that is gone ends the panel, which
// bubbletea takes for nobody typing any more.
type keyboard struct {
	*os.File
	end func()
}

// Read implements io.Reader.
func (k keyboard) Read(p []byte) (int, error) {
	n, err := k.File.Read(p)
	if err != nil {
		k.end()
	}
	return n, err
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
func (w *world) onTerminal() bool {
	kind := w.env("TERM")
	return isTerminal(w.out) && kind != "dumb" && (kind != "" || runtime.GOOS == "windows") // Windows names none
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
