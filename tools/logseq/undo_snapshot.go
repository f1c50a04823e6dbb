package logseq

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
)

// A blockSnapshot is all that a block holds, in the form of a State: Logseq's own text
// and, on a DB graph, properties by their idents. Times are not kept, because
// no one can set them.
type blockSnapshot struct {
	Page   string `json:"page,omitempty"`   // of one on top; its uuid on a DB graph, its name on a file graph, where uuids of pages do not last
	Parent UUID   `json:"parent,omitempty"` // of any other
	After  UUID   `json:"after,omitempty"`  // the sibling before it; absent for the first
	blockTree
}

type blockTree struct {
	UUID       UUID                       `json:"uuid"`
	Text       string                     `json:"text"`
	Properties map[string]json.RawMessage `json:"properties,omitempty"`
	Tags       []string                   `json:"tags,omitempty"`
	Collapsed  bool                       `json:"collapsed,omitempty"`
	Children   []blockTree                `json:"children,omitempty"`
}

// A pageSnapshot is all that a page holds. On a file graph its properties are Text.
type pageSnapshot struct {
	Name       string                     `json:"name"`
	UUID       UUID                       `json:"uuid,omitempty"` // on a DB graph
	Day        int                        `json:"day,omitempty"`
	Text       string                     `json:"text,omitempty"`
	Properties map[string]json.RawMessage `json:"properties,omitempty"`
	Tags       []string                   `json:"tags,omitempty"`
	Recycled   bool                       `json:"recycled,omitempty"` // never in a State
	Blocks     []blockTree                `json:"blocks,omitempty"`
}

// What a Change is about, by the words that its target begins with. What comes
// first is tried first.
const (
	treeTarget     = "tree of block " // a block with all below it
	blockTarget    = "block "         // a block alone: text, properties and place
	pageHeadTarget = "head of page "  // a page without its blocks: name and properties
	pageTarget     = "page "          // a page with its blocks
	journalTarget  = "journal "       // the same by its day, before its name is known
)

// A target is the name of a Change taken apart.
type target struct{ kind, name string }

func (t target) String() string { return t.kind + t.name }

// isBlock says whether the target is a block, with or without those below it.
func (t target) isBlock() bool { return t.kind == blockTarget || t.kind == treeTarget }

func parseTarget(name string) (target, error) {
	for _, what := range []string{treeTarget, blockTarget, pageHeadTarget, pageTarget, journalTarget} {
		if rest, ok := strings.CutPrefix(name, what); ok && rest != "" {
			return target{what, rest}, nil
		}
	}
	return target{}, tools.Errorf(tools.Invalid, "no target of a graph: %.80q", name)
}

// State implements tools.Keeper. A page in the recycle bin is not there.
func (g *Graph) State(ctx context.Context, name string) (tools.State, error) {
	t, err := parseTarget(name)
	if err != nil {
		return tools.State{}, err
	}
	if g.hello() == nil {
		return tools.State{}, notConnectedError(g.conf.Graph)
	}
	if t.isBlock() {
		k, err := g.readBlockSnapshot(ctx, t)
		if err != nil || k == nil {
			return tools.State{}, err
		}
		return encodeState(k), nil
	}
	p, err := g.readPageSnapshot(ctx, t)
	if err != nil || p == nil {
		return tools.State{}, err
	}
	return encodeState(p), nil
}

// readBlockSnapshot is nil when the block is not there.
func (g *Graph) readBlockSnapshot(ctx context.Context, t target) (*blockSnapshot, error) {
	var k blockSnapshot
	err := g.query(ctx, "blocks.state", struct {
		UUID     string `json:"uuid"`
		Children bool   `json:"children"`
	}{t.name, t.kind == treeTarget}, &k)
	switch {
	case isNotFound(err) || err == nil && k.UUID == "":
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &k, nil
}

// readPageSnapshot is nil when the page is not there, or in the recycle bin.
func (g *Graph) readPageSnapshot(ctx context.Context, t target) (*pageSnapshot, error) {
	p, err := g.readPageOrRecycled(ctx, t)
	if err != nil || p == nil || p.Recycled {
		return nil, err
	}
	return p, nil
}

// readPageOrRecycled is nil when the page is not there. One in the recycle bin says
// that it is.
func (g *Graph) readPageOrRecycled(ctx context.Context, t target) (*pageSnapshot, error) {
	var p pageSnapshot
	in := struct {
		Page   string `json:"page,omitempty"`
		Day    string `json:"day,omitempty"`
		Blocks bool   `json:"blocks"`
	}{Page: t.name, Blocks: t.kind != pageHeadTarget}
	if t.kind == journalTarget {
		in.Page, in.Day = "", t.name
	}
	err := g.query(ctx, "pages.state", in, &p)
	switch {
	case isNotFound(err) || err == nil && p.Name == "":
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &p, nil
}

// encodeState writes a kept thing down, a field a line, as a person reads a diff.
func encodeState(k any) tools.State {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(k); err != nil {
		panic(fmt.Sprintf("logseq: %v", err)) // text, numbers and what was JSON already
	}
	return tools.State{Exists: true, Data: b.Bytes()}
}

// decodeState is the other way; what is not there stays zero.
func decodeState[T any](s tools.State) (T, error) {
	var v T
	if !s.Exists {
		return v, nil
	}
	if err := json.Unmarshal(s.Data, &v); err != nil {
		return v, fmt.Errorf("read state: %w", err)
	}
	return v, nil
}

// equalStates says whether two states are one, place and all.
func equalStates(a, b tools.State) bool { return a.Exists == b.Exists && bytes.Equal(a.Data, b.Data) }

// sameTargetState says whether a target holds what it held. What stands before a block is
// the neighbour's affair: it is kept to put a block back, not compared.
func sameTargetState(t target, a, b tools.State) bool {
	if equalStates(a, b) || a.Exists != b.Exists || !t.isBlock() {
		return equalStates(a, b)
	}
	x, errX := decodeState[blockSnapshot](a)
	y, errY := decodeState[blockSnapshot](b)
	if errX != nil || errY != nil {
		return false
	}
	x.After, y.After = "", ""
	return bytes.Equal(encodeState(x).Data, encodeState(y).Data)
}
