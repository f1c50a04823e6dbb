package memo

import (
	"context"
	"fmt"
	"strings"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// checks are what `lectern doctor memo` looks at, for each source. A System that
// talks to a server would check its address, its certificate and its key.
func checks() []tools.Check[*Memo] {
	return []tools.Check[*Memo]{
		{Name: "words", Title: "Every note has words", Look: (*Memo).checkWords},
	}
}

// checkWords only reads. A Check that needs a person to do something first asks
// them by d.Ask, and one that tries to write looks at d.MayWrite.
func (m *Memo) checkWords(ctx context.Context, _ tools.Doctor) status.Check {
	titles, empty := m.visibleTitles(), 0
	for _, t := range titles {
		if ctx.Err() != nil {
			return status.Check{Result: status.CheckSkipped, Detail: "stopped before all notes were read"}
		}
		if n, _ := m.note(t); strings.TrimSpace(n.text) == "" {
			empty++
		}
	}
	if empty > 0 {
		return status.Check{
			Result: status.CheckWarn, Detail: fmt.Sprintf("%d of %d notes have no words", empty, len(titles)),
			Fix: "Write something in them, or delete them.",
		}
	}
	return status.Check{Result: status.CheckOK, Detail: fmt.Sprintf("%d notes", len(titles))}
}
