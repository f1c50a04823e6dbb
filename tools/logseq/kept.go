package logseq

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
)

// A kept is all that a block holds, in the form of a State: Logseq's own text
// and, on a DB graph, properties by their idents. Times are not kept, because
// no one can set them.
type kept struct {
	Page   string `json:"page,omitempty"`   // of one on top; its uuid on a DB graph, its name on a file graph, where uuids of pages do not last
	Parent UUID   `json:"parent,omitempty"` // of any other
	After  UUID   `json:"after,omitempty"`  // the sibling before it; absent for the first
	keptBlock
}

type keptBlock struct {
	UUID       UUID                       `json:"uuid"`
	Text       string                     `json:"text"`
	Properties map[string]json.RawMessage `json:"properties,omitempty"`
	Tags       []string                   `json:"tags,omitempty"`
	Collapsed  bool                       `json:"collapsed,omitempty"`
	Children   []keptBlock                `json:"children,omitempty"`
}

// A keptPage is all that a page holds. On a file graph its properties are Text.
type keptPage struct {
	Name       string                     `json:"name"`
	UUID       UUID                       `json:"uuid,omitempty"` // on a DB graph
	Day        int                        `json:"day,omitempty"`
	Text       string                     `json:"text,omitempty"`
	Properties map[string]json.RawMessage `json:"properties,omitempty"`
	Tags       []string                   `json:"tags,omitempty"`
	Recycled   bool                       `json:"recycled,omitempty"` // never in a State
	Blocks     []keptBlock                `json:"blocks,omitempty"`
}

// What a Change is about, by the words that its target begins with. What comes
// first is tried first.
const (
	aTree    = "tree of block " // a block with all below it
	aBlock   = "block "         // a block alone: text, properties and place
	aHead    = "head of page "  // a page without its blocks: name and properties
	aPage    = "page "          // a page with its blocks
	aJournal = "journal "       // the same by its day, before its name is known
)

// A target is the name of a Change taken apart.
type target struct{ what, name string }

func (t target) String() string { return t.what + t.name }

// blocky says whether the target is a block, with or without those below it.
func (t target) blocky() bool { return t.what == aBlock || t.what == aTree }

func targetOf(name string) (target, error) {
	for _, what := range []string{aTree, aBlock, aHead, aPage, aJournal} {
		if rest, ok := strings.CutPrefix(name, what); ok && rest != "" {
			return target{what, rest}, nil
		}
	}
	return target{}, tools.Errorf(tools.Invalid, "no target of a graph: %.80q", name)
}

// State implements tools.Keeper. A page in the recycle bin is not there.
func (g *Graph) State(ctx context.Context, name string) (tools.State, error) {
	t, err := targetOf(name)
	if err != nil {
		return tools.State{}, err
	}
	if g.about() == nil {
		return tools.State{}, notConnected(g.conf.Graph)
	}
	if t.blocky() {
		k, err := g.keptBlock(ctx, t)
		if err != nil || k == nil {
			return tools.State{}, err
		}
		return stateOf(k), nil
	}
	p, err := g.keptPage(ctx, t)
	if err != nil || p == nil {
		return tools.State{}, err
	}
	return stateOf(p), nil
}

// keptBlock is nil when the block is not there.
func (g *Graph) keptBlock(ctx context.Context, t target) (*kept, error) {
	var k kept
	err := g.ask(ctx, "blocks.state", struct {
		UUID     string `json:"uuid"`
		Children bool   `json:"children"`
	}{t.name, t.what == aTree}, &k)
	switch {
	case absentIn(err) || err == nil && k.UUID == "":
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &k, nil
}

// keptPage is nil when the page is not there, or in the recycle bin.
func (g *Graph) keptPage(ctx context.Context, t target) (*keptPage, error) {
	p, err := g.keptOrBinned(ctx, t)
	if err != nil || p == nil || p.Recycled {
		return nil, err
	}
	return p, nil
}

// keptOrBinned is nil when the page is not there. One in the recycle bin says
// that it is.
func (g *Graph) keptOrBinned(ctx context.Context, t target) (*keptPage, error) {
	var p keptPage
	in := struct {
		Page   string `json:"page,omitempty"`
		Day    string `json:"day,omitempty"`
		Blocks bool   `json:"blocks"`
	}{Page: t.name, Blocks: t.what != aHead}
	if t.what == aJournal {
		in.Page, in.Day = "", t.name
	}
	err := g.ask(ctx, "pages.state", in, &p)
	switch {
	case absentIn(err) || err == nil && p.Name == "":
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &p, nil
}

// stateOf writes a kept thing down, a field a line, as a person reads a diff.
func stateOf(k any) tools.State {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(k); err != nil {
		panic(fmt.Sprintf("logseq: %v", err)) // text, numbers and what was JSON already
	}
	return tools.State{Exists: true, Data: b.Bytes()}
}

// read is the other way; what is not there stays zero.
func read[T any](s tools.State) (T, error) {
	var v T
	if !s.Exists {
		return v, nil
	}
	if err := json.Unmarshal(s.Data, &v); err != nil {
		return v, fmt.Errorf("read state: %w", err)
	}
	return v, nil
}

// exactly says whether two states are one, place and all.
func exactly(a, b tools.State) bool { return a.Exists == b.Exists && bytes.Equal(a.Data, b.Data) }

// same says whether a target holds what it held. What stands before a block is
// the neighbour's affair: it is kept to put a block back, not compared.
func same(t target, a, b tools.State) bool {
	if exactly(a, b) || a.Exists != b.Exists || !t.blocky() {
		return exactly(a, b)
	}
	x, errX := read[kept](a)
	y, errY := read[kept](b)
	if errX != nil || errY != nil {
		return false
	}
	x.After, y.After = "", ""
	return bytes.Equal(stateOf(x).Data, stateOf(y).Data)
}
