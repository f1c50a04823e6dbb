package app

import (
	"slices"

	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/tools"
)

// MaxSessionToolBytes is how many bytes of tools a model should see at most: more
// costs every request of every session time and attention.
const MaxSessionToolBytes = 20 << 10

// SessionToolBytes is how many bytes of tools a model sees in a session with the named
// sources; none named: all. It counts what every client is granted, not what single
// clients are, and the tools of a System once, however many of its sources there are.
func (a *App) SessionToolBytes(c config.Config, names []string) int {
	sources := slices.DeleteFunc(a.Sources(c), func(s Source) bool { return len(names) > 0 && !slices.Contains(names, s.Name) })
	lists := func(kind string, t tools.ToolInfo) bool {
		return !t.Unlisted && slices.ContainsFunc(sources, func(s Source) bool {
			effects, _, _ := s.GrantedEffects()
			return s.Kind == kind && slices.Contains(effects, t.Effect) &&
				(!t.OptIn || slices.Contains(s.Tools, config.AllTools) || slices.Contains(s.Tools, t.Name))
		})
	}
	total := 0
	add := func(t tools.ToolInfo) {
		_, model := t.ListedBytes(t.Name)
		total += model
	}
	for _, k := range a.Systems() {
		m := k.Manifest()
		for _, t := range m.Tools {
			if lists(m.Name, t) {
				add(t)
			}
		}
	}
	if c.Hub.OwnChanges {
		for _, t := range tools.OwnChangesKind().Manifest().Tools {
			add(t)
		}
	}
	return total
}
