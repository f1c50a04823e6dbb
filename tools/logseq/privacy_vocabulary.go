package logseq

import (
	"context"
	"slices"

	"github.com/lectern-mcp/lectern/tools"
)

// An occurrence says where a tag or property is used: on a page, or on a block
// of one.
type occurrence struct {
	UUID UUID `json:"uuid"`
	Page UUID `json:"page,omitempty"` // of a block
}

// A vocabularyEntry is a tag, property or template. On a file graph tags and
// properties exist only by being used, and a raw answer lists where.
type vocabularyEntry struct {
	Name        string       `json:"name"`
	UUID        UUID         `json:"uuid,omitempty"`
	Occurrences []occurrence `json:"uses"`

	Ident string `json:"ident,omitempty"`
	Type  string `json:"type,omitempty"`
	Many  bool   `json:"many,omitempty"`
}

// listVocabulary answers a part of the visible tags, properties or templates.
// It sets how many there are, and how to get the others.
func (g *Graph) listVocabulary(
	ctx context.Context, method string, in ListVocabularyIn,
	visible func(context.Context, *agentView, vocabularyEntry) (bool, error), total *int, note *string,
) (entries []vocabularyEntry, err error) {
	entries, *total, err = visibleList(g, listArg{int(in.Offset), int(in.Limit)}, func(of listArg) ([]vocabularyEntry, int, error) {
		var answer struct {
			Tags       []vocabularyEntry `json:"tags"`
			Properties []vocabularyEntry `json:"properties"`
			Templates  []vocabularyEntry `json:"templates"`
			Total      int               `json:"total"`
		}
		err := g.query(ctx, method, of, &answer)
		return slices.Concat(answer.Tags, answer.Properties, answer.Templates), answer.Total, err
	}, func(v *agentView, e vocabularyEntry) (vocabularyEntry, bool, error) {
		ok, err := visible(ctx, v, e)
		return e, ok, err
	})
	if err != nil {
		return nil, err
	}
	entries = fitAnswer(slicePage(entries, 0, int(in.Limit)), func(e vocabularyEntry) int { return len(e.Name) + len(e.Ident) + 60 })
	*note = moreNote(len(entries), int(in.Offset), *total)
	return entries, nil
}

// occursVisibly reports whether an entry is used somewhere visible. An entry
// without a list of occurrences exists by itself, as on a DB graph.
func (v *agentView) occursVisibly(ctx context.Context, t vocabularyEntry) (bool, error) {
	for _, o := range t.Occurrences {
		if seen, err := v.seesOccurrence(ctx, o); err != nil || seen {
			return seen, err
		}
	}
	return t.Occurrences == nil, nil
}

func (v *agentView) seesOccurrence(ctx context.Context, u occurrence) (bool, error) {
	if u.Page != "" {
		return v.seesBlock(ctx, u.UUID, wireRef{UUID: u.Page})
	}
	name, _, err := v.visibleName(ctx, u.UUID)
	return name != "", err
}

func tagVisible(ctx context.Context, v *agentView, t vocabularyEntry) (bool, error) {
	if v.g.privacy.Hides(tools.Page{Path: t.Name, Tags: []string{t.Name}}) {
		return false, nil
	}
	if t.UUID != "" {
		name, _, err := v.visibleName(ctx, t.UUID)
		return name != "", err
	}
	return v.occursVisibly(ctx, t)
}

func propertyVisible(ctx context.Context, v *agentView, t vocabularyEntry) (bool, error) {
	if v.g.privacy.Hides(tools.Page{Path: t.Name, Properties: map[string][]string{t.Name: nil}}) && len(v.g.privacy.Only) == 0 {
		return false, nil
	}
	return v.occursVisibly(ctx, t)
}

func templateVisible(ctx context.Context, v *agentView, t vocabularyEntry) (bool, error) {
	b, err := v.g.unfilteredBlock(ctx, t.UUID, 0)
	if err != nil {
		return false, ignoreNotFound(err)
	}
	return v.seesBlock(ctx, b.UUID, b.Page)
}

func ignoreNotFound(err error) error {
	if isNotFound(err) {
		return nil
	}
	return err
}
