package pane

import (
	"cmp"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/status"
)

// A sourceOrder is how the sources are sorted, behind those that do not work.
type sourceOrder int

const (
	asConfigured  sourceOrder = iota // as a snapshot lists them
	bySourceCalls                    // most first
	bySourceKind                     // those of one kind together
	sourceOrderCount
)

func (o sourceOrder) label() string { return [...]string{"", "most calls first", "by kind"}[o] }

// sort returns the sources in this order, behind each other as they were where it makes no
// difference.
func (o sourceOrder) sort(all []status.Source) []status.Source {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b status.Source) int {
		by := 0
		switch o {
		case bySourceCalls:
			by = cmp.Compare(b.Calls, a.Calls)
		case bySourceKind:
			by = strings.Compare(a.Kind, b.Kind)
		case asConfigured, sourceOrderCount:
		}
		return by
	})
	return all
}
