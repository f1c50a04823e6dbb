package logseq_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// states are the methods that keep what is there and put it back. As in the
// plugin, a file graph's page has no uuid that lasts, and a DB graph's page
// comes out of the recycle bin with its blocks.
func (f *fakePeer) states() methods {
	return methods{
		"blocks.state":   f.blockState,
		"pages.state":    f.pageState,
		"referrers":      f.referrers,
		"blocks.restore": f.restoreBlocks,
		"pages.restore":  f.restorePage,
		"blocks.exact": func(in map[string]any) (any, error) {
			s, err := f.block(in["uuid"])
			if err != nil {
				return nil, err
			}
			fill(s.block(), in)
			return map[string]any{}, nil
		},
		"pages.exact": func(in map[string]any) (any, error) {
			k := in["page"].(map[string]any)
			p, err := f.page(k["name"])
			if err != nil {
				return nil, err
			}
			setPageState(p, k)
			return map[string]any{}, nil
		},
	}
}

func (f *fakePeer) blockState(in map[string]any) (any, error) {
	s, err := f.block(in["uuid"])
	if err != nil || s.page.Recycled {
		return nil, fakeError("NOT_FOUND", "no block")
	}
	k := snapshotBlock(s.block(), in["children"] == true)
	switch {
	case s.parent != nil:
		k["parent"] = s.parent.UUID
	case f.kind == "db":
		k["page"] = s.page.UUID
	default:
		k["page"] = s.page.Name
	}
	if s.at > 0 {
		k["after"] = (*s.list)[s.at-1].UUID
	}
	if s.at+1 < len(*s.list) {
		k["before"] = (*s.list)[s.at+1].UUID
	}
	return k, nil
}

// snapshotBlock is all of a block. What the fake holds beside properties goes there.
func snapshotBlock(b *fakeBlock, children bool) map[string]any {
	properties := maps.Clone(b.Properties)
	for name, v := range map[string]any{":marker": b.Marker, ":priority": b.Priority, ":scheduled": b.Scheduled, ":deadline": b.Deadline} {
		if v != nil && v != "" {
			properties[name] = v
		}
	}
	k := map[string]any{"uuid": b.UUID, "text": b.Content, "properties": properties, "tags": b.Tags}
	if children {
		k["children"] = snapshotBlocks(b.Children)
	}
	return k
}

func snapshotBlocks(blocks []*fakeBlock) []any {
	var all []any
	for _, b := range blocks {
		all = append(all, snapshotBlock(b, true))
	}
	return all
}

func fill(b *fakeBlock, k map[string]any) {
	b.Content, b.Properties, b.Tags = k["text"].(string), map[string]any{}, valueTexts(k["tags"])
	set(b.Properties, k["properties"])
	take := func(name string) any {
		v := b.Properties[name]
		delete(b.Properties, name)
		return v
	}
	b.Marker, _ = take(":marker").(string)
	b.Priority, _ = take(":priority").(string)
	b.Scheduled, b.Deadline = take(":scheduled"), take(":deadline")
}

func valueTexts(v any) []string {
	list, _ := v.([]any)
	out := []string{}
	for _, e := range list {
		out = append(out, e.(string))
	}
	return out
}

func blocksFromSnapshot(all any) []*fakeBlock {
	list, _ := all.([]any)
	var blocks []*fakeBlock
	for _, one := range list {
		k := one.(map[string]any)
		b := &fakeBlock{UUID: k["uuid"].(string), Children: blocksFromSnapshot(k["children"])}
		fill(b, k)
		blocks = append(blocks, b)
	}
	return blocks
}

func (f *fakePeer) pageState(in map[string]any) (any, error) {
	var p *fakePage
	if day, ok := in["day"].(string); ok {
		for _, q := range f.pages {
			if formatDay(q.Day) == day && !q.Recycled {
				p = q
			}
		}
		if p == nil {
			return nil, fakeError("NOT_FOUND", "no journal")
		}
	} else {
		q, err := f.page(in["page"])
		if err != nil {
			return nil, err
		}
		p = q
	}
	tags := slices.Clone(p.Tags)
	if class := classes[p.Kind]; class != "" { // what a page is, its tags say on a DB graph
		tags = append(tags, class)
	}
	k := map[string]any{"name": p.Name, "day": p.Day, "properties": p.Properties, "tags": tags, "recycled": p.Recycled}
	if f.kind == "db" {
		k["uuid"] = p.UUID
	}
	if in["blocks"] == true {
		k["blocks"] = snapshotBlocks(p.blocks)
	}
	return k, nil
}

func setPageState(p *fakePage, k map[string]any) {
	p.Properties, p.Tags = map[string]any{}, valueTexts(k["tags"])
	set(p.Properties, k["properties"])
	for kind, class := range classes {
		if at := slices.Index(p.Tags, class); class != "" && at >= 0 {
			p.Kind, p.Tags = kind, slices.Delete(p.Tags, at, at+1)
		}
	}
}

// classes are the tags of tags and of properties.
var classes = map[string]string{"tag": ":logseq.class/Tag", "property": ":logseq.class/Property"}

// referrers are the blocks that refer to a page by its name or to a block by
// its uuid. On a DB graph no text changes with either.
func (f *fakePeer) referrers(in map[string]any) (any, error) {
	uuid := in["uuid"].(string)
	refers := func(b *fakeBlock) bool { return strings.Contains(b.Content, "(("+uuid+"))") }
	if p, err := f.page(uuid); err == nil {
		refers = func(b *fakeBlock) bool { return b.links[p.Name] }
	}
	var uuids []string
	for _, b := range f.all(refers) {
		uuids = append(uuids, b.UUID)
	}
	return map[string]any{"uuids": uuids}, nil
}

func (f *fakePeer) restoreBlocks(in map[string]any) (any, error) {
	blocks := blocksFromSnapshot(in["blocks"])
	for _, place := range []string{"after", "before"} {
		if sibling, ok := in[place].(string); ok {
			return nil, f.place(sibling, place, blocks)
		}
	}
	place := "first"
	if in["last"] == true {
		place = "last"
	}
	if parent, ok := in["parent"].(string); ok {
		return nil, f.place(parent, place, blocks)
	}
	return nil, f.place(in["page"], place, blocks)
}

func (f *fakePeer) restorePage(in map[string]any) (any, error) {
	k := in["page"].(map[string]any)
	if at := slices.IndexFunc(f.pages, func(p *fakePage) bool { return p.Recycled && p.UUID == k["uuid"] }); at >= 0 {
		f.pages[at].Recycled = false
		return map[string]any{}, nil
	}
	if _, err := f.page(k["name"]); err == nil {
		return nil, fakeError("INVALID_INPUT", "there is such a page")
	}
	p := &fakePage{UUID: f.pageUUID(k["uuid"]), Name: k["name"].(string), Kind: "page"}
	if day, ok := k["day"].(float64); ok {
		p.Kind, p.Day = "journal", int(day)
	}
	setPageState(p, k)
	f.pages = append(f.pages, p)
	return map[string]any{}, nil
}

// pageUUID is the uuid of a new page: a file graph's is Logseq's choice.
func (f *fakePeer) pageUUID(wanted any) string {
	if uuid, ok := wanted.(string); ok && f.kind == "db" {
		return uuid
	}
	f.made++
	return id(700 + f.made)
}

func formatDay(n int) string { return fmt.Sprintf("%04d-%02d-%02d", n/10000, n/100%100, n%100) }
