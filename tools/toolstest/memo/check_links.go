package memo

import (
	"context"
	"log/slog"
	"regexp"
	"slices"

	"github.com/lectern-mcp/lectern/tools"
)

// CheckIn is the input of check_links: a tool without arguments.
type CheckIn struct{}

// CheckOut is the answer of check_links.
type CheckOut struct {
	Checked int    `json:"checked" jsonschema:"how many notes were looked at"`
	Broken  []Link `json:"broken" jsonschema:"links to notes that are not there"`
}

// Link is one [[link]] in a note.
type Link struct {
	From Title  `json:"from" jsonschema:"the note that has the link"`
	To   string `json:"to" jsonschema:"the title it names"`
}

func checkLinks() tools.Tool[*Memo] {
	return tools.DefineWithContext(tools.Spec[CheckIn, CheckOut]{
		Name: "check_links", Title: "Check links", Effect: tools.Reads,
		Doc: "Find links to notes that do not exist.\n\nIt reports progress, note by note.",
		Examples: []tools.Example[CheckIn, CheckOut]{
			{Purpose: "find links that lead nowhere", Want: CheckOut{Checked: 3, Broken: []Link{{"Milk", "Tea"}, {"Supper", "Private plans"}}}},
		},
	}, (*Memo).CheckLinks)
}

var linkPattern = regexp.MustCompile(`\[\[([^\[\]]+)\]\]`)

// CheckLinks looks at every note, and stops between two when ctx ends.
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
