package memo

import (
	"context"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
)

// resources are what can be read by URI: one plain resource and one template.
func resources() []tools.Resource[*Memo] {
	return []tools.Resource[*Memo]{{
		Name: "index", Title: "All titles", Doc: "The titles of all notes, one a line.",
		URI: "memo://{source}/index", MIME: "text/plain",
		Read: (*Memo).readIndex,
	}, {
		Name: "note", Title: "A note", Doc: "The text of one note.",
		URI: "memo://{source}/notes/{title}", MIME: "text/markdown",
		Read:     (*Memo).readResource,
		Polled:   true,
		Complete: func(m *Memo, _ context.Context, _, prefix string) ([]string, error) { return m.titles(prefix), nil },
	}}
}

func (m *Memo) readIndex(context.Context, string, map[string]string) (tools.Content, error) {
	return tools.Content{Text: strings.Join(m.titles(""), "\n")}, nil
}

func (m *Memo) readResource(ctx context.Context, _ string, vars map[string]string) (tools.Content, error) {
	n, err := m.Read(ctx, ReadIn{Title(vars["title"])})
	if err != nil {
		return tools.Content{}, err
	}
	return tools.Content{Text: n.Text}, nil
}

// titles lists at most 100 titles with a prefix.
func (m *Memo) titles(prefix string) []string {
	var out []string
	for _, t := range m.visibleTitles() {
		if strings.HasPrefix(string(t), prefix) && len(out) < 100 {
			out = append(out, string(t))
		}
	}
	return out
}

// prompts are texts with arguments that a person chooses in their client.
func prompts() []tools.Prompt[*Memo] {
	return []tools.Prompt[*Memo]{{
		Name: "shorten", Title: "Shorten a note", Doc: "Ask for a shorter version of a note.",
		Arguments: []tools.PromptArgument{
			{Name: "title", Doc: "which note", Required: true},
			{Name: "tone", Doc: "how it should sound"},
		},
		Get: (*Memo).shorten,
		Complete: func(m *Memo, _ context.Context, argument, prefix string) ([]string, error) {
			switch argument {
			case "title":
				return m.titles(prefix), nil
			case "tone":
				return tonesWithPrefix(prefix), nil
			default:
				return nil, nil
			}
		},
	}}
}

func (m *Memo) shorten(ctx context.Context, args map[string]string) ([]tools.Message, error) {
	n, err := m.Read(ctx, ReadIn{Title(args["title"])})
	if err != nil {
		return nil, err
	}
	ask := "Write a shorter version of this note."
	if tone := args["tone"]; tone != "" {
		ask += " It should sound " + tone + "."
	}
	return []tools.Message{
		{Content: tools.Content{Kind: tools.Text, Text: ask}},
		{Content: tools.Content{Kind: tools.Text, Text: n.Text}},
	}, nil
}

func tonesWithPrefix(prefix string) []string {
	var out []string
	for _, tone := range []string{"brisk", "formal", "friendly"} {
		if strings.HasPrefix(tone, prefix) {
			out = append(out, tone)
		}
	}
	return out
}
