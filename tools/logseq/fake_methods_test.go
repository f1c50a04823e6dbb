package logseq_test

import (
	"maps"
	"slices"
	"strings"
)

// run is what the fake's plugin does for a method; f.mu is held.
func (f *fakePeer) run(method string, in map[string]any) (any, error) {
	for _, known := range []methods{f.reads(), f.writes(), f.states(), f.objects()} {
		if do, ok := known[method]; ok {
			return do(in)
		}
	}
	return nil, fakeError("CAPABILITY_MISSING", "no method %s", method)
}

type methods map[string]func(map[string]any) (any, error)

func (f *fakePeer) reads() methods {
	return methods{
		"ping": func(map[string]any) (any, error) { return map[string]any{"graph": "garden"}, nil },
		"pages.list": func(in map[string]any) (any, error) {
			var all []*fakePage
			for _, p := range f.pages {
				if !p.Recycled && (in["journals"] == true || p.Kind != "journal") {
					all = append(all, f.forAnswer(p))
				}
			}
			return map[string]any{"pages": listBatch(all, in), "total": len(all)}, nil
		},
		"pages.get": func(in map[string]any) (any, error) {
			p, err := f.page(in["page"], in["besides"])
			if err != nil {
				return nil, err
			}
			return f.forAnswer(p), nil
		},
		"pages.tree": func(in map[string]any) (any, error) {
			p, err := f.page(in["page"])
			if err != nil {
				return nil, err
			}
			blocks := []*fakeBlock{}
			for i := range p.blocks {
				blocks = append(blocks, blockPosition{f, p, nil, &p.blocks, i}.shown(int(dayNumber(in["depth"], -1))-1))
			}
			return map[string]any{"page": f.forAnswer(p), "blocks": blocks}, nil
		},
		"pages.backlinks": func(in map[string]any) (any, error) {
			p, err := f.page(in["page"])
			if err != nil {
				return nil, err
			}
			all := f.all(func(b *fakeBlock) bool { return strings.Contains(b.Content, "[["+p.Name+"]]") })
			return map[string]any{"blocks": listBatch(all, in), "total": len(all)}, nil
		},
		"blocks.get": func(in map[string]any) (any, error) {
			s, err := f.block(in["uuid"])
			if err != nil {
				return nil, err
			}
			return s.shown(int(dayNumber(in["depth"], 0))), nil
		},
		"search": func(in map[string]any) (any, error) {
			words := strings.ToLower(in["query"].(string))
			all := f.all(func(b *fakeBlock) bool { return strings.Contains(strings.ToLower(b.Content), words) })
			pages := []*fakePage{}
			for _, p := range f.pages {
				if strings.Contains(strings.ToLower(p.Name), words) {
					pages = append(pages, f.forAnswer(p))
				}
			}
			return map[string]any{"blocks": listBatch(all, in), "pages": listBatch(pages, in), "files": []string{"a.pdf"}, "more": false}, nil
		},
		"query": func(in map[string]any) (any, error) {
			return map[string]any{"rows": listBatch([]any{[]any{"one"}, []any{"two"}}, in), "total": 2}, nil
		},
		"journals.get": func(in map[string]any) (any, error) {
			for _, p := range f.pages {
				if float64(p.Day) == in["day"] && !p.Recycled {
					return f.forAnswer(p), nil
				}
			}
			return nil, fakeError("NOT_FOUND", "no journal")
		},
		"find":        f.find,
		"assets.list": f.listAssets,
		"query.own": func(in map[string]any) (any, error) {
			return f.find(map[string]any{"any_task": true, "limit": in["limit"], "offset": in["offset"]})
		},
		"focus.get": func(map[string]any) (any, error) {
			return map[string]any{"page": f.pages[0].UUID, "editing": id(1), "selected": []string{id(2), id(5), id(99)}}, nil
		},
		"requests.list": func(map[string]any) (any, error) {
			return map[string]any{"requests": f.requests()}, nil
		},
		"requests.close": func(in map[string]any) (any, error) {
			f.answered = append(f.answered, in["id"].(string))
			return map[string]any{}, nil
		},
		"page.open": func(in map[string]any) (any, error) {
			if _, err := f.page(in["target"]); err != nil {
				_, err = f.block(in["target"])
				return map[string]any{}, err
			}
			return map[string]any{}, nil
		},
		"tasks.list": func(in map[string]any) (any, error) {
			all := f.all(func(b *fakeBlock) bool { return b.Marker != "" })
			return map[string]any{"blocks": listBatch(all, in), "total": len(all)}, nil
		},
		"tags.list": func(in map[string]any) (any, error) {
			all := f.terms(func(p *fakePage) []string { return p.Tags }, func(b *fakeBlock) []string { return b.Tags })
			return map[string]any{"tags": listBatch(all, in), "total": len(all)}, nil
		},
		"properties.list": func(in map[string]any) (any, error) {
			all := f.terms(func(p *fakePage) []string { return slices.Sorted(maps.Keys(p.Properties)) }, func(b *fakeBlock) []string { return slices.Sorted(maps.Keys(b.Properties)) })
			return map[string]any{"properties": listBatch(all, in), "total": len(all)}, nil
		},
		"templates.list": func(map[string]any) (any, error) {
			return map[string]any{"templates": []any{}, "total": 0}, nil
		},
	}
}

func (f *fakePeer) writes() methods {
	return methods{
		"pages.create": func(in map[string]any) (any, error) {
			p := &fakePage{UUID: f.pageUUID(in["uuid"]), Name: in["title"].(string), Kind: "page", Properties: map[string]any{}, Tags: []string{}}
			set(p.Properties, in["properties"])
			f.pages = append(f.pages, p)
			return map[string]any{"page": p, "existed": false}, nil
		},
		"pages.update": func(in map[string]any) (any, error) {
			p, err := f.page(in["page"])
			if err != nil {
				return nil, err
			}
			set(p.Properties, in["properties"])
			if f.typed != nil {
				for name, value := range p.Properties {
					p.Properties[name] = f.typed(value)
				}
			}
			return p, nil
		},
		"pages.append": func(in map[string]any) (any, error) {
			return f.put(in["page"], "last", []any{in})
		},
		"pages.delete": func(in map[string]any) (any, error) {
			p, err := f.page(in["page"])
			if err != nil {
				return nil, err
			}
			if f.kind == "db" {
				p.Recycled = true
			} else {
				for _, s := range f.positions() {
					delete(s.block().links, p.Name)
				}
				f.pages = slices.DeleteFunc(f.pages, func(q *fakePage) bool { return p == q })
			}
			return map[string]any{"recycled": p.Recycled}, nil
		},
		"pages.rename": func(in map[string]any) (any, error) {
			p, err := f.page(in["page"])
			if err != nil {
				return nil, err
			}
			if f.kind == "file" { // the links are text
				for _, s := range f.positions() {
					if b := s.block(); b.links[p.Name] {
						b.Content = strings.ReplaceAll(b.Content, "[["+p.Name+"]]", "[["+in["name"].(string)+"]]")
						b.read = "" // it is saved
					}
				}
			}
			p.Name = in["name"].(string)
			return p, nil
		},
		"blocks.create": func(in map[string]any) (any, error) {
			return f.put(in["target"], in["place"].(string), []any{in})
		},
		"blocks.insert": func(in map[string]any) (any, error) {
			return f.put(in["target"], in["place"].(string), in["blocks"].([]any))
		},
		"blocks.update": f.updateBlock,
		"blocks.delete": func(in map[string]any) (any, error) {
			s, err := f.block(in["uuid"])
			if err != nil {
				return nil, err
			}
			*s.list = slices.Delete(*s.list, s.at, s.at+1)
			return map[string]any{}, nil
		},
		"blocks.move": func(in map[string]any) (any, error) {
			s, err := f.block(in["uuid"])
			if err != nil {
				return nil, err
			}
			b := s.block()
			if _, below := look(f, s.page, b, &b.Children, in["target"]); below || in["target"] == b.UUID {
				return nil, fakeError("INVALID_INPUT", "target: the block itself, or one below it")
			}
			*s.list = slices.Delete(*s.list, s.at, s.at+1)
			return nil, f.place(in["target"], in["place"].(string), []*fakeBlock{b})
		},
		"journals.create": func(in map[string]any) (any, error) {
			p := &fakePage{UUID: id(900), Name: "a new day", Kind: "journal", Day: int(in["day"].(float64)), Properties: map[string]any{}, Tags: []string{}}
			f.pages = append(f.pages, p)
			return map[string]any{"page": p, "existed": false}, nil
		},
		"tasks.set": func(in map[string]any) (any, error) {
			s, err := f.block(in["uuid"])
			if err != nil {
				return nil, err
			}
			b := s.block()
			if status, ok := in["status"].(string); ok {
				b.Marker = status
			}
			if date, given := in["deadline"]; given {
				b.Deadline = date
				if text, ok := date.(string); ok {
					b.Deadline = strings.ReplaceAll(text, "-", "")
				}
			}
			return s.shown(0), nil
		},
	}
}

func (f *fakePeer) updateBlock(in map[string]any) (any, error) {
	s, err := f.block(in["uuid"])
	if err != nil {
		return nil, err
	}
	if content, ok := in["content"].(string); ok {
		s.block().Content = f.spelling.of(content)
	}
	set(s.block().Properties, in["properties"])
	f.keepIDs([]any{in})
	return s.shown(0), nil
}

func set(properties map[string]any, changes any) {
	m, _ := changes.(map[string]any)
	maps.Copy(properties, m)
	maps.DeleteFunc(properties, func(_ string, v any) bool { return v == nil })
}

func (f *fakePeer) put(target any, place string, blocks []any) (any, error) {
	written := made(blocks)
	f.spelling.rewrite(written)
	err := f.place(target, place, written)
	f.keepIDs(blocks)
	return map[string]any{}, err
}

// keepIDs writes the ids of what new texts refer to into the file.
func (f *fakePeer) keepIDs(blocks []any) {
	for _, raw := range blocks {
		in := raw.(map[string]any)
		for _, uuid := range valueTexts(in["keep"]) {
			if s, err := f.block(uuid); err == nil {
				s.block().Content += "\nid:: " + uuid
			}
		}
		children, _ := in["children"].([]any)
		f.keepIDs(children)
	}
}

// A spelling is what becomes of a text that is written; nil: it stays.
type spelling func(string) string

func (s spelling) of(text string) string {
	if s == nil {
		return text
	}
	return s(text)
}

func (s spelling) rewrite(blocks []*fakeBlock) {
	for _, b := range blocks {
		b.Content = s.of(b.Content)
		s.rewrite(b.Children)
	}
}

func made(blocks []any) []*fakeBlock {
	var out []*fakeBlock
	for _, raw := range blocks {
		in := raw.(map[string]any)
		b := &fakeBlock{UUID: in["uuid"].(string), Content: in["content"].(string), Properties: map[string]any{}, Tags: []string{}}
		set(b.Properties, in["properties"])
		if children, ok := in["children"].([]any); ok {
			b.Children = made(children)
		}
		out = append(out, b)
	}
	return out
}

func (f *fakePeer) place(target any, place string, blocks []*fakeBlock) error {
	if p, err := f.page(target); err == nil {
		p.blocks = insert(p.blocks, place, blocks)
		return nil
	}
	s, err := f.block(target)
	if err != nil {
		return err
	}
	switch place {
	case "before":
		*s.list = slices.Insert(*s.list, s.at, blocks...)
	case "after":
		*s.list = slices.Insert(*s.list, s.at+1, blocks...)
	default:
		b := s.block()
		b.Children = insert(b.Children, place, blocks)
	}
	return nil
}

func insert(list []*fakeBlock, place string, blocks []*fakeBlock) []*fakeBlock {
	if place == "first" {
		return slices.Insert(list, 0, blocks...)
	}
	return append(list, blocks...)
}

// terms are the words in use, each with where; in the order of the words.
func (f *fakePeer) terms(ofPage func(*fakePage) []string, ofBlock func(*fakeBlock) []string) []any {
	uses := map[string][]any{}
	for _, p := range f.pages {
		for _, word := range ofPage(p) {
			uses[word] = append(uses[word], map[string]any{"uuid": p.UUID})
		}
	}
	for _, s := range f.positions() {
		for _, word := range ofBlock(s.block()) {
			uses[word] = append(uses[word], map[string]any{"uuid": s.block().UUID, "page": s.page.UUID})
		}
	}
	all := []any{}
	for _, word := range slices.Sorted(maps.Keys(uses)) {
		all = append(all, map[string]any{"name": word, "uses": uses[word]})
	}
	return all
}
