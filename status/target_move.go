package status

import (
	"fmt"
	"strings"
)

// A TargetMove says of a call that waits that it would move targets: it deletes what it
// creates under another name.
type TargetMove struct {
	From    string `json:"from"` // the first of them
	To      string `json:"to"`
	Count   int    `json:"count"`
	Links   int    `json:"links,omitempty"`   // to them, and in their own texts, that change with them
	Edited  int    `json:"edited,omitempty"`  // of those that move, how many change more of their text than links
	Changed int    `json:"changed,omitempty"` // the other targets that change more than links
}

// Describe says it in words, with the names as short as name makes them: "move A.md to B.md,
// and change 3 links".
func (m TargetMove) Describe(name func(string) string) string {
	text := "move " + name(m.From) + " to " + name(m.To)
	if m.Count > 1 {
		text += fmt.Sprintf(" and %d more", m.Count-1)
	}
	var changes []string
	switch {
	case m.Edited > 0 && m.Count == 1:
		changes = append(changes, "its text")
	case m.Edited > 0:
		changes = append(changes, fmt.Sprintf("the text of %d", m.Edited))
	}
	if m.Links > 0 {
		changes = append(changes, m.LinksText())
	}
	if m.Changed > 0 {
		changes = append(changes, fmt.Sprintf("%d more", m.Changed))
	}
	if len(changes) > 0 {
		text += ", and change " + strings.Join(changes, " and ")
	}
	return text
}

// LinksText says how many links change with it: "3 links"; empty: none does.
func (m TargetMove) LinksText() string {
	switch m.Links {
	case 0:
		return ""
	case 1:
		return "1 link"
	default:
		return fmt.Sprintf("%d links", m.Links)
	}
}
