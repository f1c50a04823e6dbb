package tui

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/lectern-mcp/lectern/status"
)

// Tab completes a path as far as it is certain, shows what goes on, and leaves the
// field only at a folder.
func TestPathCompletion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTestPanel(t, crowded(), 100, 40)
		r.press("@Sources", "a")
		field := func(want string) {
			t.Helper()
			r.shows("▸ folder     " + want)
		}
		r.press("tab")
		field("~/")
		r.shows("Documents/  Downloads/  会議/")
		r.press("D")
		r.shows("Documents/  Downloads/")
		r.hides("会議/")
		r.press("tab")
		field("~/Do")
		r.press("tab") // several go on
		field("~/Do")
		r.press("c", "tab")
		field("~/Documents/")
		r.shows("Garden/  Garden paths/")
		r.press("G", "tab")
		field("~/Documents/Garden")
		r.press("x")
		r.hides("Garden paths/")
		r.press("tab")
		field("~/Documents/Gardenx")
		r.shows("Nothing on this machine begins with ~/Documents/Gardenx.")
		r.press("backspace")
		r.hides("Nothing on this machine")
		r.press("tab") // it is a folder, though another name begins so
		r.shows("▸ name")
		r.press("shift+tab")
		r.press("/", "tab")
		field("~/Documents/Garden/Attachments/")
		r.press("tab")
		r.shows("▸ name")
		r.press("enter")
		r.confirm()
		r.did(status.Action{Verb: status.AddSource, Source: &status.NewSource{Location: "~/Documents/Garden/Attachments/"}})

		// What is not absolute is looked for at home.
		r = newTestPanel(t, crowded(), 100, 40)
		r.press("@Sources", "a", "Dow", "tab")
		field("~/Downloads/")
	})
}

// A file is a path too where a secret is in one, and other text is none.
func TestPathCompletionOfFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTestPanel(t, crowded(), 100, 40)
		r.press("@Sources", "a", "up", "left", "down", "x", "tab", "file:~/k", "tab")
		r.shows("▸ key        file:~/key")
		r.press("tab")
		r.shows("▸ watch")
	})
}

// Where nothing answers, Tab goes on to the next field, at once or when that is known.
func TestPathCompletionWithoutAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTestPanel(t, crowded(), 100, 40)
		r.press("@Sources", "a")
		r.queries.fail(errors.New("no"))
		r.press("/x", "tab")
		r.shows("▸ name")
	})
}
