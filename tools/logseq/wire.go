package logseq

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"
)

// The types in this file are the answers of the Peer, the same for both
// product lines.

// wireBlock is a block. It has no uuid if Logseq answered null.
type wireBlock struct {
	UUID       UUID            `json:"uuid"`
	Page       wireRef         `json:"page"`
	Parent     UUID            `json:"parent"` // the page's or empty for a top-level block
	Content    string          `json:"content"`
	Raw        string          `json:"raw"`
	Properties map[string]any  `json:"properties"`
	Tags       []string        `json:"tags"`
	Marker     string          `json:"marker"`
	Priority   string          `json:"priority"`
	Scheduled  json.RawMessage `json:"scheduled"`
	Deadline   json.RawMessage `json:"deadline"`
	Files      []string        `json:"files"` // in the folder of assets
	Children   []wireBlock     `json:"children"`
}

// wireRef names a page. It is an object, or only the name.
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
	pageNameArg struct {
		Page    string `json:"page"`
		Besides []UUID `json:"besides,omitempty"` // pages that are not meant
	}
	treeArg struct {
		Page  string `json:"page"`
		Depth int    `json:"depth"`
	}
	blockArg struct {
		UUID  UUID `json:"uuid"`
		Depth int  `json:"depth"`
	}
	uuidArg struct {
		UUID UUID `json:"uuid"`
	}
	moveArg struct {
		UUID   UUID     `json:"uuid"`
		Target string   `json:"target"`
		Place  Position `json:"place"`
	}
	renameArg struct {
		Page UUID   `json:"page"`
		Name string `json:"name"`
	}
	listArg struct {
		Offset int `json:"offset"`
		Limit  int `json:"limit"`
	}
)

// readTimeout limits one read; the plugin gives up on Logseq earlier.
const readTimeout = 15 * time.Second

// query sends a request that changes nothing. It may be sent twice.
func (g *Graph) query(ctx context.Context, method string, in, out any) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if g.hidesAnything() {
		if err := g.requireCapability("privacy"); err != nil {
			return err
		}
		in = rawRequest{in}
	}
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	return toolError(g.peer.Call(ctx, method, in, out, true))
}

// rawRequest asks for references as they are stored, without names.
type rawRequest struct{ question any }

// MarshalJSON implements json.Marshaler.
func (b rawRequest) MarshalJSON() ([]byte, error) {
	raw, err := json.Marshal(b.question)
	if err != nil || len(raw) < 2 || raw[0] != '{' {
		return raw, err
	}
	if string(raw) == "{}" {
		return []byte(`{"bare":true}`), nil
	}
	return append([]byte(`{"bare":true,`), raw[1:]...), nil
}

// listBatch is the number of entries of a list in one request.
const listBatch = 1000

// readAll reads a whole list in batches.
func readAll[T any](ask func(listArg) ([]T, int, error)) ([]T, error) {
	var all []T
	for {
		some, total, err := ask(listArg{len(all), listBatch})
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
		if len(some) == 0 || len(all) >= total {
			return all, nil
		}
	}
}

// maxNamesakes is how many hidden pages of one name are looked behind: a Peer could
// name new ones for ever.
const maxNamesakes = 100

// page finds a visible page by name or uuid.
// Of several with the name Logseq's side chooses, one in use before one in the bin and a
// person's before Logseq's own; one that is hidden must not stand before another there.
func (g *Graph) page(ctx context.Context, name string) (wirePage, error) {
	var hidden []UUID
	for {
		p, err := g.unfilteredPage(ctx, name, hidden...)
		if err != nil {
			uuid, errVisible := visiblePageNamed(ctx, g, name, err)
			if errVisible == nil {
				return g.page(ctx, string(uuid))
			}
			several, is := errors.AsType[*ambiguousNameError](err)
			if !is || !isNotFound(errVisible) || len(hidden) > maxNamesakes || slices.Contains(hidden, several.candidates[0].UUID) {
				return p, errVisible
			}
			for _, c := range several.candidates { // all of them are hidden
				hidden = append(hidden, c.UUID)
			}
			continue
		}
		if !g.hidesAnything() {
			return p, nil
		}
		seen, err := g.newView().visiblePage(ctx, name, p)
		if !isNotFound(err) || len(hidden) > maxNamesakes || slices.Contains(hidden, p.UUID) { // an older plugin chooses it again
			return seen, err
		}
		hidden = append(hidden, p.UUID)
	}
}

// unfilteredPage finds a page by name or uuid, hidden or not, besides some.
func (g *Graph) unfilteredPage(ctx context.Context, name string, besides ...UUID) (wirePage, error) {
	var p wirePage
	if err := g.query(ctx, "pages.get", pageNameArg{name, besides}, &p); err != nil {
		if isNotFound(err) {
			return p, noPageError(name)
		}
		return p, err
	}
	if p.UUID == "" && p.Name == "" {
		return p, noPageError(name)
	}
	return p, nil
}

// allLevels requests blocks with everything below them.
const allLevels = -1

// tree reads a visible page with depth levels of its visible blocks.
func (g *Graph) tree(ctx context.Context, name string, depth int) (wirePage, []wireBlock, error) {
	p, blocks, err := g.unfilteredTree(ctx, name, depth)
	if err != nil {
		uuid, err := visiblePageNamed(ctx, g, name, err)
		if err != nil {
			return p, nil, err
		}
		return g.tree(ctx, string(uuid), depth)
	}
	if !g.hidesAnything() {
		return p, blocks, nil
	}
	v, first := g.newView(), p.UUID
	if p, err = v.visiblePage(ctx, name, p); isNotFound(err) {
		if p, err = g.page(ctx, name); err == nil && p.UUID != first {
			return g.tree(ctx, string(p.UUID), depth)
		}
	}
	if err != nil {
		return p, nil, err
	}
	blocks, err = v.pruneHidden(ctx, blocks)
	return p, blocks, err
}

// unfilteredTree reads a page with depth levels of its blocks, hidden or not.
func (g *Graph) unfilteredTree(ctx context.Context, name string, depth int) (wirePage, []wireBlock, error) {
	var t struct {
		Page   wirePage    `json:"page"`
		Blocks []wireBlock `json:"blocks"`
	}
	if err := g.query(ctx, "pages.tree", treeArg{name, depth}, &t); err != nil {
		if isNotFound(err) {
			return t.Page, nil, noPageError(name)
		}
		return t.Page, nil, err
	}
	if t.Page.UUID == "" && t.Page.Name == "" {
		return t.Page, nil, noPageError(name)
	}
	return t.Page, t.Blocks, nil
}

// block reads a visible block with depth levels below it.
func (g *Graph) block(ctx context.Context, uuid UUID, depth int) (wireBlock, error) {
	b, err := g.unfilteredBlock(ctx, uuid, depth)
	if err != nil || !g.hidesAnything() {
		return b, err
	}
	v := g.newView()
	seen, err := v.seesBlock(ctx, b.UUID, b.Page)
	if err == nil && !seen {
		err = noBlockError(uuid)
	}
	if err != nil {
		return wireBlock{}, err
	}
	if b.Children, err = v.pruneHidden(ctx, b.Children); err != nil {
		return wireBlock{}, err
	}
	return v.resolveBlock(ctx, b)
}

// unfilteredBlock reads a block with depth levels below it, hidden or not.
func (g *Graph) unfilteredBlock(ctx context.Context, uuid UUID, depth int) (wireBlock, error) {
	var b wireBlock
	if err := g.query(ctx, "blocks.get", blockArg{uuid, depth}, &b); err != nil {
		if isNotFound(err) {
			return b, noBlockError(uuid)
		}
		return b, err
	}
	if b.UUID == "" {
		return b, noBlockError(uuid)
	}
	return b, nil
}
