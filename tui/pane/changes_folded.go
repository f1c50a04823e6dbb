package pane

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// A foldedChange is a row of the changes: the changes of one session to one target,
// folded into the newest, or a single one.
type foldedChange struct {
	status.Change
	older []string // the IDs of the others, newest first
	left  string   // the ID of the Change that deleted what this one moved; empty: none did
	inner bool     // it stands below the run that it belongs to
}

// ids are those of the changes of r, the newest first.
func (r foldedChange) ids() []string {
	ids := append([]string{r.ID}, r.older...)
	if r.left != "" {
		ids = append(ids, r.left)
	}
	return ids
}

// foldGroupID is what the changes of a run have in common: what was undone is no row with
// what stands.
func foldGroupID(c status.Change) string {
	return strings.Join([]string{c.Session, c.Source, c.Target, strconv.FormatBool(c.Outcome == status.Undone)}, "\x00")
}

// arrangeRows is b with its rows: by session in the order in which sessions became
// known, the newest first, so that no group moves while it is read; below that by
// target unless it was unfolded. A filter selects changes and unfolds nothing.
func (b changeCache) arrangeRows() changeCache {
	b.sessions = mergeSessionOrder(b.sessions, b.changes)
	rank := map[string]int{}
	for i, s := range b.sessions {
		rank[s] = i
	}
	bySession := make([][]status.Change, len(b.sessions))
	for _, c := range b.changes {
		bySession[rank[c.Session]] = append(bySession[rank[c.Session]], c)
	}
	b.indexByID = make(map[string]int, len(b.changes))
	for i := range b.changes {
		b.indexByID[b.changes[i].ID] = i
	}
	changes := slices.Concat(bySession...)
	want := strings.TrimSpace(b.filter.Value())
	b.runs = make([]foldedChange, 0, len(changes))
	heads, left := map[string]int{}, movedChangeIDs(changes)
	changes = status.MergeMoves(changes)
	b.count = len(changes)
	for _, c := range changes {
		if want != "" && widget.FuzzyScore(changeSearchText(c), want) == 0 {
			continue
		}
		key := foldGroupID(c)
		head, more := heads[key]
		switch {
		case more && c.Undoes == "" && b.runs[head].Undoes == "" && c.MovedFrom == "":
			b.runs[head].older = append(b.runs[head].older, c.ID)
		default:
			heads[key] = len(b.runs)
			b.runs = append(b.runs, foldedChange{Change: c, left: left[[2]string{c.Call, c.MovedFrom}]})
		}
	}
	return b.insertUnfoldedRows()
}

// movedChangeIDs are the IDs of the Changes that delete what was moved, by their calls and targets.
func movedChangeIDs(changes []status.Change) map[[2]string]string {
	ids := map[[2]string]string{}
	for i := range changes {
		if c := &changes[i]; c.MovedTo != "" {
			ids[[2]string{c.Call, c.Target}] = c.ID
		}
	}
	return ids
}

// insertUnfoldedRows lists the changes of the runs that are unfolded below them.
func (b changeCache) insertUnfoldedRows() changeCache {
	rows := make([]foldedChange, 0, len(b.runs))
	for _, r := range b.runs {
		rows = append(rows, r)
		if !b.unfolded[foldGroupID(r.Change)] {
			continue
		}
		for _, id := range r.older {
			if c, ok := b.get(id); ok {
				rows = append(rows, foldedChange{Change: c, inner: true})
			}
		}
	}
	b.runs, b.rowByID = rows, make(map[string]int, len(b.changes))
	for i := range slices.Backward(rows) { // a row of its own stands below the one that it is folded into
		for _, id := range rows[i].older {
			b.rowByID[id] = i
		}
	}
	for i := range rows {
		b.rowByID[rows[i].ID] = i
		if rows[i].left != "" {
			b.rowByID[rows[i].left] = i
		}
	}
	return b
}

// changeSearchText is what the filter searches.
func changeSearchText(c status.Change) string {
	return c.MovedFrom + " " + c.MovedTo + " " + c.Target + " " + c.Client + " " + c.Source + " " + c.Action + " " + c.Tool
}

// mergeSessionOrder is known with the sessions of changes that are not in it: those of
// changes that are newer than all that is known at its front, others at its end.
func mergeSessionOrder(known []string, changes []status.Change) []string {
	var newer, older []string
	met := false
	for _, c := range changes {
		switch {
		case slices.Contains(known, c.Session):
			met = true
		case slices.Contains(newer, c.Session), slices.Contains(older, c.Session):
		case met || len(known) == 0:
			older = append(older, c.Session)
		default:
			newer = append(newer, c.Session)
		}
	}
	return slices.Concat(newer, known, older)
}

// withFilter is b with another filter.
func (b changeCache) withFilter(f widget.FilterInput) changeCache {
	b.filter = f
	return b.arrangeRows()
}

// filterStatusText says what is filtered; empty: nothing.
func (b changeCache) filterStatusText() string {
	if b.filter.Value() == "" {
		return ""
	}
	return fmt.Sprintf("/%s · %s", b.filter.Value(), widget.CountWithNoun(len(b.runs), "row"))
}

// foldOrUnfold folds or unfolds the run with this ID; false: it is none.
func (b changeCache) foldOrUnfold(id string, fold bool) (changeCache, bool) {
	i := b.rowIndex(id)
	if i < 0 {
		return b, false
	}
	for b.runs[i].inner && i > 0 {
		i--
	}
	key := foldGroupID(b.runs[i].Change)
	if len(b.runs[i].older) == 0 || b.unfolded[key] != fold {
		return b, false
	}
	unfolded := map[string]bool{}
	maps.Copy(unfolded, b.unfolded)
	unfolded[key] = !fold
	b.unfolded = unfolded
	return b.arrangeRows(), true
}
