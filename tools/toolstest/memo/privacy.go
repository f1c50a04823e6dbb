package memo

import (
	"context"
	"encoding/json"
	"maps"
	"regexp"
	"slices"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

var tagPattern = regexp.MustCompile(`#[\pL\pN/_-]+`)

// hidesNote reports whether a note is hidden from agents. Every tool, resource and
// prompt must ask it; the suite finds those that do not.
func (m *Memo) hidesNote(t Title, n note) bool {
	return m.privacy.Any() && m.privacy.Hides(describeNote(t, n))
}

func describeNote(t Title, n note) tools.Page {
	return tools.Page{
		Path:       string(t),
		Tags:       tagPattern.FindAllString(n.text, -1),
		Properties: map[string][]string{"colour": {string(n.colour)}},
	}
}

// CountHiddenPages implements [tools.HiddenPageCounter].
func (m *Memo) CountHiddenPages(context.Context) (status.HiddenPages, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	count := tools.NewPrivacyCount(m.privacy)
	for t, n := range m.notes {
		count.Add(describeNote(t, n), m.hidesNote(t, n))
	}
	return count.Pages(), nil
}

// visibleTitles lists the titles that agents may see.
func (m *Memo) visibleTitles() []Title {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return slices.DeleteFunc(slices.Sorted(maps.Keys(m.notes)), func(t Title) bool { return m.hidesNote(t, m.notes[t]) })
}

// hiddenError refuses to overwrite a hidden note, and to write a note that would
// be hidden. Both have the same message, so that an agent cannot find out
// whether a hidden note exists.
func hiddenError(t Title) error {
	return tools.HiddenError("notes like %.80q are hidden from agents", t).WithHint("Choose another title, or ask the user.")
}

// HidesChange implements [tools.ChangeFilter].
func (m *Memo) HidesChange(_ context.Context, c tools.Change) (bool, error) {
	t := Title(c.Target)
	states := []tools.State{m.state(t), c.Before, c.After}
	hidden := m.hidesNote(t, note{})
	for _, s := range states {
		if !s.Exists {
			continue
		}
		var k noteState
		if err := json.Unmarshal(s.Data, &k); err != nil {
			return true, nil //nolint:nilerr // hidden when in doubt
		}
		hidden = hidden || m.hidesNote(t, note{text: k.Text, colour: k.Colour})
	}
	return hidden, nil
}
