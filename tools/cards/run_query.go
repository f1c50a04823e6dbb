package cards

import (
	"context"
	"net/http"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/tools"
)

// QueryTemplate is a query that many ask.
type QueryTemplate string

// JSONSchema implements [tools.SchemaProvider].
func (QueryTemplate) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Enum: []any{"recent_changes", "pointers", "files", "types"}}
}

// CardQuery are filters that all must fit.
type CardQuery struct {
	Name          string `json:"name,omitempty" jsonschema:"in the name"`
	Prefix        string `json:"prefix,omitempty" jsonschema:"begins so"`
	NotName       string `json:"not_name,omitempty" jsonschema:"not names like *+GM*"`
	Type          string `json:"type,omitempty" jsonschema:"type"`
	Tag           string `json:"tag,omitempty" jsonschema:"tag"`
	Content       string `json:"content,omitempty" jsonschema:"in the text"`
	UpdatedSince  string `json:"updated_since,omitempty" jsonschema:"date"`
	UpdatedBefore string `json:"updated_before,omitempty" jsonschema:"date"`
}

// RunQueryIn are the arguments of run_query.
type RunQueryIn struct {
	Query    CardQuery     `json:"query,omitzero" jsonschema:"filters"`
	Template QueryTemplate `json:"template,omitempty" jsonschema:"ready-made"`
	Limit    Limit         `json:"limit,omitempty" jsonschema:"at most"`
	Offset   tools.Offset  `json:"offset,omitempty" jsonschema:"to skip"`
}

// RunQueryOut is the answer of run_query.
type RunQueryOut struct {
	Items      []CardInfo `json:"items" jsonschema:"cards that fit"`
	Total      int        `json:"total" jsonschema:"of all that fit"`
	NextOffset int        `json:"next_offset,omitempty" jsonschema:"there are more: call again with it as offset"`
	Note       string     `json:"note,omitempty" jsonschema:"what is left out"`
}

func runQuery() tools.Tool[*Wiki] {
	return tools.DefineWithContext(tools.Spec[RunQueryIn, RunQueryOut]{
		Name: "run_query", Title: "Query cards", Effect: tools.Reads,
		Doc: "Lists cards that fit filters, or a template.\nFor words use search_cards.",
		Redact: func(out RunQueryOut, covered func(string) bool) RunQueryOut {
			out.Items, out.Total, out.Note = redactInfos(out.Items, out.Total, out.Note, covered)
			return out
		},
		Examples: []tools.Example[RunQueryIn, RunQueryOut]{
			{
				Purpose: "list the parts of a card without those for game masters",
				In:      RunQueryIn{Query: CardQuery{Prefix: "Harbour+", NotName: "*+GM*"}}, AnyAnswer: true,
				Want: RunQueryOut{Total: 1, Items: []CardInfo{{Name: "Harbour+tags", Type: "Pointer", ID: "~7"}}},
			},
			{
				Purpose: "see what changed", In: RunQueryIn{Template: "recent_changes", Limit: 5}, AnyAnswer: true,
				Want: RunQueryOut{Items: []CardInfo{}},
			},
		},
	}, (*Wiki).RunQuery)
}

// filters are the query as the API takes it.
func (q CardQuery) filters() map[string]any {
	out := map[string]any{}
	for name, value := range map[string]string{"prefix": q.Prefix, "not_name": q.NotName, "type": q.Type, "tag": q.Tag, "content": q.Content} {
		if value != "" {
			out[name] = value
		}
	}
	if q.Name != "" {
		out["name"] = []string{"match", q.Name}
	}
	switch {
	case q.UpdatedSince != "" && q.UpdatedBefore != "":
		out["updated_at"] = []string{"between", q.UpdatedSince, q.UpdatedBefore}
	case q.UpdatedSince != "":
		out["updated_at"] = []string{">=", q.UpdatedSince}
	case q.UpdatedBefore != "":
		out["updated_at"] = []string{"<", q.UpdatedBefore}
	}
	return out
}

// RunQuery implements run_query.
func (w *Wiki) RunQuery(ctx context.Context, c tools.CallContext, in RunQueryIn) (RunQueryOut, error) {
	filters := in.Query.filters()
	if len(filters) == 0 && in.Template == "" {
		return RunQueryOut{}, tools.Errorf(tools.Invalid, "query: give a filter or a template")
	}
	ask := func(limit, offset int) ([]card, int, error) {
		var out struct {
			Results []card `json:"results"`
			Items   []card `json:"items"` // as the specification has it
			Total   int    `json:"total"`
		}
		body := map[string]any{"query": filters, "limit": limit, "offset": offset}
		if in.Template != "" {
			body["template"] = in.Template
		}
		_, err := w.as(c).send(ctx, apiRequest{Method: http.MethodPost, Path: "/run_query", Body: body}, &out)
		if len(out.Results) == 0 {
			out.Results = out.Items
		}
		return out.Results, out.Total, err
	}
	cards, total, err := w.list(ctx, int(in.Limit), int(in.Offset), ask)
	return RunQueryOut{Items: infosOf(cards), Total: total, NextOffset: nextOffset(int(in.Offset), len(cards), total)}, err
}
