package logseq

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
)

func resources() []tools.Resource[*Graph] {
	return []tools.Resource[*Graph]{{
		Name: "page", Title: "A page", URI: "logseq://{source}/page/{name}", MIME: "text/markdown",
		Doc: "One page as an outline, by its name or uuid.", Read: (*Graph).readPage, Complete: (*Graph).complete,
	}, {
		Name: "block", Title: "A block", URI: "logseq://{source}/block/{uuid}", MIME: "text/markdown",
		Doc: "One block with what is below it as an outline.", Read: (*Graph).readBlock,
	}, {
		Name: "requests", Title: "Requests", URI: "logseq://{source}/requests", MIME: "application/json",
		Doc: "What the user asked agents about, by uuids. list_requests tells what is asked.",
		Read: func(g *Graph, ctx context.Context, _ string, _ map[string]string) (tools.Content, error) {
			return readRequests(ctx, g)
		},
	}}
}

func (g *Graph) readPage(ctx context.Context, _ string, vars map[string]string) (tools.Content, error) {
	if len(vars["name"]) > 4000 {
		return tools.Content{}, noPageError(vars["name"])
	}
	text, err := g.readOutline(ctx, vars["name"])
	return tools.Content{Text: text}, err
}

// readOutline returns a page as get_page_content does in text form.
func (g *Graph) readOutline(ctx context.Context, name string) (string, error) {
	in := GetPageContentIn{PageName: Name(name), IncludeProperties: true, IncludeBlocks: true}
	if err := checkCall(g, in, []string{"pages.read"}); err != nil {
		return "", err
	}
	out, err := g.GetPageContent(ctx, in)
	return appendNote(out.Text, out.Note), err
}

func (g *Graph) readBlock(ctx context.Context, _ string, vars map[string]string) (tools.Content, error) {
	in := GetBlockIn{BlockUUID: UUID(vars["uuid"]), IncludeChildren: true}
	if err := checkCall(g, in, []string{"blocks.read"}); err != nil {
		return tools.Content{}, err
	}
	out, err := g.GetBlock(ctx, in)
	if err != nil {
		return tools.Content{}, err
	}
	var text strings.Builder
	writeBlock(&text, out.Block, 0)
	return tools.Content{Text: appendNote(text.String(), out.Note)}, nil
}

func appendNote(text, note string) string {
	if note == "" {
		return text
	}
	return text + "\n(" + note + ")\n"
}

// complete proposes names of pages with a prefix; none if Logseq is not
// connected.
func (g *Graph) complete(ctx context.Context, variable, prefix string) ([]string, error) {
	if variable != "name" || !g.hasCapability("pages.list") {
		return nil, nil
	}
	pages, _, err := g.visiblePages(ctx, true, listArg{0, 10_000})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, p := range pages {
		if strings.HasPrefix(strings.ToLower(p.Name), strings.ToLower(prefix)) && len(names) < 100 {
			names = append(names, p.Name)
		}
	}
	return names, nil
}

// onNotification announces what the plugin reports as changed.
func (g *Graph) onNotification(method string, params json.RawMessage) {
	switch method {
	case "request":
		announceRequest(g, params)
	case "changed":
		announceChanges(g, params)
	}
}

// announceChanges tells subscribers which resources have changed.
func announceChanges(g *Graph, params json.RawMessage) {
	var changed struct {
		Blocks []struct {
			UUID UUID    `json:"uuid"`
			Page wireRef `json:"page"`
		} `json:"blocks"`
		Pages   []string `json:"pages"`
		Deleted []UUID   `json:"deleted"`
	}
	if err := json.Unmarshal(params, &changed); err != nil {
		g.log.Warn("a notification of the plugin cannot be read", "error", err)
		return
	}
	pages, blocks := map[string]bool{}, map[UUID]bool{}
	for _, b := range changed.Blocks {
		if g.canAnnounceBlock(b.UUID) {
			blocks[b.UUID] = true
			pages[b.Page.Name] = true
		}
	}
	if !g.blockRules().Any() { // otherwise a hidden block may be the only change
		for _, name := range changed.Pages {
			pages[name] = pages[name] || g.canAnnouncePage(name)
		}
	}
	if !g.hidesAnything() { // otherwise it is not known whether a deleted block was hidden
		for _, uuid := range changed.Deleted {
			blocks[uuid] = true
		}
	}
	for name, may := range pages {
		if may {
			g.announce("page", name)
		}
	}
	for uuid := range blocks {
		g.announce("block", string(uuid))
	}
}

// canAnnounceBlock reports whether an agent may know of a block.
func (g *Graph) canAnnounceBlock(uuid UUID) bool {
	if !g.hidesAnything() {
		return true
	}
	ctx, cancel := context.WithTimeout(context.Background(), readTimeout)
	defer cancel()
	_, err := g.block(ctx, uuid, 0)
	return err == nil
}

func (g *Graph) canAnnouncePage(name string) bool {
	if !g.hidesAnything() {
		return true
	}
	ctx, cancel := context.WithTimeout(context.Background(), readTimeout)
	defer cancel()
	_, err := g.page(ctx, name)
	return err == nil
}

// announce tells subscribers that a resource has changed. Reserved characters
// in the URI must be escaped.
func (g *Graph) announce(what, name string) {
	if name == "" {
		return
	}
	g.changed("logseq://" + g.name + "/" + what + "/" + strings.ReplaceAll(url.QueryEscape(name), "+", "%20"))
}
