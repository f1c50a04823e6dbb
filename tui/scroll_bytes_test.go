package tui

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/status/statustest"
)

// maxScrollBytes is what a line of a long list may cost on its way to a terminal: 20
// lines a second are 20 KB a second then, which a slow connection carries.
const maxScrollBytes = 1 << 10

// TestScrollBytes: who scrolls through a long list sends little over a slow line, in
// every pane that has one, in a wide terminal and in a usual one.
func TestScrollBytes(t *testing.T) {
	for i, size := range [][2]int{{80, 24}, {140, 45}, {220, 60}} {
		if !runtest.InSample(i, 3, 4) {
			continue
		}
		for _, name := range []string{"Sources", "Activity", "Changes", "Clients", "Tools", "Logs", "Doctor", "Settings"} {
			t.Run(fmt.Sprintf("%dx%d/%s", size[0], size[1], name), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					bytes := scrollBytes(t, name, size[0], size[1])
					t.Logf("%d bytes a line", bytes)
					if bytes > maxScrollBytes {
						t.Errorf("%s at %dx%d: %d bytes a line, at most %d wanted", name, size[0], size[1], bytes, maxScrollBytes)
					}
				})
			})
		}
	}
}

// scrollBytes is how many bytes a key that goes one line on writes, on average.
func scrollBytes(t *testing.T, name string, w, h int) int {
	t.Helper()
	began := time.Now()
	hub, queries, terminal := &statustest.Fake{}, longQueries(), &countingTerminal{}
	hub.Set(longSnapshot())
	m := New(Config{Client: queries.client(hub), Version: "0.1.0", Now: func() time.Time { return noon.Add(time.Since(began)) }})
	m.wizardOffered = true
	p := tea.NewProgram(m, tea.WithInput(nil), tea.WithOutput(terminal), tea.WithoutSignalHandler(), tea.WithWindowSize(w, h),
		tea.WithEnvironment([]string{"TERM=xterm-256color"}))
	done := make(chan error)
	go func() {
		_, err := p.Run()
		done <- err
	}()
	press := func(key rune) {
		p.Send(tea.KeyPressMsg{Code: key, Text: string(key)})
		time.Sleep(time.Second) // the bubble's time
		synctest.Wait()
	}
	for i, pane := range m.tabs.all {
		if pane.Name == name {
			press(rune('1' + i))
		}
	}
	time.Sleep(5 * time.Second) // the bubble's time: what the pane wants to know comes
	for i := range 500 {        // the hub keeps fewer of them than the panel
		hub.AddLine(status.Line{
			Time: noon.Add(time.Duration(i-500) * time.Second), Component: "hub", Text: fmt.Sprintf("call done tool=read_page session=s%d page=Daily/%d.md", i%9, i*7),
		})
		if i%50 == 49 {
			time.Sleep(time.Second) // the bubble's time
		}
	}
	key := 'j'
	if name == "Logs" {
		key = 'k' // it begins at its end
	}
	for range h { // to the middle of the list, where it begins to scroll
		press(key)
	}
	const lines = 100
	before := terminal.bytes.Load()
	for range lines {
		press(key)
	}
	sent := int(terminal.bytes.Load() - before)
	if sent == 0 {
		t.Errorf("%s: %d keys move nothing", name, lines)
	}
	p.Send(tea.KeyPressMsg{Code: 'q', Text: "q"})
	if err := <-done; err != nil {
		t.Error(err)
	}
	time.Sleep(time.Minute) // for the ticks that are on their way
	return sent / lines
}

// longSnapshot has 300 sources and as many agents.
func longSnapshot() status.Snapshot {
	s := nothingWaits(lively())
	for i := range 300 {
		s.Sources = append(s.Sources, status.Source{
			Component: status.Component{Name: fmt.Sprintf("source-%d", i), State: status.Ready, Since: noon}, Kind: "markdown",
			Location: fmt.Sprintf("/home/ada/notes/%d", i*7), Effects: []string{"read"}, Tools: 10, Calls: uint64(i * 3),
		})
		s.Sessions = append(s.Sessions, status.Session{
			Component: status.Component{Name: fmt.Sprintf("s%d", i), State: status.Ready}, Client: fmt.Sprintf("agent-%d", i*7), Version: "1.0",
			Transport: status.Stdio, Calls: uint64(i * 3), LastCall: noon.Add(-time.Duration(i) * time.Second), LastTool: "read_page",
		})
	}
	return s
}

// longQueries answers with some hundred rows for each list.
func longQueries() *fakeQueries {
	c := filledQueries()
	tools, checks, settings := c.tools, c.checks, c.settings
	for i := range 300 {
		at := noon.Add(-time.Duration(i*37) * time.Second)
		c.calls <- status.Call{
			Seq: uint64(100 + i), ID: int64(100_000 + i), Time: at, Client: fmt.Sprintf("agent-%d", i%9), Source: "notes", Tool: "read_page", Effect: "read",
			Targets: []string{fmt.Sprintf("Daily/Page %d.md", i*7)}, Duration: time.Duration(i*137) * time.Microsecond, ResponseBytes: i * 91,
		}
		c.changes = append(c.changes, status.Change{
			ID: fmt.Sprintf("x%d", i), Time: at, Client: "codex", Session: fmt.Sprint(i / 20), Source: "notes", Tool: "write_page",
			Target: fmt.Sprintf("Daily/Page %d.md", i*7), Action: "update", Outcome: status.Written, Before: i, After: i * 3,
		})
		for _, tool := range tools[:1] {
			tool.Name, tool.Bytes = fmt.Sprintf("tool_%d", i), 500+i
			c.tools = append(c.tools, tool)
		}
		for _, check := range checks[:1] {
			check.Name = fmt.Sprintf("check %d", i)
			c.checks = append(c.checks, check)
		}
		for _, setting := range settings[:1] {
			setting.Key = fmt.Sprintf("key.%d", i)
			c.settings = append(c.settings, setting)
		}
	}
	return c
}
