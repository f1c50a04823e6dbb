package logseq_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/toolstest"
)

// edit is a person at work in Logseq: what they do goes no way of ours.
func (f *fakePeer) edit(seed uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := rand.New(rand.NewPCG(seed, 1))
	spots := f.positions()
	if len(spots) == 0 || len(f.pages) == 0 {
		return
	}
	some := func() string { return spots[r.IntN(len(spots))].block().UUID }
	page := func() *fakePage { return f.pages[r.IntN(len(f.pages))] }
	place := []string{"before", "after", "first", "last"}[r.IntN(4)]
	name := fmt.Sprint("By hand ", seed)
	var method string
	var in map[string]any
	switch r.IntN(9) {
	case 0, 1:
		method, in = "blocks.update", map[string]any{"uuid": some(), "content": name + " [[" + page().Name + "]]"}
	case 2:
		method, in = "blocks.update", map[string]any{"uuid": some(), "properties": map[string]any{"by": "hand"}}
	case 3:
		method, in = "blocks.delete", map[string]any{"uuid": some()}
	case 4:
		method, in = "blocks.move", map[string]any{"uuid": some(), "target": some(), "place": place}
	case 5:
		method, in = "blocks.create", map[string]any{"uuid": id(1000 + int(seed%1e9)), "target": some(), "place": place, "content": name}
	case 6:
		method, in = "pages.rename", map[string]any{"page": page().UUID, "name": name}
	case 7:
		method, in = "pages.delete", map[string]any{"page": page().UUID}
	default:
		method, in = "pages.update", map[string]any{"page": page().UUID, "properties": map[string]any{"by": "hand"}}
	}
	if uuid, ok := in["page"]; ok {
		if p, err := f.page(uuid); err == nil && p.Recycled {
			f.meddled = append(f.meddled, p.UUID)
		}
	}
	f.bind()
	_, _ = f.run(method, in) // what Logseq refuses is not done
	f.bind()
}

var (
	someUUID = regexp.MustCompile(`"uuid": "([^"]+)"`)
	someName = regexp.MustCompile(`"name": ("(?:[^"\\]|\\.)*")`)
	somePage = regexp.MustCompile(`"page": ("(?:[^"\\]|\\.)*")`)
	someHome = regexp.MustCompile(`"(?:page|parent)": ("(?:[^"\\]|\\.)*")`)
	behind   = regexp.MustCompile(`(?m)^  "(?:after|before)": .*\n`)
)

// nested is how the targets of a graph lie within each other.
func (f *fakePeer) nested() *toolstest.NestedTargets {
	return &toolstest.NestedTargets{
		SameState: func(_ string, a, b tools.State) bool {
			return a.Exists == b.Exists && bytes.Equal(behind.ReplaceAll(a.Data, nil), behind.ReplaceAll(b.Data, nil))
		},
		Affects: func(c tools.Change, target string, was, now tools.State) bool {
			about := append(words(c.Before, someUUID, someName), words(c.After, someUUID, someName)...)
			about = append(about, nameIn(c.Target))
			theirs := append(words(was, someUUID, someName, somePage), words(now, someUUID, someName, somePage)...)
			return slices.ContainsFunc(append(theirs, nameIn(target)), func(w string) bool { return slices.Contains(about, w) })
		},
		Blocked: func(c tools.Change) bool {
			f.mu.Lock()
			defer f.mu.Unlock()
			if slices.ContainsFunc(words(c.Before, someUUID), func(uuid string) bool { return slices.Contains(f.meddled, uuid) }) {
				return true
			}
			for _, home := range words(c.Before, someHome) {
				if p, err := f.page(home); err == nil && !p.Recycled {
					continue
				}
				s, err := f.block(home)
				if err != nil || slices.ContainsFunc(f.above(s), func(uuid string) bool { return strings.HasSuffix(c.Target, uuid) }) {
					return true
				}
			}
			return false
		},
	}
}

// above are the blocks over one, and itself.
func (f *fakePeer) above(s blockPosition) []string {
	uuids := []string{s.block().UUID}
	for s.parent != nil {
		uuids = append(uuids, s.parent.UUID)
		s, _ = f.block(s.parent.UUID)
	}
	return uuids
}

// nameIn is the name in a target's.
func nameIn(target string) string {
	for _, what := range []string{"tree of block ", "block ", "head of page ", "page ", "journal "} {
		if rest, ok := strings.CutPrefix(target, what); ok {
			return rest
		}
	}
	return target
}

// words are what the patterns find in a State.
func words(s tools.State, patterns ...*regexp.Regexp) []string {
	var found []string
	for _, p := range patterns {
		for _, m := range p.FindAllSubmatch(s.Data, -1) {
			word := string(m[1])
			_ = json.Unmarshal(m[1], &word) // a uuid is none, and stays
			found = append(found, word)
		}
	}
	return found
}
