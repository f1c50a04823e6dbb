package logseq_test

import (
	"slices"
	"strings"
)

// find is what the fake's plugin does for find: everything but the values of
// properties.
func (f *fakePeer) find(in map[string]any) (any, error) {
	text := func(key string) string { s, _ := in[key].(string); return strings.ToLower(s) }
	from, to := int(dayNumber(in["from"], 0)), int(dayNumber(in["to"], 0))
	onPage := func(p *fakePage) bool {
		name := strings.ToLower(p.Name)
		ns := text("namespace")
		return !p.Recycled && (ns == "" || name == ns || strings.HasPrefix(name, ns+"/")) &&
			(from == 0 || p.Day >= from) && (to == 0 || p.Day != 0 && p.Day <= to)
	}
	meets := func(content string, tags []string, properties map[string]any) bool {
		for word := range strings.FieldsSeq(text("text")) {
			if !strings.Contains(strings.ToLower(content), word) {
				return false
			}
		}
		names, _ := in["properties"].([]any)
		for _, name := range names {
			if _, ok := properties[name.(string)]; !ok {
				return false
			}
		}
		return text("tag") == "" || slices.ContainsFunc(tags, func(t string) bool { return strings.EqualFold(t, text("tag")) })
	}
	found := []any{}
	for _, p := range f.pages {
		if in["kind"] != "blocks" && in["any_task"] != true && onPage(p) && meets(p.Name, p.Tags, p.Properties) {
			found = append(found, map[string]any{"page": f.forAnswer(p)})
		}
	}
	states, _ := in["task"].([]any)
	for _, s := range f.positions() {
		b := s.block()
		isTask := b.Marker != "" && (len(states) == 0 || slices.ContainsFunc(states, func(one any) bool { return strings.EqualFold(one.(string), b.Marker) }))
		if in["kind"] != "pages" && onPage(s.page) && (in["any_task"] != true || isTask) && meets(b.Content, b.Tags, b.Properties) {
			found = append(found, map[string]any{"block": s.shown(0)})
		}
	}
	return map[string]any{"found": listBatch(found, in), "total": len(found)}, nil
}
