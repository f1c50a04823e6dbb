package policy

import (
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
)

// ResolveSourceEffects is what agents may do in a source, and which of it a person must
// approve first, where nil means that the configuration does not say it. It is
// the only place that knows the default: everything but admin is granted, and a
// person is asked before a write or a delete. A source whose effects are given
// asks about nothing unless ask says so.
func ResolveSourceEffects(readOnly bool, effects, ask []tools.Effect) (granted, asked []tools.Effect) {
	switch {
	case readOnly:
		return []tools.Effect{tools.Reads}, intersect(ask, []tools.Effect{tools.Reads})
	case effects != nil:
		granted = effects
	default:
		granted = []tools.Effect{tools.Reads, tools.Writes, tools.Deletes, tools.Runs}
		if ask == nil {
			ask = []tools.Effect{tools.Writes, tools.Deletes}
		}
	}
	return intersect(granted, tools.Effects()), intersect(ask, granted)
}

// intersect lists the effects that are in both, in the order of tools.Effects.
func intersect(a, b []tools.Effect) []tools.Effect {
	return slices.DeleteFunc(tools.Effects(), func(e tools.Effect) bool { return !slices.Contains(a, e) || !slices.Contains(b, e) })
}

// DescribeDefaultEffects is ResolveSourceEffects as a sentence that follows "agents", for help
// and documents.
func DescribeDefaultEffects() string {
	granted, asked := ResolveSourceEffects(false, nil, nil)
	return DescribeEffects(granted, asked) + "; admin is not granted"
}

// DescribeEffects says what is granted and asked, as what follows "agents".
func DescribeEffects(granted, asked []tools.Effect) string {
	free := slices.DeleteFunc(slices.Clone(granted), func(e tools.Effect) bool { return slices.Contains(asked, e) })
	var parts []string
	if len(free) > 0 {
		parts = append(parts, "may "+joinEffects(free, "and"))
	}
	if len(asked) > 0 {
		parts = append(parts, "need your approval to "+joinEffects(asked, "or"))
	}
	if len(parts) == 0 {
		return "may do nothing"
	}
	return strings.Join(parts, " and ")
}

func joinEffects(effects []tools.Effect, last string) string {
	words := make([]string, len(effects))
	for i, e := range effects {
		words[i] = string(e)
	}
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " " + last + " " + words[len(words)-1]
}
