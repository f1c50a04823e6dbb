package journal

import (
	"strings"

	"github.com/lectern-mcp/lectern/tools"
)

// A movedTarget is the other Change of a move: what a Change that creates a target moved there, or what
// became of the one that it deletes.
type movedTarget struct {
	seq   int64
	name  string
	links int // that the call changed with its moves; 0 of all but the first target that it created
}

// Bounds of the Changes of one call that are compared to find what it moved, of the contents that are
// read for that, and of the calls whose moves are kept.
const (
	maxMoveRows    = 1000
	maxMoveBytes   = 2 << 20
	maxCachedMoves = 1000
)

// mayBeMoved reports whether v may be half of a move: it creates or deletes a target that is no folder.
func (v changeRow) mayBeMoved() bool {
	return v.Before.Exists != v.After.Exists && !v.AfterUnknown && !strings.HasSuffix(v.Target, "/")
}

// otherOfMove is the other half of the move that v is half of; false: it is none. The caller holds mu.
func otherOfMove(d *database, v changeRow) (movedTarget, bool, error) {
	if !v.mayBeMoved() {
		return movedTarget{}, false, nil
	}
	moves, cached := d.moves[v.call]
	if !cached {
		var settled bool
		var err error
		if moves, settled, err = findCallMoves(d, v.call); err != nil {
			return movedTarget{}, false, err
		}
		if len(d.moves) >= maxCachedMoves || d.moves == nil {
			d.moves = map[int64]map[int64]movedTarget{}
		}
		if settled {
			d.moves[v.call] = moves
		}
	}
	other, ok := moves[v.seq]
	return other, ok, nil
}

// findCallMoves are the moves of a call, by the numbers of their Changes. It is settled if every Change of
// the call is known to have happened.
func findCallMoves(d *database, call int64) (moves map[int64]movedTarget, settled bool, err error) {
	rows, err := d.readChangeRows("call = ? ORDER BY seq LIMIT ?", call, maxMoveRows)
	if err != nil {
		return nil, false, err
	}
	settled, created, deleted, size := true, 0, 0, 0
	for _, v := range rows {
		settled = settled && v.outcome != ""
		size += v.beforeSize + v.afterSize
		switch {
		case !v.mayBeMoved():
		case v.After.Exists:
			created++
		default:
			deleted++
		}
		if v.cannotUndo != "" { // the contents may be gone
			return nil, settled, nil
		}
	}
	if created == 0 || deleted == 0 {
		return nil, settled, nil
	}
	changes := make([]tools.Change, len(rows))
	for i := range rows {
		if size > maxMoveBytes { // the names of the contents tell which are equal
			rows[i].Before.Data, rows[i].After.Data = rows[i].beforeBlob, rows[i].afterBlob
		} else if err := d.loadContents(&rows[i]); err != nil {
			return nil, false, err
		}
		changes[i] = rows[i].Change
	}
	return describeCallMoves(rows, changes, size <= maxMoveBytes), settled, nil
}

// describeCallMoves are the moves among the Changes of a call, with how many links changed if the contents
// were read.
func describeCallMoves(rows []changeRow, changes []tools.Change, read bool) map[int64]movedTarget {
	found, links := tools.FindTargetMoves(changes), 0
	moves := map[int64]movedTarget{}
	for _, m := range found {
		moves[rows[m.From].seq] = movedTarget{seq: rows[m.To].seq, name: rows[m.To].Target}
		moves[rows[m.To].seq] = movedTarget{seq: rows[m.From].seq, name: rows[m.From].Target}
		if n, _ := tools.EditedLinks(changes, found, changes[m.From].Before.Data, changes[m.To].After.Data); read {
			links += n
		}
	}
	if len(found) == 0 || !read {
		return moves
	}
	for _, c := range changes {
		if c.Before.Exists && c.After.Exists && !c.AfterUnknown {
			n, _ := tools.EditedLinks(changes, found, c.Before.Data, c.After.Data)
			links += n
		}
	}
	first := moves[rows[found[0].To].seq]
	first.links = links
	moves[rows[found[0].To].seq] = first
	return moves
}

// diffOfMove is the diff between what a target held before it was moved and holds since. The caller
// holds mu.
func diffOfMove(d *database, v changeRow, other movedTarget, limit int) (string, error) {
	rows, err := d.readChangeRows("seq = ?", other.seq)
	if err != nil || len(rows) == 0 {
		return v.diff(limit), err
	}
	o := rows[0]
	if err := d.loadContents(&o); err != nil {
		return "", err
	}
	from, to := o, v
	if v.Before.Exists {
		from, to = v, o
	}
	headline := "moved from " + from.Target + " to " + to.Target + "\n"
	text := unifiedDiffOfNames(from.Target, to.Target, from.Before, to.After, limit)
	if text == "" {
		text = "its text stayed the same\n"
	}
	return headline + text, nil
}
