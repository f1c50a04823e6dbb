package logseq

import (
	"context"
	"slices"

	"github.com/lectern-mcp/lectern/tools"
)

// A use says where a tag or property stands: on a page, or on a block of one.
type use struct {
	UUID UUID `json:"uuid"`
	Page UUID `json:"page,omitempty"` // of a block
}

// A term is a tag, property or template as a bare answer has it. Uses are told
// where it exists by its use alone, on file graphs.
type term struct {
	Name string `json:"name"`
	UUID UUID   `json:"uuid,omitempty"`
	Uses []use  `json:"uses"`

	Ident string `json:"ident,omitempty"`
	Type  string `json:"type,omitempty"`
	Many  bool   `json:"many,omitempty"`
}

// terms are those of a list that an agent may know.
func (g *Graph) terms(ctx context.Context, method string, known func(context.Context, *view, term) (bool, error)) ([]term, error) {
	all, err := whole(func(of listArg) ([]term, int, error) {
		var answer struct {
			Tags       []term `json:"tags"`
			Properties []term `json:"properties"`
			Templates  []term `json:"templates"`
			Total      int    `json:"total"`
		}
		err := g.ask(ctx, method, of, &answer)
		return slices.Concat(answer.Tags, answer.Properties, answer.Templates), answer.Total, err
	})
	if err != nil {
		return nil, err
	}
	v := g.view()
	var kept []term
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

// used says whether a term stands somewhere that may be known. A term without
// uses exists by itself, as on a DB graph.
func (v *view) used(ctx context.Context, t term) (bool, error) {
	for _, u := range t.Uses {
		if seen, err := v.seesUse(ctx, u); err != nil || seen {
			return seen, err
		}
	}
	return t.Uses == nil, nil
}

func (v *view) seesUse(ctx context.Context, u use) (bool, error) {
	if u.Page != "" {
		return v.sees(ctx, u.UUID, wireRef{UUID: u.Page})
	}
	name, _, err := v.nameOf(ctx, u.UUID)
	return name != "", err
}

func knownTag(ctx context.Context, v *view, t term) (bool, error) {
	if v.g.privacy.Hides(tools.Page{Path: t.Name, Tags: []string{t.Name}}) {
		return false, nil
	}
	if t.UUID != "" {
		name, _, err := v.nameOf(ctx, t.UUID)
		return name != "", err
	}
	return v.used(ctx, t)
}

func knownProperty(ctx context.Context, v *view, t term) (bool, error) {
	if v.g.privacy.Hides(tools.Page{Path: t.Name, Properties: map[string][]string{t.Name: nil}}) && len(v.g.privacy.Only) == 0 {
		return false, nil
	}
	return v.used(ctx, t)
}

func knownTemplate(ctx context.Context, v *view, t term) (bool, error) {
	b, err := v.g.anyBlock(ctx, t.UUID, 0)
	if err != nil {
		return false, ignoreAbsent(err)
	}
	return v.sees(ctx, b.UUID, b.Page)
}

func ignoreAbsent(err error) error {
	if absentIn(err) {
		return nil
	}
	return err
}
