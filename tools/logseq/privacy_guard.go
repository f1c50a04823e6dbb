package logseq

import (
	"context"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
)

// The checks in this file refuse writes that change something hidden, or
// create something that the agent could not see.

// hiddenError has the same message for a hidden page that exists and for one
// that would be hidden, so that an agent cannot find out by trying.
func hiddenError() error {
	return tools.HiddenError("what this would change is hidden from agents").WithHint("Choose another target, or ask the user.")
}

// checkPageNameVisible refuses the name of a hidden page, and a name or
// properties that would hide a page.
func (g *Graph) checkPageNameVisible(ctx context.Context, name string, properties Properties) error {
	if !g.hidesAnything() {
		return nil
	}
	tags, values, err := g.newView().labels(ctx, nil, properties)
	if err != nil {
		return err
	}
	if g.privacy.Hides(tools.Page{Path: name, Tags: append(tags, name), Properties: values}) {
		return hiddenError()
	}
	if _, err := g.page(ctx, name); !isNotFound(err) {
		return nil // visible, so the tool reports that it exists
	}
	if _, err := g.unfilteredPage(ctx, name); !isNotFound(err) {
		return hiddenError()
	}
	return nil
}

// checkNotInRule refuses to rename or delete a page that a rule names as a property or as
// the value of one: what is hidden because it refers to the page would no longer match, or
// with a rule of only what matches would be seen. A rename to such a name does the same.
func checkNotInRule(p tools.Privacy, names ...string) error {
	for _, rule := range slices.Concat(p.Exclude, p.Only) {
		if rule.Property == "" {
			continue
		}
		for _, name := range names {
			last := name[strings.LastIndexByte(name, '/')+1:]
			named := tools.Page{Properties: map[string][]string{name: {rule.Value}, last: {rule.Value}}}
			if rule.Value != "" {
				named.Properties[rule.Property] = append(named.Properties[rule.Property], name, last)
			}
			if (tools.Privacy{Exclude: []tools.PrivacyRule{rule}}).Hides(named) {
				return hiddenError()
			}
		}
	}
	return nil
}

// checkProperties refuses properties that would hide a page.
func (g *Graph) checkProperties(ctx context.Context, p wirePage, properties Properties) error {
	if !g.hidesAnything() {
		return nil
	}
	tags, values, err := g.newView().labels(ctx, p.Tags, properties)
	if err == nil && g.blockRules().Hides(tools.Page{Tags: tags, Properties: values}) {
		return hiddenError()
	}
	return err
}

// prepareNewBlocks refuses blocks that would be hidden, and finds out what they
// refer to.
func prepareNewBlocks(ctx context.Context, g *Graph, drafts []*draft) error {
	if err := g.checkNewBlocks(ctx, drafts); err != nil {
		return err
	}
	return findReferenced(ctx, g, drafts)
}

func (g *Graph) checkNewBlocks(ctx context.Context, drafts []*draft) error {
	if !g.hidesAnything() {
		return nil
	}
	v := g.newView()
	for d := range allDrafts(drafts) {
		hidden, err := v.hidesBlock(ctx, wireBlock{Raw: d.Content, Properties: d.Properties})
		if err != nil {
			return err
		}
		if hidden {
			return hiddenError()
		}
	}
	return nil
}

// checkWholeTree refuses to delete or move blocks with something hidden below
// them. seen is the tree as the agent sees it.
func (g *Graph) checkWholeTree(ctx context.Context, seen wireBlock) error {
	if !g.hidesAnything() {
		return nil
	}
	b, err := g.unfilteredBlock(ctx, seen.UUID, allLevels)
	if err == nil && b.count() != seen.count() {
		return hiddenError()
	}
	return err
}

// checkWholePage refuses to delete a page on which something is hidden.
func (g *Graph) checkWholePage(ctx context.Context, p wirePage) error {
	if !g.hidesAnything() {
		return nil
	}
	_, all, err := g.unfilteredTree(ctx, string(p.UUID), allLevels)
	if err != nil {
		return err
	}
	kept, err := g.newView().pruneHidden(ctx, all)
	if err != nil {
		return err
	}
	if countBlocks(all) != countBlocks(kept) {
		return hiddenError()
	}
	return nil
}

func countBlocks(blocks []wireBlock) int {
	n := 0
	for _, b := range blocks {
		n += b.count()
	}
	return n
}

// checkReferrers refuses a change that would make Logseq rewrite hidden blocks
// because they link to its target.
func (g *Graph) checkReferrers(ctx context.Context, referring []plannedChange) error {
	if !g.hidesAnything() {
		return nil
	}
	for _, i := range referring {
		if _, err := g.block(ctx, UUID(i.target.name), 0); isNotFound(err) {
			return hiddenError()
		} else if err != nil {
			return err
		}
	}
	return nil
}
