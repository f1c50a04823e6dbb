package tools

import (
	"bytes"
	"cmp"
	"net/url"
	"path"
	"slices"
	"strings"
)

// A TargetMove says which of several Changes deletes what which one creates under another name, with
// the same text or at least half of its lines.
type TargetMove struct{ From, To int }

// maxComparedTargets bounds the targets that [FindTargetMoves] compares with each other, and
// maxComparedLineBytes the texts that it compares line by line.
const (
	maxComparedTargets   = 1000
	maxComparedLineBytes = 32 << 20
)

// FindTargetMoves finds the targets that changes move, in the order in which they are deleted. Folders,
// whose names end with a slash, and Changes with AfterUnknown move nothing.
func FindTargetMoves(changes []Change) (moves []TargetMove) {
	var gone, made []int
	for i, c := range changes {
		switch {
		case strings.HasSuffix(c.Target, "/") || c.AfterUnknown || c.Before.Exists == c.After.Exists:
		case c.Before.Exists:
			gone = append(gone, i)
		default:
			made = append(made, i)
		}
	}
	moves, gone, made = findUnchangedMoves(changes, gone, made)
	if len(gone) > maxComparedTargets || len(made) > maxComparedTargets {
		return moves
	}
	for _, find := range []func([]Change, int, []int, bool) int{findSameText, findSimilarText} {
		left := gone[:0:0]
		for _, from := range gone {
			at := find(changes, from, made, len(gone) == 1 && len(made) == 1)
			if at < 0 {
				left = append(left, from)
				continue
			}
			moves = append(moves, TargetMove{from, made[at]})
			made = slices.Delete(made, at, at+1)
		}
		gone = left
	}
	slices.SortFunc(moves, func(a, b TargetMove) int { return cmp.Compare(a.From, b.From) })
	return moves
}

// findUnchangedMoves finds those that keep their text and the name after the last slash, as
// most do when a folder moves, however many there are. gone and made are what is left.
func findUnchangedMoves(changes []Change, gone, made []int) (moves []TargetMove, goneLeft, madeLeft []int) {
	type unchanged struct{ name, text string }
	key := func(c Change, s State) unchanged { return unchanged{path.Base(c.Target), string(s.Data)} }
	to := map[unchanged][]int{}
	for _, i := range made {
		to[key(changes[i], changes[i].After)] = append(to[key(changes[i], changes[i].After)], i)
	}
	taken := map[int]bool{}
	for _, from := range gone {
		k := key(changes[from], changes[from].Before)
		if len(to[k]) == 0 {
			goneLeft = append(goneLeft, from)
			continue
		}
		moves, taken[to[k][0]] = append(moves, TargetMove{from, to[k][0]}), true
		to[k] = to[k][1:]
	}
	return moves, goneLeft, slices.DeleteFunc(made, func(i int) bool { return taken[i] })
}

// findSameText is which of made holds what from held; -1: none does. Of several texts an
// empty one says nothing.
func findSameText(changes []Change, from int, made []int, only bool) int {
	was := changes[from].Before.Data
	if len(was) == 0 && !only {
		return -1
	}
	return slices.IndexFunc(made, func(i int) bool { return bytes.Equal(was, changes[i].After.Data) })
}

// findSimilarText is which of made has the same name, or is the only one, and half of the lines that from
// held; -1: none. Only the first of a name is compared: lines take long to compare.
func findSimilarText(changes []Change, from int, made []int, only bool) int {
	was := changes[from]
	at := slices.IndexFunc(made, func(i int) bool { return only || hasSameName(was, changes[i]) })
	if at >= 0 && sharesHalfOfLines(was.Before.Data, changes[made[at]].After.Data) {
		return at
	}
	return -1
}

func hasSameName(a, b Change) bool { return path.Base(a.Target) == path.Base(b.Target) }

// sharesHalfOfLines reports whether at least half of the lines of the longer text are in the other one.
// Blank lines say nothing.
func sharesHalfOfLines(a, b []byte) bool {
	if len(a)+len(b) > maxComparedLineBytes {
		return false
	}
	have, before, after, shared := map[string]int{}, 0, 0, 0
	for line := range bytes.Lines(a) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			have[string(line)]++
			before++
		}
	}
	for line := range bytes.Lines(b) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		after++
		if have[string(line)] > 0 {
			have[string(line)]--
			shared++
		}
	}
	return shared > 0 && 2*shared >= max(before, after)
}

// EditedLinks counts the links that differ between before and after, if nothing else does: what stands
// between brackets, quotes or lines, and names what one of moves moves by its old name before and by its
// new one after, or is a path to what is called the same. only is false if anything else differs.
func EditedLinks(changes []Change, moves []TargetMove, before, after []byte) (links int, only bool) {
	isLinkEdge := func(r rune) bool { return strings.ContainsRune("[](){}<>\"'|\n", r) }
	old, now := bytes.FieldsFunc(before, isLinkEdge), bytes.FieldsFunc(after, isLinkEdge)
	if len(old) != len(now) {
		return 0, false
	}
	for i := range old {
		if bytes.Equal(old[i], now[i]) {
			continue
		}
		if !isMovedLink(changes, moves, linkText(old[i]), linkText(now[i])) {
			return 0, false
		}
		links++
	}
	return links, true
}

// linkText is a link as names are compared with it.
func linkText(link []byte) string {
	text := string(link)
	if plain, err := url.PathUnescape(text); err == nil {
		text = plain
	}
	return strings.ToLower(text)
}

// isMovedLink reports whether a link that was old is now for what one of moves moves, or for what is called
// the same.
func isMovedLink(changes []Change, moves []TargetMove, old, now string) bool {
	if strings.Contains(old+now, "/") && path.Base(old) == path.Base(now) {
		return true
	}
	return slices.ContainsFunc(moves, func(m TargetMove) bool {
		return strings.Contains(old, targetTitle(changes[m.From].Target)) && strings.Contains(now, targetTitle(changes[m.To].Target))
	})
}

// targetTitle is the name of a target without its folders and its extension.
func targetTitle(target string) string {
	name := path.Base(target)
	return strings.ToLower(cmp.Or(strings.TrimSuffix(name, path.Ext(name)), name))
}
