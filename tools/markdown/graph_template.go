package markdown

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/logseqfile"
)

// findGraphTemplate finds a template of a Logseq graph by its name, on the pages that
// the caller may read.
func findGraphTemplate(ctx context.Context, n *Notebook, c tools.CallContext, name string) (logseqfile.Template, error) {
	property := `(?i)^[ \t]*(- )?template::[ \t]*` + regexp.QuoteMeta(name) + `[ \t]*$`
	in := SearchPagesIn{Query: property, Kind: findLines, Mode: byRegex, Limit: 20}
	var found SearchPagesOut
	var err error
	if c.Sources == nil {
		found, err = n.SearchPages(ctx, in)
	} else {
		found, err = callSearch(ctx, c, in)
	}
	if err != nil {
		return logseqfile.Template{}, err
	}
	for _, m := range found.Matches {
		text, err := readTemplate(ctx, n, c, m.Path)
		if err != nil {
			return logseqfile.Template{}, err
		}
		if t, ok := logseqfile.FindTemplate(text, name); ok {
			return t, nil
		}
	}
	return logseqfile.Template{}, tools.Errorf(tools.NotFound, "Template not found: %s", name).
		WithHint("A template is a block with the property template:: and this name.")
}

// callSearch searches as the caller may.
func callSearch(ctx context.Context, c tools.CallContext, in SearchPagesIn) (out SearchPagesOut, err error) {
	args, err := json.Marshal(in)
	if err != nil {
		return out, fmt.Errorf("search: %w", err)
	}
	answer, err := c.Call(ctx, "", "search_pages", args)
	if err != nil {
		return out, err
	}
	if err := json.Unmarshal(answer.JSON, &out); err != nil {
		return out, fmt.Errorf("read search: %w", err)
	}
	return out, nil
}
