package tui

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// A token is on the screen from a person's yes to the next key, and nowhere
// else; it can be had without ever being there.
func TestTokenIsShown(t *testing.T) {
	const token = "lectern_clients-hunter2"
	desk(t, lively(), func(r *rig) {
		r.press("@Settings", "/", "show the token of the clients", "enter")
		r.shows("••••", "shows it", "copies it unseen")
		r.press("enter")
		r.shows("Show the token of the clients?", "Who sees this screen")
		r.hides(token)
		r.wait(grace)
		r.press("n")
		r.hides(token)
		r.press("enter")
		r.agree()
		r.shows(token)
		if strings.Contains(string(r.m.Memory()), "hunter2") {
			t.Errorf("it is remembered: %s", r.m.Memory())
		}
		r.press("k")
		r.hides(token)
		r.press("enter")
		r.agree()
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
		r.agree()
		r.shows("others can read it")
		r.press("c")
		r.shows("✗ could not copy the token of the clients")
		r.did()
	})
}

// What a new token does is said before: who is shut out now.
func TestNewTokenNamesWhoIsShutOut(t *testing.T) {
	desk(t, lively(), func(r *rig) {
		r.press("@Settings", "/", "new token for the clients", "enter")
		r.shows("cursor-vscode; those that start")
	})
	desk(t, fresh(), func(r *rig) {
		r.press("@Settings", "/", "new token for the clients", "enter")
		r.shows("new one; none")
	})
}
