package memo

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
)

// commands are what a person does from the shell: `lectern memo note show Milk`.
// A System with keys of its own would make and revoke them here.
func commands() []tools.Command[*Memo] {
	title := tools.CommandArgument{Name: "title", Doc: "which note", Required: true}
	return []tools.Command[*Memo]{
		{
			CommandInfo: tools.CommandInfo{
				Name: "note show", Doc: "Print a note.",
				Args: []tools.CommandArgument{title, {Name: "indent", Doc: "what every line begins with"}},
			},
			Run: (*Memo).showNote, Complete: (*Memo).completeTitle,
		},
		{
			CommandInfo: tools.CommandInfo{
				Name: "note clear", Doc: "Remove the words of a note.\n\nThe note stays; `lectern undo` brings its words back.",
				Args: []tools.CommandArgument{title}, Confirm: "Remove all words of the note?",
			},
			Run: (*Memo).clearNote, Complete: (*Memo).completeTitle,
		},
	}
}

func (m *Memo) showNote(_ context.Context, call tools.CommandCall, out io.Writer) error {
	title := Title(call.Args["title"])
	n, ok := m.note(title)
	if !ok {
		return noSuchNote(title)
	}
	for line := range strings.SplitSeq(n.text, "\n") {
		if _, err := fmt.Fprintf(out, "%s%s\n", call.Args["indent"], line); err != nil {
			return err
		}
	}
	return nil
}

// clearNote writes as a tool does, by the call's context, so that it is recorded
// and can be undone.
func (m *Memo) clearNote(ctx context.Context, call tools.CommandCall, out io.Writer) error {
	title := Title(call.Args["title"])
	n, ok := m.note(title)
	if !ok {
		return noSuchNote(title)
	}
	if _, err := m.Write(ctx, call.Context, WriteIn{Title: title, Colour: n.colour, Revision: n.revision}); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "cleared %s\n", title)
	return err
}

// completeTitle proposes titles that begin like prefix.
func (m *Memo) completeTitle(_ context.Context, argument, prefix string) (titles []string) {
	if argument != "title" {
		return nil
	}
	for _, t := range m.visibleTitles() {
		if strings.HasPrefix(string(t), prefix) {
			titles = append(titles, string(t))
		}
	}
	return titles
}
