package main

import (
	"context"
	"os"

	tea "charm.land/bubbletea/v2"
)

// crashingPanel is a panel that panics at a stage when a key is pressed.
type crashingPanel struct {
	stage  string
	pushed bool
	beside func(func())
}

func (m crashingPanel) Init() tea.Cmd { return nil }

func (m crashingPanel) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if _, ok := msg.(tea.KeyPressMsg); !ok {
		return m, nil
	}
	m.pushed = true
	breaks := func() tea.Msg { return m.crash() }
	switch m.stage {
	case "update":
		breaks()
	case "command":
		return m, breaks
	case "batch":
		return m, tea.Batch(func() tea.Msg { return nil }, breaks)
	case "beside":
		go m.beside(func() { breaks() })
	}
	return m, nil
}

func (m crashingPanel) crash() tea.Msg {
	return []int{}[len(m.stage)]
}

func (m crashingPanel) View() tea.View {
	if m.pushed && m.stage == "view" {
		m.crash()
	}
	v := tea.NewView("about to crash")
	v.AltScreen, v.MouseMode = true, tea.MouseModeCellMotion
	return v
}

func (m crashingPanel) ExitMessage() string { return "Farewell." }

// runCrashingPanel is lectern with a panel that panics.
func runCrashingPanel() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c, err := newCLI(os.Stdin, os.Stdout, os.Stderr, os.Environ())
	if err != nil {
		panic(err)
	}
	guard := &panicGuard{cancel: cancel}
	_, err = runPanelProgram(ctx, c, crashingPanel{stage: os.Args[1], beside: guard.run}, guard, panelFlags{})
	cancel()
	os.Exit(reportError(os.Stderr, err))
}
