package pane

import (
	"slices"
	"sort"

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
	sort.SliceStable(all, func(i, j int) bool {
		switch o {
		case bySourceCalls:
			return all[i].Calls > all[j].Calls
		case bySourceKind:
			return all[i].Kind < all[j].Kind
		default:
			return false
		}
	})
	return all
}
