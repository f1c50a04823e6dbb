package app

import (
	"slices"

	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/tools"
)

// MaxSessionToolBytes is how many bytes of tools a model should see at most: more
// costs every request of every session time and attention.
const MaxSessionToolBytes = 20 << 10

// A SystemCost is what the tools of one System cost a session, however many of
// its sources the session sees.
type SystemCost struct {
	System string
	Tools  int
	Bytes  int // that a model sees
}

// SessionCost is what a session costs that sees the named sources; none named:
// all. It counts what every client is granted, not what single clients are.
func (a *App) SessionCost(c config.Config, names []string) (systems []SystemCost, bytes int) {
	sources := slices.DeleteFunc(a.Sources(c), func(s Source) bool { return len(names) > 0 && !slices.Contains(names, s.Name) })
	lists := func(kind string, t tools.ToolInfo) bool {
		return !t.Unlisted && slices.ContainsFunc(sources, func(s Source) bool {
			effects, _, _ := s.GrantedEffects()
			return s.Kind == kind && slices.Contains(effects, t.Effect) &&
				(!t.OptIn || slices.Contains(s.Tools, config.AllTools) || slices.Contains(s.Tools, t.Name))
		})
	}
	for _, k := range a.Systems() {
		m := k.Manifest()
		cost := SystemCost{System: m.Name}
		for _, t := range m.Tools {
			if lists(m.Name, t) {
				cost.add(t)
			}
		}
		if cost.Tools > 0 {
			systems, bytes = append(systems, cost), bytes+cost.Bytes
		}
	}
	if c.Hub.OwnChanges {
		m := tools.OwnChangesKind().Manifest()
		cost := SystemCost{System: m.Name}
		for _, t := range m.Tools {
			cost.add(t)
		}
		systems, bytes = append(systems, cost), bytes+cost.Bytes
	}
	return systems, bytes
}

func (c *SystemCost) add(t tools.ToolInfo) {
	_, model := t.ListedBytes(t.Name)
	c.Tools, c.Bytes = c.Tools+1, c.Bytes+model
}
