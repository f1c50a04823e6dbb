package main

import (
	"context"
	"os"

	tea "charm.land/bubbletea/v2"
)

// brittle is a panel that breaks at a place when a key is pressed.
type brittle struct {
	at     string
	pushed bool
	beside func(func())
}

func (m brittle) Init() tea.Cmd { return nil }

func (m brittle) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if _, ok := msg.(tea.KeyPressMsg); !ok {
		return m, nil
	}
	m.pushed = true
	breaks := func() tea.Msg { return m.breaks() }
	switch m.at {
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

func (m brittle) breaks() tea.Msg {
	return []int{}[len(m.at)]
}

func (m brittle) View() tea.View {
	if m.pushed && m.at == "view" {
		m.breaks()
	}
	v := tea.NewView("brittle")
	v.AltScreen, v.MouseMode = true, tea.MouseModeCellMotion
	return v
}

func (m brittle) Farewell() string { return "Farewell." }

// playBrittle is lectern with a panel that breaks.
func playBrittle() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c, err := newCLI(os.Stdin, os.Stdout, os.Stderr, os.Environ())
	if err != nil {
		panic(err)
	}
	guard := &panicGuard{cancel: cancel}
	_, err = runProgram(ctx, c, brittle{at: os.Args[1], beside: guard.run}, guard, panelFlags{})
	cancel()
	os.Exit(reportError(os.Stderr, err))
}
