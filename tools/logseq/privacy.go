package logseq

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
)

// An agentView is the graph as an agent may see it, for one call. If anything
// is hidden, it asks the Peer for raw answers, in which references are uuids
// without names. So a hidden page shows neither in a reference nor in a count.
type agentView struct {
	g            *Graph
	entities     map[UUID]entity
	hiddenPages  map[UUID]bool          // pages
	blocksByPage map[UUID]map[UUID]bool // blocks of a page
}

// An entity is the page or block that a reference names.
type entity struct {
	exists bool
	page   wirePage   // of a page
	block  *wireBlock // of a block
}

func (g *Graph) newView() *agentView {
	return &agentView{g, map[UUID]entity{}, map[UUID]bool{}, map[UUID]map[UUID]bool{}}
}

// hidesAnything reports whether anything can be hidden.
func (g *Graph) hidesAnything() bool { return g.privacy.Any() }

// blockRules are the rules that also match single blocks: tags and properties.
// A matching block is hidden with everything below it.
func (g *Graph) blockRules() tools.Privacy {
	var marks tools.Privacy
	for _, m := range g.privacy.Exclude {
		if m.Tag != "" || m.Property != "" {
			marks.Exclude = append(marks.Exclude, m)
		}
	}
	return marks
}

// hidesPage reports whether a page is hidden.
func (v *agentView) hidesPage(ctx context.Context, p wirePage) (bool, error) {
	if hidden, ok := v.hiddenPages[p.UUID]; ok && p.UUID != "" {
		return hidden, nil
	}
	tags, properties, err := v.labels(ctx, p.Tags, p.Properties)
	if err != nil {
		return true, err
	}
	// A tag has a page with its name, which must be hidden with it.
	hidden := v.g.privacy.Hides(tools.Page{Path: p.Name, Tags: append(tags, p.Name), Properties: properties})
	if p.UUID != "" {
		v.hiddenPages[p.UUID] = hidden
	}
	return hidden, nil
}

// hidesBlock reports whether a block is hidden by its own tags or properties.
func (v *agentView) hidesBlock(ctx context.Context, b wireBlock) (bool, error) {
	marks := v.g.blockRules()
	if !marks.Any() {
		return false, nil
	}
	tags, properties, err := v.labels(ctx, append(slices.Clone(b.Tags), hashtags(b.Raw)...), b.Properties)
	return err != nil || marks.Hides(tools.Page{Tags: tags, Properties: properties}), err
}

// labels returns tags and properties with the names that privacy rules use.
func (v *agentView) labels(ctx context.Context, tags []string, properties map[string]any) ([]string, map[string][]string, error) {
	var words []string
	values := map[string][]string{}
	for _, tag := range tags {
		word, err := v.resolveLabel(ctx, tag)
		if err != nil {
			return nil, nil, err
		}
		words = append(words, word)
	}
	for name, value := range properties {
		values[name] = []string{}
		for _, text := range valueTexts(value) {
			word, err := v.resolveLabel(ctx, text)
			if err != nil {
				return nil, nil, err
			}
			values[name] = append(values[name], word)
		}
		if strings.EqualFold(name, "tags") {
			words = append(words, values[name]...)
		}
	}
	return words, values, nil
}

// valueTexts returns the values of a property. Text with commas counts as a
// whole and in its parts.
func valueTexts(value any) []string {
	if list, ok := value.([]any); ok {
		var all []string
		for _, e := range list {
			all = append(all, valueTexts(e)...)
		}
		return all
	}
	text := valueText(value)
	all := []string{text}
	for part := range strings.SplitSeq(text, ",") {
		all = append(all, strings.TrimPrefix(strings.TrimSpace(part), "#"))
	}
	return all
}

var (
	uuidReference  = regexp.MustCompile(`^\[\[([0-9a-fA-F-]{36})\]\]$`)
	namedReference = regexp.MustCompile(`^\[\[(.+)\]\]$`)
	hashtag        = regexp.MustCompile(`(?:^|\s)#(?:\[\[([^\]]+)\]\]|([^\s#,.;!?()\[\]"]+))`)
)

func hashtags(text string) []string {
	var all []string
	for _, m := range hashtag.FindAllStringSubmatch(text, -1) {
		all = append(all, m[1]+m[2])
	}
	return all
}

// resolveLabel returns the name of a tag or value. It also resolves hidden
// pages, because the result is only compared with rules and never shown.
func (v *agentView) resolveLabel(ctx context.Context, text string) (string, error) {
	if m := uuidReference.FindStringSubmatch(text); m != nil {
		e, err := v.entity(ctx, UUID(m[1]))
		switch {
		case err != nil:
			return "", err
		case e.block != nil:
			return e.block.Content, nil
		}
		return e.page.Name, nil
	}
	if m := namedReference.FindStringSubmatch(text); m != nil {
		return m[1], nil
	}
	return text, nil
}

// entity finds what a reference names, hidden or not.
func (v *agentView) entity(ctx context.Context, uuid UUID) (entity, error) {
	if e, ok := v.entities[uuid]; ok {
		return e, nil
	}
	p, err := v.g.unfilteredPage(ctx, string(uuid))
	e := entity{exists: err == nil, page: p}
	if isNotFound(err) {
		var b wireBlock
		b, err = v.g.unfilteredBlock(ctx, uuid, 0)
		e = entity{exists: err == nil, block: &b}
	}
	if err != nil && !isNotFound(err) {
		return entity{}, err
	}
	if !e.exists {
		e = entity{}
	}
	v.entities[uuid] = e
	return e, nil
}

// visiblePage returns p with the names that an agent may see, or NotFound if
// it is hidden. asked is the name in the request.
func (v *agentView) visiblePage(ctx context.Context, asked string, p wirePage) (wirePage, error) {
	if hidden, err := v.hidesPage(ctx, p); err != nil || hidden {
		if err == nil {
			err = noPageError(asked)
		}
		return wirePage{}, err
	}
	var err error
	p.Tags, p.Properties, err = v.resolveFields(ctx, p.Tags, p.Properties)
	return p, err
}

// pruneHidden removes hidden blocks with everything below them, and resolves
// references.
func (v *agentView) pruneHidden(ctx context.Context, blocks []wireBlock) ([]wireBlock, error) {
	var kept []wireBlock
	for _, b := range blocks {
		hidden, err := v.hidesBlock(ctx, b)
		if err != nil {
			return nil, err
		}
		if hidden {
			continue
		}
		if b, err = v.resolveBlock(ctx, b); err != nil {
			return nil, err
		}
		if b.Children, err = v.pruneHidden(ctx, b.Children); err != nil {
			return nil, err
		}
		kept = append(kept, b)
	}
	return kept, nil
}

// seesBlock reports whether a block is visible: its page is, and neither it
// nor a block above it is hidden.
func (v *agentView) seesBlock(ctx context.Context, uuid UUID, page wireRef) (bool, error) {
	e, err := v.entity(ctx, page.UUID)
	if err != nil || !e.exists || e.block != nil {
		return false, err
	}
	hidden, err := v.hidesPage(ctx, e.page)
	if err != nil || hidden || e.page.Recycled {
		return false, err
	}
	if !v.g.blockRules().Any() {
		return true, nil
	}
	if _, known := v.blocksByPage[page.UUID]; !known {
		_, blocks, err := v.g.unfilteredTree(ctx, string(page.UUID), allLevels)
		if err != nil && !isNotFound(err) {
			return false, err
		}
		v.blocksByPage[page.UUID] = map[UUID]bool{}
		if err := v.collectVisible(ctx, v.blocksByPage[page.UUID], blocks); err != nil {
			return false, err
		}
	}
	return v.blocksByPage[page.UUID][uuid], nil
}

func (v *agentView) collectVisible(ctx context.Context, into map[UUID]bool, blocks []wireBlock) error {
	for _, b := range blocks {
		hidden, err := v.hidesBlock(ctx, b)
		if err != nil {
			return err
		}
		if hidden {
			continue
		}
		into[b.UUID] = true
		if err := v.collectVisible(ctx, into, b.Children); err != nil {
			return err
		}
	}
	return nil
}

// filterBlock returns a filter that keeps visible blocks and resolves their
// references.
func filterBlock(ctx context.Context) func(*agentView, wireBlock) (wireBlock, bool, error) {
	return func(v *agentView, b wireBlock) (wireBlock, bool, error) {
		seen, err := v.seesBlock(ctx, b.UUID, b.Page)
		if err != nil || !seen {
			return b, false, err
		}
		b, err = v.resolveBlock(ctx, b)
		return b, true, err
	}
}

// filterPage is filterBlock for lists of pages.
func filterPage(ctx context.Context) func(*agentView, wirePage) (wirePage, bool, error) {
	return func(v *agentView, p wirePage) (wirePage, bool, error) {
		p, err := v.visiblePage(ctx, p.Name, p)
		if isNotFound(err) {
			return p, false, nil
		}
		return p, true, err
	}
}
