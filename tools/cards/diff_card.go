package cards

import (
	"context"
	"regexp"

	"github.com/aymanbagabas/go-udiff"

	"github.com/lectern-mcp/lectern/tools"
)

// DiffCardIn are the arguments of diff_card.
type DiffCardIn struct {
	Name         string       `json:"name" jsonschema:"name"`
	From         string       `json:"from_revision" jsonschema:"act_id from get_card_history"`
	To           string       `json:"to_revision,omitempty" jsonschema:"another; the card as it is when omitted"`
	Continuation Continuation `json:"continuation,omitempty" jsonschema:"from the answer before, for the next part"`
}

// DiffCardOut is the answer of diff_card.
type DiffCardOut struct {
	Card         string       `json:"card" jsonschema:"name"`
	Equal        bool         `json:"equal" jsonschema:"there is no difference"`
	Diff         string       `json:"diff" jsonschema:"unified diff of lines and of elements of HTML"`
	Continuation Continuation `json:"continuation,omitempty" jsonschema:"there is more: call again with it"`
}

func diffCard() tools.Tool[*Wiki] {
	return tools.WithTargets(tools.DefineWithContext(tools.Spec[DiffCardIn, DiffCardOut]{
		Name: "diff_card", Title: "Compare revisions", Effect: tools.Reads, OptIn: true,
		Selects: []string{"name", "from_revision"},
		Doc:     "Compares two revisions of a card, or one with the card as it is.", Errors: []tools.Code{tools.NotFound, tools.Conflict},
		Examples: []tools.Example[DiffCardIn, DiffCardOut]{{
			Purpose: "compare the newest revision with the card", In: DiffCardIn{Name: "Harbour", From: newest},
			Want: DiffCardOut{Card: "Harbour", Equal: true},
		}},
	}, (*Wiki).DiffCard), func(_ *Wiki, _ context.Context, in DiffCardIn) ([]string, error) { return []string{in.Name}, nil })
}

// DiffCard implements diff_card.
func (w *Wiki) DiffCard(ctx context.Context, c tools.CallContext, in DiffCardIn) (DiffCardOut, error) {
	from, err := w.revisionAt(ctx, c, in.Name, in.From)
	if err != nil {
		return DiffCardOut{}, err
	}
	var after string
	if in.To != "" {
		to, err := w.revisionAt(ctx, c, in.Name, in.To)
		if err != nil {
			return DiffCardOut{}, err
		}
		after = to.Snapshot.Content
	} else {
		now, err := w.get(ctx, c, in.Name)
		if err != nil {
			return DiffCardOut{}, err
		}
		after = now.Content
	}
	out := DiffCardOut{Card: from.Card, Equal: from.Snapshot.Content == after}
	if out.Equal {
		return out, nil
	}
	text := diffText(from.Snapshot.Content, after)
	shown, err := part(text, digest(text), in.Continuation, maxText)
	out.Diff, out.Continuation = shown.text, shown.continuation
	return out, err
}

// diffText compares two texts by lines. HTML of cards has long lines, so its elements
// end lines too.
func diffText(before, after string) string {
	old, now := endLines(before), endLines(after)
	if old == now { // they differ in nothing but the ends of lines
		old, now = before, after
	}
	return udiff.Unified("before", "after", old, now)
}

// endLines ends a line after each element that is a block.
func endLines(text string) string {
	blocks := regexp.MustCompile(`(</(?:p|h[1-6]|li|tr|div|blockquote|pre)>|<br ?/?>)(\r?\n)?`)
	return blocks.ReplaceAllString(text, "$1\n")
}
