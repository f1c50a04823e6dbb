package memo

import (
	"context"
	"encoding/json"
	"maps"
	"regexp"
	"slices"

	"github.com/lectern-mcp/lectern/tools"
)

var tagPattern = regexp.MustCompile(`#[\pL\pN/_-]+`)

// hidesNote says whether the note does not exist for agents. Every way to a note
// asks it: one that does not is found by the suite.
func (m *Memo) hidesNote(t Title, n note) bool {
	return m.privacy.Any() && m.privacy.Hides(tools.Page{
		Path:       string(t),
		Tags:       tagPattern.FindAllString(n.text, -1),
		Properties: map[string][]string{"colour": {string(n.colour)}},
	})
}

// visibleTitles lists the titles that agents see.
func (m *Memo) visibleTitles() []Title {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return slices.DeleteFunc(slices.Sorted(maps.Keys(m.notes)), func(t Title) bool { return m.hidesNote(t, m.notes[t]) })
}

// hiddenError refuses a write onto a hidden note, and one after which the
// agent would not see what it wrote. It is the same sentence for both, so that
// by a title alone nobody learns whether there is a note.
func hiddenError(t Title) error {
	return tools.Errorf(tools.Denied, "notes like %.80q are kept from agents", t).WithHint("Choose another title, or ask the user.")
}

// HidesChange implements [tools.Hider].
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
			return true, nil //nolint:nilerr // what it held is not known
		}
		hidden = hidden || m.hidesNote(t, note{k.Text, k.Colour, k.Revision})
	}
	return hidden, nil
}
