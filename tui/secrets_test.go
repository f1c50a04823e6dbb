package tui

import (
	"errors"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// A token is on the screen from a person's yes to the next key, and nowhere
// else; it can be had without ever being there.
func TestTokenIsShown(t *testing.T) {
	const token = "lectern_clients-hunter2"
	runPanel(t, lively(), func(r *testPanel) {
		r.press("@Settings", "/", "show the token of the clients", "enter")
		r.shows("••••", "to show", "to copy it without showing it")
		r.press("enter")
		r.shows("Show the token of the clients?", "Anyone who sees this screen")
		r.hides(token)
		r.wait(keyIgnoreDuration)
		r.press("n")
		r.hides(token)
		r.press("enter")
		r.confirm()
		r.shows(token)
		if strings.Contains(string(r.m.StateToSave()), "hunter2") {
			t.Errorf("it is remembered: %s", r.m.StateToSave())
		}
		r.press("k")
		r.hides(token)
		r.press("enter")
		r.confirm()
		r.press("@Logs", "@Settings")
		r.hides(token)
		r.press("c")
		r.shows("the token of the clients: copied with pigeon")
		if !slices.Equal(r.copied, []string{"token of clients"}) {
			t.Errorf("copied %q", r.copied)
		}
		r.hides(token)
		r.cannot = errors.New("read token: others can read it; run chmod 600")
		r.press("enter")
		r.confirm()
		r.shows("others can read it")
		r.press("c")
		r.shows("✗ cannot copy the token of the clients")
		r.did()
	})
}

// A caller that leaves the pane leaves no token behind, however they leave, and one
// that is read too late is not shown to who comes back.
func TestTokenIsHiddenFromWhoComesBack(t *testing.T) {
	const token = "lectern_clients-hunter2"
	runPanel(t, lively(), func(r *testPanel) {
		r.press("@Settings", "/", "show the token of the clients", "enter")
		reveal := func() {
			t.Helper()
			r.press("enter")
			r.confirm()
			r.shows(token)
		}
		reveal()
		r.clickOn(0, r.number("Logs")+" ")
		r.hides("Show the token")
		r.clickOn(0, r.number("Settings")+" ")
		r.shows("••••")
		r.hides(token)

		reveal()
		r.send(tea.WindowSizeMsg{Width: 100, Height: 30})
		r.shows(token)
		r.send(tea.WindowSizeMsg{Width: 80, Height: 24})
		r.press("ctrl+p", "esc")
		r.hides(token)

		r.press("enter")
		r.wait(keyIgnoreDuration)
		r.update(tea.KeyPressMsg{Code: 'y', Text: "y"}) // the token is on its way
		r.update(tea.KeyPressMsg{Code: '1', Text: "1"})
		r.settle()
		r.clickOn(0, r.number("Settings")+" ")
		r.shows("••••")
		r.hides(token)
	})
}

// What a new token does is said before: who is shut out now.
func TestNewTokenNamesWhoIsShutOut(t *testing.T) {
	runPanel(t, lively(), func(r *testPanel) {
		r.press("@Settings", "/", "rotate the token of the clients", "enter")
		r.shows("cursor-vscode). Clients that use")
	})
	runPanel(t, fresh(), func(r *testPanel) {
		r.press("@Settings", "/", "rotate the token of the clients", "enter")
		r.shows("none is connected now")
	})
}
