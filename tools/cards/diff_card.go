package cards

import (
	"context"
	"strings"

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
	Diff         string       `json:"diff" jsonschema:"lines that went after -, lines that came after +, others after a space"`
	Continuation Continuation `json:"continuation,omitempty" jsonschema:"there is more: call again with it"`
}

func diffCard() tools.Tool[*Wiki] {
	return tools.WithTargets(tools.DefineWithContext(tools.Spec[DiffCardIn, DiffCardOut]{
		Name: "diff_card", Title: "Compare revisions", Effect: tools.Reads, OptIn: true,
		Doc: "Compares two revisions of a card, or one with the card as it is.", Errors: []tools.Code{tools.NotFound, tools.Conflict},
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
	text := diffLines(from.Snapshot.Content, after)
	shown, err := part(text, digest(text), in.Continuation, maxText)
	out.Diff, out.Continuation = shown.text, shown.continuation
	return out, err
}

// aroundDiff is how many equal lines a diff shows before and after those that differ.
const aroundDiff = 3

// diffLines shows the lines between the beginning and the end that two texts share.
// HTML of cards has long lines, so its elements count as lines too.
func diffLines(before, after string) string {
	old, now := linesOf(before), linesOf(after)
	first := 0
	for first < len(old) && first < len(now) && old[first] == now[first] {
		first++
	}
	last := 0
	for last < len(old)-first && last < len(now)-first && old[len(old)-1-last] == now[len(now)-1-last] {
		last++
	}
	var b strings.Builder
	show := func(mark string, lines []string) {
		for _, line := range lines {
			b.WriteString(mark + line + "\n")
		}
	}
	show(" ", old[max(0, first-aroundDiff):first])
	show("-", old[first:len(old)-last])
	show("+", now[first:len(now)-last])
	show(" ", old[len(old)-last:min(len(old), len(old)-last+aroundDiff)])
	return b.String()
}

func linesOf(text string) []string {
	for _, tag := range []string{"</p>", "</h1>", "</h2>", "</h3>", "</li>", "</tr>"} {
		text = strings.ReplaceAll(text, tag, tag+"\n")
	}
	return strings.Split(strings.ReplaceAll(text, "\n\n", "\n"), "\n")
}
