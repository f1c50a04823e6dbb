package logseq

import (
	"context"
	"errors"
	"fmt"

	"github.com/lectern-mcp/lectern/tools"
)

// ReplacePageContentIn are the arguments of replace_page_content.
type ReplacePageContentIn struct {
	PageName Name    `json:"page_name" jsonschema:"page, by name or uuid"`
	Content  Content `json:"content" jsonschema:"Markdown; lists become nested blocks"`
	DryRun   bool    `json:"dry_run,omitempty" jsonschema:"only check"`
}

// PageContentWritten is the answer of replace_page_content.
type PageContentWritten struct {
	PageName string `json:"page_name" jsonschema:"its name"`
	UUID     UUID   `json:"uuid" jsonschema:"its uuid"`
	Blocks   []UUID `json:"blocks,omitempty" jsonschema:"uuids of the new top-level blocks"`
	Deleted  int    `json:"deleted" jsonschema:"blocks that were deleted"`
	Written
}

func (in ReplacePageContentIn) check() error { return checkPageName("page_name", in.PageName) }

func replacePageContent() tools.Tool[*Graph] {
	return defineWrite(tools.Spec[ReplacePageContentIn, PageContentWritten]{
		Name: "replace_page_content", Title: "Replace a page's content", Effect: tools.Deletes, OptIn: true, Timeout: 2 * treeTimeout,
		Selects: []string{"page_name"},
		Doc: "Writes new blocks on a page and deletes those that were there.\nNeeds blocks.insert and blocks.delete. Properties of the page " +
			"stay. References to deleted blocks are lost: to change some of them use update_block.",
		Examples: []tools.Example[ReplacePageContentIn, PageContentWritten]{
			{Purpose: "write a page from the start", In: ReplacePageContentIn{PageName: "Compost", Content: "- Layers\n  - Straw"}, AnyAnswer: true},
		},
	}, writesGraph(runReplacePageContent), "pages.read", "blocks.insert", "blocks.delete")
}

// runReplacePageContent implements replace_page_content. What is new is written
// first, so that a failure loses nothing.
func runReplacePageContent(
	ctx context.Context, g *Graph, c tools.CallContext, in ReplacePageContentIn,
) (out PageContentWritten, err error) {
	drafts, err := parseContent("content", string(in.Content))
	if err != nil {
		return PageContentWritten{}, err
	}
	p, err := g.writablePage(ctx, in.PageName)
	if err != nil {
		return PageContentWritten{}, err
	}
	if err := g.checkWholePage(ctx, p); err != nil {
		return PageContentWritten{}, err
	}
	if err := prepareNewBlocks(ctx, g, drafts); err != nil {
		return PageContentWritten{}, err
	}
	_, present, err := g.tree(ctx, string(p.UUID), allLevels)
	if err != nil {
		return PageContentWritten{}, err
	}
	out = PageContentWritten{PageName: p.Name, UUID: p.UUID, Deleted: countBlocks(present)}
	if in.DryRun {
		out.Written = dryRunResult()
		return out, nil
	}
	var planned []plannedChange
	for _, b := range present {
		referrers, err := g.planReferrers(ctx, b.UUID, "db")
		if err != nil {
			return out, err
		}
		if err := g.checkReferrers(ctx, referrers); err != nil {
			return out, err
		}
		planned = append(append(planned, planDelete(target{treeTarget, string(b.UUID)})), outside(referrers, present)...)
	}
	finish, err := g.reportChanges(ctx, c, append(planned, outside(g.planInsert(p.endPosition(), drafts), present)...)...)
	if err != nil {
		return out, err
	}
	defer func() { finish(err) }()
	out.Blocks = topUUIDs(drafts)
	w := g.insertRequest(p.endPosition(), drafts, nil)
	w.progress = progressReporter(c)
	if out.Written, err = g.perform(ctx, w); err != nil {
		if e, ok := errors.AsType[*tools.Error](err); ok {
			err = e.WithHint("The old blocks are all there. Read the page; where the new content is there too, delete the old blocks.")
		}
		return out, err
	}
	for i, b := range present {
		deleted, err := g.perform(ctx, deleteRequest(g, b, p.Name,
			[]string{"new content written", fmt.Sprintf("%d of %d old blocks deleted", i, len(present))}))
		if err != nil {
			return out, err
		}
		out.Verified = out.Verified && deleted.Verified
		out.Warnings = append(out.Warnings, deleted.Warnings...)
	}
	return out, nil
}

// outside leaves out the changes of blocks that are deleted themselves.
func outside(referrers []plannedChange, deleted []wireBlock) []plannedChange {
	var kept []plannedChange
	for _, r := range referrers {
		inside := false
		for _, b := range deleted {
			inside = inside || b.contains(UUID(r.target.name))
		}
		if !inside {
			kept = append(kept, r)
		}
	}
	return kept
}

// deleteRequest deletes a block with everything below it.
func deleteRequest(g *Graph, b wireBlock, page string, earlier []string) writeRequest {
	return writeRequest{
		method: "blocks.delete", params: uuidArg{b.UUID}, details: writeDetails{UUID: b.UUID, Page: page, Done: earlier},
		verify: func(ctx context.Context) (verification, error) {
			_, err := g.block(ctx, b.UUID, 0)
			return verifyGone(err)
		},
	}
}
