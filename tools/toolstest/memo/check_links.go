package memo

import (
	"context"
	"log/slog"
	"regexp"
	"slices"

	"github.com/lectern-mcp/lectern/tools"
)

// CheckIn is the input of check_links, which has no arguments.
type CheckIn struct{}

// CheckOut is the answer of check_links.
type CheckOut struct {
	Checked int    `json:"checked" jsonschema:"number of notes checked"`
	Broken  []Link `json:"broken" jsonschema:"links to notes that do not exist"`
}

// Link is one [[link]] in a note.
type Link struct {
	From Title  `json:"from" jsonschema:"the note with the link"`
	To   string `json:"to" jsonschema:"the title in the link"`
}

func checkLinks() tools.Tool[*Memo] {
	return tools.DefineWithContext(tools.Spec[CheckIn, CheckOut]{
		Name: "check_links", Title: "Check links", Effect: tools.Reads,
		Doc: "Find links to notes that do not exist.\n\nIt reports progress for each note.",
		Examples: []tools.Example[CheckIn, CheckOut]{
			{Purpose: "find links that lead nowhere", Want: CheckOut{Checked: 3, Broken: []Link{{"Milk", "Tea"}, {"Supper", "Private plans"}}}},
		},
	}, (*Memo).CheckLinks)
}

var linkPattern = regexp.MustCompile(`\[\[([^\[\]]+)\]\]`)

// CheckLinks checks every note. It stops when ctx ends.
func (m *Memo) CheckLinks(ctx context.Context, c tools.CallContext, _ CheckIn) (CheckOut, error) {
	titles := m.visibleTitles()
	var out CheckOut
	for i, from := range titles {
		if err := ctx.Err(); err != nil {
			return CheckOut{}, err
		}
		n, _ := m.note(from)
		for _, link := range linkPattern.FindAllStringSubmatch(n.text, -1) {
			if !slices.Contains(titles, Title(link[1])) {
				out.Broken = append(out.Broken, Link{from, link[1]})
			}
		}
		out.Checked++
		c.Progress(float64(i+1), float64(len(titles)), "")
	}
	if len(out.Broken) > 0 {
		c.Log(slog.LevelWarn, "some links lead nowhere")
	}
	return out, nil
}
