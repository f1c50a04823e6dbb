package logseq

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
)

// A blockSnapshot is everything that a block holds, as in a State: Logseq's
// own text and, on a DB graph, properties by ident. Times are left out because
// they cannot be set.
type blockSnapshot struct {
	blockPlace
	blockTree
}

// A blockPlace says where a block is.
type blockPlace struct {
	// of a top-level block; uuid on a DB graph, name on a file graph, where page uuids are not permanent
	Page   string `json:"page,omitempty"`
	Parent UUID   `json:"parent,omitempty"` // of any other block
	After  UUID   `json:"after,omitempty"`  // the sibling before it; absent for the first
	Before UUID   `json:"before,omitempty"` // the sibling behind it; absent for the last, and in States of older plugins
}

// home is the place without neighbours.
func (p blockPlace) home() blockPlace { return blockPlace{Page: p.Page, Parent: p.Parent} }

// differs reports whether a block was moved. What stands behind it may have
// changed without that.
func (p blockPlace) differs(other blockPlace) bool {
	return p.home() != other.home() || p.After != other.After
}

type blockTree struct {
	UUID       UUID                       `json:"uuid"`
	Text       string                     `json:"text"`
	Properties map[string]json.RawMessage `json:"properties,omitempty"`
	Tags       []string                   `json:"tags,omitempty"`
	Collapsed  bool                       `json:"collapsed,omitempty"`
	Children   []blockTree                `json:"children,omitempty"`
}

// A pageSnapshot is everything that a page holds. On a file graph Text has its
// properties.
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

// Kinds of targets, by the beginning of their names. A name is compared with
// them in this order.
const (
	treeTarget     = "tree of block " // a block with everything below it
	blockTarget    = "block "         // only the block: text, properties and position
	pageHeadTarget = "head of page "  // a page without its blocks: name and properties
	pageTarget     = "page "          // a page with its blocks
	journalTarget  = "journal "       // a journal page by its day, when its name is not known yet
)

// A target is the parsed name of the target of a Change.
type target struct{ kind, name string }

func (t target) String() string { return t.kind + t.name }

// isBlock reports whether the target is a block, with or without the blocks
// below it.
func (t target) isBlock() bool { return t.kind == blockTarget || t.kind == treeTarget }

func parseTarget(name string) (target, error) {
	for _, what := range []string{treeTarget, blockTarget, pageHeadTarget, pageTarget, journalTarget} {
		if rest, ok := strings.CutPrefix(name, what); ok && rest != "" {
			return target{what, rest}, nil
		}
	}
	return target{}, tools.Errorf(tools.Invalid, "unknown target: %.80q", name)
}

// State implements tools.Restorer. A page in the recycle bin does not exist.
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

// readBlockSnapshot returns nil if the block does not exist.
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

// readPageSnapshot returns nil if the page does not exist or is in the recycle
// bin.
func (g *Graph) readPageSnapshot(ctx context.Context, t target) (*pageSnapshot, error) {
	p, err := g.readPageOrRecycled(ctx, t)
	if err != nil || p == nil || p.Recycled {
		return nil, err
	}
	return p, nil
}

// readPageOrRecycled returns nil if the page does not exist, and also finds
// pages in the recycle bin.
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

// encodeState encodes a snapshot with one field per line, so that a person can
// read the diff.
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

// decodeState decodes a snapshot; the zero value if the target does not exist.
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

// equalStates reports whether two States are equal, including the position.
func equalStates(a, b tools.State) bool { return a.Exists == b.Exists && bytes.Equal(a.Data, b.Data) }

// sameTargetState reports whether a target holds the same in two States. It
// ignores the blocks beside it, which only matter for putting a block back.
func sameTargetState(t target, a, b tools.State) bool {
	if equalStates(a, b) || a.Exists != b.Exists || !t.isBlock() {
		return equalStates(a, b)
	}
	x, errX := decodeState[blockSnapshot](a)
	y, errY := decodeState[blockSnapshot](b)
	if errX != nil || errY != nil {
		return false
	}
	x.blockPlace, y.blockPlace = x.home(), y.home()
	return bytes.Equal(encodeState(x).Data, encodeState(y).Data)
}
