package logseq_test

import (
	"slices"
	"strings"
)

// objects are the methods of tags and properties of a DB graph.
func (f *fakePeer) objects() methods {
	return methods{
		"tags.set": func(in map[string]any) (any, error) {
			var tags *[]string
			if p, err := f.page(in["uuid"]); err == nil {
				tags = &p.Tags
			} else {
				s, err := f.block(in["uuid"])
				if err != nil {
					return nil, err
				}
				tags = &s.block().Tags
			}
			for _, name := range texts(in["add"]) {
				if !slices.Contains(*tags, name) {
					*tags = append(*tags, name)
				}
			}
			*tags = slices.DeleteFunc(*tags, func(t string) bool { return slices.Contains(texts(in["remove"]), t) })
			return map[string]any{}, nil
		},
		"tags.create": func(in map[string]any) (any, error) {
			p, err := f.page(in["name"])
			if err != nil {
				p = &fakePage{UUID: f.pageUUID(nil), Name: in["name"].(string), Kind: "tag", Properties: map[string]any{}, Tags: []string{}}
				f.pages = append(f.pages, p)
			}
			if above := texts(in["extends"]); len(above) > 0 {
				p.Properties["extends"] = strings.Join(above, ", ")
			}
			return map[string]any{"page": p, "existed": err == nil}, nil
		},
		"properties.create": func(in map[string]any) (any, error) {
			p := &fakePage{UUID: f.pageUUID(nil), Name: in["name"].(string), Kind: "property", Properties: map[string]any{"type": in["type"]}, Tags: []string{}}
			f.pages = append(f.pages, p)
			return map[string]any{"uuid": p.UUID}, nil
		},
	}
}

func texts(v any) []string {
	var all []string
	list, _ := v.([]any)
	for _, one := range list {
		all = append(all, one.(string))
	}
	return all
}
