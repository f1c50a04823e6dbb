package pane

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// availableVersion is the version that an update would lead to; empty: none
// that is known.
func availableVersion(s status.Snapshot) string {
	u := s.Update
	switch {
	case u.Available == "" || u.Available == u.Installed:
		return ""
	case u.Installed == "" && u.Available == s.Hub.Version:
		return ""
	default:
		return u.Available
	}
}

// updateVersionsText says what there is besides the version that runs.
func updateVersionsText(s status.Snapshot) string {
	words := ""
	if u := s.Update; u.Installed != "" && u.Installed != s.Hub.Version {
		words += " · " + u.Installed + " installed"
	}
	if v := availableVersion(s); v != "" {
		words += " · " + v + " available, i updates"
	}
	return words
}

// updateKeyIntent is what the key that updates does.
func updateKeyIntent(s status.Snapshot) Intent {
	if availableVersion(s) != "" {
		return IntentFor(status.Action{Verb: status.InstallUpdate})
	}
	return IntentFor(status.Action{Verb: status.CheckUpdate})
}

// isUpdateUnfinished reports whether an update is under way, or failed.
func isUpdateUnfinished(u status.Update) bool {
	return slices.ContainsFunc(u.Steps, func(c status.Check) bool { return c.Result != status.CheckOK && c.Result != status.CheckSkipped })
}

// selfUpdateProgressSection is how far an update is.
func selfUpdateProgressSection(t theme.Theme, u status.Update) widget.Section {
	return widget.Section{Title: "Update", Min: 2, Preferred: len(u.Steps) + 1, Rows: func(w, h int) []string {
		var rows []string
		if u.Total > 0 && u.Done < u.Total {
			rows = append(rows, downloadBar(t, u, w))
		}
		for _, c := range u.Steps {
			glyph, style := t.CheckResultStyle(c.Result)
			rows = append(rows, style.Text(glyph)+" "+t.Text.Text(c.Title)+t.Dim.Text(" "+strings.Join(nonEmpty(c.Detail, c.Fix), " ")))
		}
		return widget.TruncateRows(t, rows, h)
	}}
}

// downloadBar is a bar: how much is there, of how much, and how fast it comes.
func downloadBar(t theme.Theme, u status.Update, w int) string {
	words := fmt.Sprintf(" %s of %s", widget.FormatBytes(int(u.Done)), widget.FormatBytes(int(u.Total)))
	if u.Rate > 0 {
		words += ", " + widget.FormatBytes(int(u.Rate)) + "/s"
	}
	room := max(5, min(40, w-len(words)-2))
	full := int(int64(room) * max(0, min(u.Done, u.Total)) / max(1, u.Total))
	return t.Busy.Text(strings.Repeat("█", full)) + t.Line.Text(strings.Repeat("░", room-full)) + t.Text.Text(words)
}
