package logseq

import "fmt"

// maxAnswer is roughly the maximum number of bytes in a list or tree, because
// an agent's context is small.
const maxAnswer = 96 << 10

// fitAnswer keeps as many entries as fit into maxAnswer, and at least one.
func fitAnswer[T any](entries []T, size func(T) int) []T {
	used := 0
	for i, e := range entries {
		if used += size(e); used > maxAnswer && i > 0 {
			return entries[:i]
		}
	}
	return entries
}

// slicePage returns the entries that offset and limit ask for.
func slicePage[T any](entries []T, offset, limit int) []T {
	from := min(offset, len(entries))
	return entries[from:min(from+limit, len(entries))]
}

// moreNote tells how to get the rest of a list; empty if it is complete.
func moreNote(shown, offset, total int) string {
	if next := offset + shown; next < total {
		return fmt.Sprintf("%d more: call again with offset %d.", total-next, next)
	}
	return ""
}

// visibleList asks for a part of a list. Where something is hidden it reads the
// whole list and filters it, so that totals and offsets count only what is
// visible. filter returns an entry as agents may see it, or that they may not.
func visibleList[T any](
	g *Graph, of listArg, ask func(listArg) ([]T, int, error), filter func(*agentView, T) (T, bool, error),
) ([]T, int, error) {
	if !g.hidesAnything() {
		return ask(of)
	}
	all, err := readAll(ask)
	if err != nil {
		return nil, 0, err
	}
	visible, err := filterList(g.newView(), all, len(all), filter)
	return slicePage(visible, of.Offset, of.Limit), len(visible), err
}

// filterList returns at most limit of the entries that filter lets through.
func filterList[T any](v *agentView, all []T, limit int, filter func(*agentView, T) (T, bool, error)) ([]T, error) {
	var visible []T
	for _, e := range all {
		if len(visible) == limit {
			break
		}
		e, ok, err := filter(v, e)
		if err != nil {
			return nil, err
		}
		if ok {
			visible = append(visible, e)
		}
	}
	return visible, nil
}
