package logseq

import (
	"context"
	"encoding/json"
	"time"
)

// The types of this file are what the Peer answers, the same for both product
// lines.

// wireBlock is a block. A null from Logseq leaves it without uuid.
type wireBlock struct {
	UUID       UUID            `json:"uuid"`
	Page       wireRef         `json:"page"`
	Parent     UUID            `json:"parent"` // the page's or empty for one on top
	Content    string          `json:"content"`
	Raw        string          `json:"raw"`
	Properties map[string]any  `json:"properties"`
	Tags       []string        `json:"tags"`
	Marker     string          `json:"marker"`
	Priority   string          `json:"priority"`
	Scheduled  json.RawMessage `json:"scheduled"`
	Deadline   json.RawMessage `json:"deadline"`
	Children   []wireBlock     `json:"children"`
}

// wireRef names a page. It is an object, or just the name.
type wireRef struct {
	UUID UUID   `json:"uuid"`
	Name string `json:"name"`
}

// UnmarshalJSON implements json.Unmarshaler.
func (r *wireRef) UnmarshalJSON(b []byte) error {
	type fields wireRef
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &r.Name)
	}
	return json.Unmarshal(b, (*fields)(r))
}

// wirePage is a page.
type wirePage struct {
	UUID       UUID           `json:"uuid"`
	Name       string         `json:"name"`
	Kind       string         `json:"kind"`
	JournalDay int            `json:"journal_day"`
	Properties map[string]any `json:"properties"`
	Tags       []string       `json:"tags"`
	CreatedAt  int64          `json:"created_at"`
	UpdatedAt  int64          `json:"updated_at"`
	Recycled   bool           `json:"recycled"`
}

type (
	pageArg struct {
		Page string `json:"page"`
	}
	treeArg struct {
		Page  string `json:"page"`
		Depth int    `json:"depth"`
	}
	blockArg struct {
		UUID  UUID `json:"uuid"`
		Depth int  `json:"depth"`
	}
	listArg struct {
		Offset int `json:"offset"`
		Limit  int `json:"limit"`
	}
)

// readWithin bounds one question: the plugin itself gives up on Logseq before.
const readWithin = 15 * time.Second

// ask puts a question that changes nothing. It may be asked twice.
func (g *Graph) ask(ctx context.Context, method string, in, out any) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, readWithin)
	defer cancel()
	return failure(g.peer.Call(ctx, method, in, out, true))
}

// page finds a page that an agent may know, by name or uuid.
func (g *Graph) page(ctx context.Context, name string) (wirePage, error) { return g.anyPage(ctx, name) }

// anyPage finds a page by name or uuid. What is not there, or was null, is
// NotFound.
func (g *Graph) anyPage(ctx context.Context, name string) (wirePage, error) {
	var p wirePage
	if err := g.ask(ctx, "pages.get", pageArg{name}, &p); err != nil {
		if absentIn(err) {
			return p, noPage(name)
		}
		return p, err
	}
	if p.UUID == "" && p.Name == "" {
		return p, noPage(name)
	}
	return p, nil
}

// allLevels asks for blocks with everything below them.
const allLevels = -1

// tree reads a page with depth levels of its blocks.
func (g *Graph) tree(ctx context.Context, name string, depth int) (wirePage, []wireBlock, error) {
	var t struct {
		Page   wirePage    `json:"page"`
		Blocks []wireBlock `json:"blocks"`
	}
	if err := g.ask(ctx, "pages.tree", treeArg{name, depth}, &t); err != nil {
		if absentIn(err) {
			return t.Page, nil, noPage(name)
		}
		return t.Page, nil, err
	}
	if t.Page.UUID == "" && t.Page.Name == "" {
		return t.Page, nil, noPage(name)
	}
	return t.Page, t.Blocks, nil
}

// block reads a block with depth levels below it.
func (g *Graph) block(ctx context.Context, uuid UUID, depth int) (wireBlock, error) {
	var b wireBlock
	if err := g.ask(ctx, "blocks.get", blockArg{uuid, depth}, &b); err != nil {
		if absentIn(err) {
			return b, noBlock(uuid)
		}
		return b, err
	}
	if b.UUID == "" {
		return b, noBlock(uuid)
	}
	return b, nil
}
