package logseq

import (
	"context"
	"slices"

	"github.com/lectern-mcp/lectern/tools"
)

// A occurrence says where a tag or property stands: on a page, or on a block of one.
type occurrence struct {
	UUID UUID `json:"uuid"`
	Page UUID `json:"page,omitempty"` // of a block
}

// A vocabularyEntry is a tag, property or template as a bare answer has it. Uses are told
// where it exists by its use alone, on file graphs.
type vocabularyEntry struct {
	Name        string       `json:"name"`
	UUID        UUID         `json:"uuid,omitempty"`
	Occurrences []occurrence `json:"uses"`

	Ident string `json:"ident,omitempty"`
	Type  string `json:"type,omitempty"`
	Many  bool   `json:"many,omitempty"`
}

// visibleVocabulary are those of a list that an agent may know.
func (g *Graph) visibleVocabulary(ctx context.Context, method string, known func(context.Context, *agentView, vocabularyEntry) (bool, error)) ([]vocabularyEntry, error) {
	all, err := readAll(func(of listArg) ([]vocabularyEntry, int, error) {
		var answer struct {
			Tags       []vocabularyEntry `json:"tags"`
			Properties []vocabularyEntry `json:"properties"`
			Templates  []vocabularyEntry `json:"templates"`
			Total      int               `json:"total"`
		}
		err := g.query(ctx, method, of, &answer)
		return slices.Concat(answer.Tags, answer.Properties, answer.Templates), answer.Total, err
	})
	if err != nil {
		return nil, err
	}
	v := g.newView()
	var kept []vocabularyEntry
	for _, t := range all {
		ok, err := known(ctx, v, t)
		if err != nil {
			return nil, err
		}
		if ok {
			kept = append(kept, t)
		}
	}
	return kept, nil
}

// occursVisibly says whether a term stands somewhere that may be known. A term without
// uses exists by itself, as on a DB graph.
func (v *agentView) occursVisibly(ctx context.Context, t vocabularyEntry) (bool, error) {
	for _, u := range t.Occurrences {
		if seen, err := v.seesOccurrence(ctx, u); err != nil || seen {
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
