package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"

	tea "charm.land/bubbletea/v2"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/thismachine"
	"github.com/lectern-mcp/lectern/installer/update"
	"github.com/lectern-mcp/lectern/internal/atomicfile"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/supervisor"
	"github.com/lectern-mcp/lectern/tui"
)

// panelFlags say in which form the panel is shown.
type panelFlags struct{ plain, screenReader, setup bool }

func (f *panelFlags) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.plain, "plain", false, "print the status as text and exit")
	cmd.Flags().BoolVar(&f.screenReader, "screen-reader", false, "show the panel as plain lines that are only appended")
}

// runPanel is `lectern` without a command: the control panel in a terminal, the
// same as text elsewhere.
func runPanel(ctx context.Context, c *cli, f panelFlags) error {
	if f.plain || !isTerminal(c.in) || !f.screenReader && !c.hasScreen() {
		return printPanel(ctx, c)
	}
	ctx, cancel := contextUntilHangUp(ctx)
	defer cancel()
	guard := &panicGuard{cancel: cancel}
	hub := thismachine.NewHubSupervisor(c.App, supervisor.DefaultRestartPolicy())
	go guard.run(func() { hub.Run(ctx) })
	here := c.newMachine(hub.API())
	go guard.run(func() { here.RunScanLoop(ctx) })
	clipboard := thismachine.NewClipboard(c.App, c.out)
	memory, _ := os.ReadFile(c.Paths.PanelState()) // without it the panel starts with its defaults
	conf := tui.Config{
		Client: here, Copy: clipboard.Copy, Now: c.Now, Version: c.Version,
		Save:   func(name, text string) (string, error) { return thismachine.SaveText(c.Paths.SavedFiles(), name, text) },
		Export: func(ctx context.Context) (string, int, error) { return thismachine.ExportLog(ctx, c.App, "") },
		Token: func(target string) (string, error) {
			text, _, err := thismachine.ReadToken(c.App, target)
			return text, err
		},
		Edit: func(name, text string, done func(string, error) tea.Msg) tea.Cmd {
			return editTextFromPanel(ctx, c, name, text, done)
		},
		CopyToken: func(target string) (string, error) { return thismachine.CopyToken(c.App, clipboard, target) },
		EditFile:  func(file string, done func(error) tea.Msg) tea.Cmd { return editFileFromPanel(ctx, c, file, done) },
		Notify:    func(text string) string { return notificationSequence(runtime.GOOS, c.Getenv, text) },
		NoColor:   c.Getenv("NO_COLOR") != "", ASCII: isASCIILocale(c.Getenv), Memory: memory, Suspends: canSuspendProcess() && !f.screenReader,
		Setup: f.setup,
	}
	var model tea.Model = tui.New(conf)
	if f.screenReader {
		model = tui.NewScreenReader(conf, func(line string) { c.printf("%s\r\n", line) }) // the terminal is in raw mode
	}
	end, err := runPanelProgram(ctx, c, model, guard, f)
	here.StopUpdate()
	if m, ok := end.(tui.Model); ok {
		_ = atomicfile.WriteFile(c.Paths.PanelState(), m.StateToSave(), 0o600)
	}
	if m, ok := end.(interface{ ExitMessage() string }); ok && (err == nil || errors.Is(err, errPanelCrashed)) {
		c.printf("%s\n", sanitizeText(m.ExitMessage()))
	}
	return err
}

// newMachine is the panel's side of this computer.
func (c *cli) newMachine(hub status.Client) *thismachine.Machine {
	return thismachine.New(thismachine.Config{
		App: c.App, Hub: hub, Check: c.newDoctor().Check,
		Updates: func() (update.Config, error) { return c.selfUpdateConfig(slog.New(slog.DiscardHandler)) },
		Warn:    func(text string) { c.warnf("%s\n", text) },
	})
}

// runPanelProgram runs a panel on the terminal until it ends, restores the terminal,
// and returns the panel in its last state. Being told to end, by a key or a
// signal, is no error.
func runPanelProgram(ctx context.Context, c *cli, panel tea.Model, guard *panicGuard, f panelFlags) (tea.Model, error) {
	options := []tea.ProgramOption{
		tea.WithContext(ctx), tea.WithInput(terminalInput{c.in.(*os.File), guard.cancel}), //nolint:forcetypeassert // isTerminal has checked
		tea.WithOutput(c.out), tea.WithEnvironment(c.Environ),
		tea.WithoutSignalHandler(), // signals end ctx; with a second handler bubbletea hangs
	}
	if f.screenReader {
		options = append(options, tea.WithoutRenderer())
		restore, err := makeRaw(c.in)
		if err != nil {
			return nil, err
		}
		defer restore()
	}
	var shown tea.Model = guardedModel{panel, guard}
	if !f.screenReader {
		shown = &frameLimiter{model: shown, now: c.Now}
	}
	end, err := tea.NewProgram(shown, options...).Run()
	if m, ok := end.(*frameLimiter); ok {
		end = m.model
	}
	if m, ok := end.(guardedModel); ok {
		end = m.model
	}
	if errors.Is(err, tea.ErrInterrupted) || errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil {
		err = nil // told to end
	}
	if crash := saveCrashReport(c.App, guard); crash != nil {
		err = crash
	}
	return end, err
}

// A terminalInput is a terminal that is read. When the terminal is gone it ends the
// panel; bubbletea would go on without input.
type terminalInput struct {
	*os.File
	end func()
}

// Read implements io.Reader.
func (k terminalInput) Read(p []byte) (int, error) {
	n, err := k.File.Read(p)
	if err != nil {
		k.end()
	}
	return n, err
}

// makeRaw makes a terminal deliver keys as they are pressed, which bubbletea
// does itself only when it draws.
func makeRaw(in any) (restore func(), err error) {
	f := in.(*os.File) //nolint:forcetypeassert // isTerminal has checked
	state, err := term.MakeRaw(int(f.Fd()))
	if err != nil {
		return nil, fmt.Errorf("read keys: %w", err)
	}
	return func() { _ = term.Restore(int(f.Fd()), state) }, nil // the process is about to exit
}

// printPanel starts a hub if necessary and prints what the panel shows first.
func printPanel(ctx context.Context, c *cli) error {
	conn, _, err := c.connectToHub(ctx)
	if err != nil {
		return err
	}
	if err := conn.Close(); err != nil {
		return fmt.Errorf("connect to hub: %w", err)
	}
	snap, err := c.hub().SnapshotAfterOpen(ctx)
	if err != nil {
		return err
	}
	if err := c.printStatus(snap); err != nil {
		return err
	}
	c.printf("\nTo connect an agent:\n")
	for _, s := range snap.Snippets {
		c.printf("\n")
		c.printSnippet(s)
	}
	c.printf("\nTo open your own notes:   lectern source add PATH\n" +
		"To see the status again:  lectern status\n" +
		"To stop the hub:          lectern hub stop\n" +
		"For the control panel, run lectern in a terminal. For all commands: lectern --help\n")
	return nil
}
