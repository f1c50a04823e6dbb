// Package taskfields reads what Obsidian Tasks and Dataview write into the text of a task:
// dates, priority and recurrence. It works out the next task of one that recurs.
//
// It opens nothing and knows no clock. Only tools/markdown imports it. Start reading at
// [Parse].
package taskfields

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/lectern-mcp/lectern/tools/markdown/internal/inlinefield"
)

// Fields are what a task says of itself. Dates are written 2026-12-01.
type Fields struct {
	Status     string `json:"status,omitempty" jsonschema:"todo, in progress, done or cancelled, or the state as written"`
	Due        string `json:"due,omitempty" jsonschema:"date"`
	Scheduled  string `json:"scheduled,omitempty" jsonschema:"date"`
	Start      string `json:"start,omitempty" jsonschema:"date"`
	Done       string `json:"done,omitempty" jsonschema:"date"`
	Created    string `json:"created,omitempty" jsonschema:"date"`
	Cancelled  string `json:"cancelled,omitempty" jsonschema:"date"`
	Priority   string `json:"priority,omitempty" jsonschema:"highest to lowest"`
	Recurrence string `json:"recurrence,omitempty" jsonschema:"rule"`
}

// Names of fields, best known first.
func Names() []string {
	return []string{"due", "scheduled", "start", "done", "created", "cancelled", "priority", "recurrence", "status"}
}

// Value is a field by its name.
func (f *Fields) Value(name string) string {
	if at := f.at(name); at != nil {
		return *at
	}
	return ""
}

func (f *Fields) at(name string) *string {
	switch name {
	case "due":
		return &f.Due
	case "scheduled":
		return &f.Scheduled
	case "start":
		return &f.Start
	case "done", "completion":
		return &f.Done
	case "created":
		return &f.Created
	case "cancelled":
		return &f.Cancelled
	case "priority":
		return &f.Priority
	case "recurrence", "repeat":
		return &f.Recurrence
	case "status":
		return &f.Status
	}
	return nil
}

var (
	dated = regexp.MustCompile(`([📅📆🗓⏳⌛🛫✅➕❌])\x{fe0f}? *(\d{4}-\d\d-\d\d)`)
	rule  = regexp.MustCompile(`🔁\x{fe0f}? *([a-zA-Z0-9, !]+)`)
	level = regexp.MustCompile(`[🔺⏫🔼🔽⏬]`)
	// logseqPriority stands at the beginning.
	logseqPriority = regexp.MustCompile(`^\[#([ABC])\]`)
	day            = regexp.MustCompile(`^\d{4}-\d\d-\d\d`)
)

// planned is a date of a block of Logseq, and how the task recurs.
var planned = regexp.MustCompile(`(SCHEDULED|DEADLINE): +<(\d{4}-\d\d-\d\d)[^<>]*?((?:\.\+|\+\+|\+)\d+[hdwmy])?>`)

// Parse reads the text of a task, with its state, the character in its box or a word, and
// with the lines of Logseq that say when it is to be done.
func Parse(text, state, planning string) (f Fields) {
	f.Status = status(state)
	for _, m := range planned.FindAllStringSubmatch(planning, -1) {
		if m[1] == "DEADLINE" {
			f.Due = m[2]
		} else {
			f.Scheduled = m[2]
		}
		f.Recurrence = cmp.Or(f.Recurrence, m[3])
	}
	if m := logseqPriority.FindStringSubmatch(text); m != nil {
		f.Priority = map[string]string{"A": "high", "B": "medium", "C": "low"}[m[1]]
	}
	for _, m := range dated.FindAllStringSubmatch(text, -1) {
		*f.at(dateNames[m[1]]) = m[2]
	}
	if m := rule.FindStringSubmatch(text); m != nil {
		f.Recurrence = strings.TrimSpace(m[1])
	}
	f.Priority = cmp.Or(priorities[level.FindString(text)], f.Priority)
	for _, field := range inlinefield.InLine(text) {
		key := strings.ToLower(field.Key)
		at := f.at(key)
		switch {
		case at == nil || key == "status":
		case key == "priority" || key == "repeat" || key == "recurrence":
			*at = field.Value
		case day.MatchString(field.Value):
			*at = field.Value[:len("2026-12-01")]
		}
	}
	return f
}

var dateNames = map[string]string{
	"📅": "due", "📆": "due", "🗓": "due", "⏳": "scheduled", "⌛": "scheduled", "🛫": "start", "✅": "done", "➕": "created", "❌": "cancelled",
}

var priorities = map[string]string{"🔺": "highest", "⏫": "high", "🔼": "medium", "🔽": "low", "⏬": "lowest"}

func status(state string) string {
	switch state {
	case " ", "TODO", "LATER":
		return "todo"
	case "x", "X", "DONE":
		return "done"
	case "-", "CANCELLED", "CANCELED":
		return "cancelled"
	case "/", "DOING", "NOW", "IN-PROGRESS":
		return "in progress"
	}
	return state
}

// Rank orders priorities, the highest first; one that is not known, or none, is between
// medium and low.
func Rank(priority string) int {
	for i, name := range []string{"highest", "high", "medium", "", "low", "lowest"} {
		if strings.EqualFold(priority, name) {
			return i
		}
	}
	return 3
}
