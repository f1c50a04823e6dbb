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
	Edited  int    `json:"edited,omitempty"`  // of those, how many change their text, too
	Changed int    `json:"changed,omitempty"` // the other targets that change, such as those with links
}

// Describe says it in words, with the names as short as name makes them: "move A.md to B.md,
// and change 3 more".
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
	if m.Changed > 0 {
		changes = append(changes, fmt.Sprintf("%d more", m.Changed))
	}
	if len(changes) > 0 {
		text += ", and change " + strings.Join(changes, " and ")
	}
	return text
}
