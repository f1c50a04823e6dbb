package logseq

import (
	"context"
	"slices"

	"github.com/lectern-mcp/lectern/tools"
)

// FocusOut is the answer of get_focus.
type FocusOut struct {
	Page     Pages  `json:"page,omitempty" jsonschema:"page that is open, if any"`
	Current  Blocks `json:"editing,omitempty" jsonschema:"block that the user is editing, if any"`
	Selected Blocks `json:"selected,omitempty" jsonschema:"blocks that are selected"`
	Note     string `json:"note,omitempty" jsonschema:"more about the result"`
}

func getFocus() tools.Tool[*Graph] {
	return define(tools.Spec[NoArguments, FocusOut]{
		Name: "get_focus", Title: "What the user looks at", Effect: tools.Reads, OptIn: true,
		Doc:      "Tells which page is open in Logseq, which block the user is editing and which are selected.\nNeeds focus.",
		Redact:   FocusOut.redact,
		Examples: []tools.Example[NoArguments, FocusOut]{{Purpose: "see what the user means by \"this page\"", AnyAnswer: true}},
	}, readsGraph(runGetFocus), "focus")
}

// redact leaves out what is on covered pages.
func (out FocusOut) redact(covered func(page string) bool) FocusOut {
	hidden := func(b Block) bool { return covered(b.PageName) }
	out.Page = slices.DeleteFunc(out.Page, func(p Page) bool { return covered(p.Name) })
	out.Current, out.Selected = slices.DeleteFunc(out.Current, hidden), slices.DeleteFunc(out.Selected, hidden)
	return out
}

// runGetFocus implements get_focus. The Peer answers uuids; what is hidden is
// left out, as if nothing were open.
func runGetFocus(ctx context.Context, g *Graph, _ NoArguments) (FocusOut, error) {
	var at struct {
		Page     UUID   `json:"page"`
		Editing  UUID   `json:"editing"`
		Selected []UUID `json:"selected"`
	}
	if err := g.query(ctx, "focus.get", struct{}{}, &at); err != nil {
		return FocusOut{}, err
	}
	var out FocusOut
	if at.Page != "" {
		p, err := g.page(ctx, string(at.Page))
		if err := ignoreNotFound(err); err != nil {
			return out, err
		}
		if err == nil {
			out.Page = Pages{p.forAgent()}
		}
	}
	blocks, err := visibleBlocksOf(ctx, g, append([]UUID{at.Editing}, at.Selected[:min(len(at.Selected), maxSelected)]...))
	if err != nil {
		return out, err
	}
	for _, b := range fitAnswer(blocksForAgent(blocks), Block.size) {
		if b.UUID == at.Editing {
			out.Current = Blocks{b}
		} else {
			out.Selected = append(out.Selected, b)
		}
	}
	if len(out.Page) == 0 && len(out.Current) == 0 && len(out.Selected) == 0 {
		out.Note = "No page is open that you may see."
	}
	return out, nil
}

// maxSelected is the maximum number of selected blocks in an answer.
const maxSelected = 100

// visibleBlocksOf reads blocks without their children, and leaves out those
// that are missing or hidden.
func visibleBlocksOf(ctx context.Context, g *Graph, uuids []UUID) ([]wireBlock, error) {
	var blocks []wireBlock
	for _, uuid := range uuids {
		if uuid == "" {
			continue
		}
		b, err := g.block(ctx, uuid, 0)
		if err := ignoreNotFound(err); err != nil {
			return nil, err
		}
		if err == nil {
			blocks = append(blocks, b)
		}
	}
	return blocks, nil
}

// OpenPageIn are the arguments of open_page.
type OpenPageIn struct {
	PageName  Name `json:"page_name,omitempty" jsonschema:"page, by name or uuid"`
	BlockUUID UUID `json:"block_uuid,omitempty" jsonschema:"or a block"`
}

// OpenPageOut is the answer of open_page.
type OpenPageOut struct {
	PageName string `json:"page_name" jsonschema:"page that was opened"`
}

func (in OpenPageIn) check() error {
	if (in.PageName == "") == (in.BlockUUID == "") {
		return tools.Errorf(tools.Invalid, "give page_name or block_uuid")
	}
	return in.BlockUUID.check("block_uuid")
}

func openPage() tools.Tool[*Graph] {
	return define(tools.Spec[OpenPageIn, OpenPageOut]{
		Name: "open_page", Title: "Show a page", Effect: tools.Reads, OptIn: true,
		Selects: []string{"page_name", "block_uuid"},
		Doc: "Shows a page or block in Logseq's window. It changes what the user sees, and no note.\nNeeds page.open. Only if the user " +
			"asked for it.",
		Examples: []tools.Example[OpenPageIn, OpenPageOut]{{Purpose: "show a page", In: OpenPageIn{PageName: "Garden"}, AnyAnswer: true}},
	}, readsGraph(runOpenPage), "page.open")
}

// runOpenPage implements open_page.
func runOpenPage(ctx context.Context, g *Graph, in OpenPageIn) (OpenPageOut, error) {
	var out OpenPageOut
	target := in.BlockUUID
	if in.BlockUUID != "" {
		b, err := g.block(ctx, in.BlockUUID, 0)
		if err != nil {
			return out, err
		}
		out.PageName = b.Page.Name
	} else {
		p, err := g.page(ctx, string(in.PageName))
		if err != nil {
			return out, err
		}
		out.PageName, target = p.Name, p.UUID
	}
	return out, g.query(ctx, "page.open", struct {
		Target UUID `json:"target"`
	}{target}, nil)
}
