package logseq

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/logseq/internal/edn"
)

// Query is a DataScript query as text.
type Query string

// JSONSchema implements tools.SchemaProvider.
func (Query) JSONSchema() *jsonschema.Schema { return &jsonschema.Schema{Type: "string"} }

func (Query) maxLength() int { return 20_000 }

// Millis is the maximum duration of a query.
type Millis int

// JSONSchema implements tools.SchemaProvider.
func (Millis) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "integer", Minimum: new(100.0), Default: []byte("10000")}
}

func (Millis) maxLength() int { return 15_000 }

// Inputs are the values of a query's :in, after $.
type Inputs []any

func (Inputs) maxLength() int { return 20 }

// JSONSchema implements tools.SchemaProvider.
func (Inputs) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{
		Type: "array", Items: &jsonschema.Schema{Description: `text, number, list, {"keyword":"block/name"}, {"uuid":"…"} or {"rules":"[…]"}`},
	}
}

// Rows are the results of a query.
type Rows []json.RawMessage

// JSONSchema implements tools.SchemaProvider.
func (Rows) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Description: "one row: a list of what :find names"}}
}

// DatascriptQueryIn are the arguments of datascript_query.
type DatascriptQueryIn struct {
	Query     Query       `json:"query" jsonschema:"EDN: [:find … :in $ … :where …]"`
	Inputs    Inputs      `json:"inputs,omitempty" jsonschema:"for :in after $"`
	Limit     tools.Limit `json:"limit,omitempty" jsonschema:"at most"`
	TimeoutMS Millis      `json:"timeout_ms,omitempty" jsonschema:"how long to wait"`
}

// DatascriptQueryOut is the answer of datascript_query.
type DatascriptQueryOut struct {
	Rows  Rows   `json:"rows" jsonschema:"result"`
	Total int    `json:"total" jsonschema:"total rows"`
	Note  string `json:"note,omitempty" jsonschema:"what was cut"`
}

func datascriptQuery() tools.Tool[*Graph] {
	return define(tools.Spec[DatascriptQueryIn, DatascriptQueryOut]{
		Name: "datascript_query", Title: "DataScript query", Effect: tools.Reads,
		Doc: "Runs a DataScript query.\n" +
			"File graphs have :block/content and :block/original-name, DB graphs :block/title. " +
			"Clauses must share variables and name an attribute; functions are DataScript's own.",
		Examples: []tools.Example[DatascriptQueryIn, DatascriptQueryOut]{{
			Purpose: "find the pages changed most recently", In: DatascriptQueryIn{
				Query:  `[:find (pull ?p [:block/uuid :block/name]) :in $ ?since :where [?p :block/updated-at ?t] [?p :block/name _] [(> ?t ?since)]]`,
				Inputs: Inputs{1700000000000.0}, Limit: 20, TimeoutMS: 5000,
			}, AnyAnswer: true,
		}},
	}, (*Graph).DatascriptQuery, "datascript.query")
}

// DatascriptQuery implements datascript_query.
func (g *Graph) DatascriptQuery(ctx context.Context, in DatascriptQueryIn) (DatascriptQueryOut, error) {
	var out DatascriptQueryOut
	if g.hidesAnything() {
		return out, tools.Errorf(tools.Denied, "queries are off while something in this graph is hidden from agents").
			WithHint("A query could read anything. Use find, search and list_pages.")
	}
	inputs, rules, err := encodeInputs(in.Inputs)
	if err != nil {
		return out, err
	}
	if err := checkQuery(string(in.Query), inputs, rules); err != nil {
		return out, err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(in.TimeoutMS)*time.Millisecond)
	defer cancel()
	var found struct {
		Rows  []json.RawMessage `json:"rows"`
		Total int               `json:"total"`
	}
	err = g.query(ctx, "query", struct {
		Query  Query    `json:"query"`
		Inputs []string `json:"inputs"`
		Limit  int      `json:"limit"`
	}{in.Query, inputs, int(in.Limit)}, &found)
	if err != nil {
		return out, addTimeoutHint(err)
	}
	rows := found.Rows[:min(len(found.Rows), int(in.Limit))]
	out.Rows = fitAnswer(rows, func(r json.RawMessage) int { return len(r) + 1 })
	out.Total = max(found.Total, len(found.Rows))
	if len(out.Rows) == 1 && len(out.Rows[0]) > 4*maxAnswer {
		return DatascriptQueryOut{}, tools.Errorf(tools.Limited, "one row has %d bytes, which is too much for an answer", len(out.Rows[0])).
			WithHint("Pull fewer attributes.")
	}
	if left := out.Total - len(out.Rows); left > 0 {
		out.Note = fmt.Sprintf("%d more rows: add conditions, pull less, or use a higher limit.", left)
	}
	return out, nil
}

// addTimeoutHint adds advice about queries to a timeout.
func addTimeoutHint(err error) error {
	if e, ok := errors.AsType[*tools.Error](err); ok && e.Code == tools.Timeout {
		return e.WithHint("Put the most selective clause first, and add conditions. Logseq may still be running the query.")
	}
	return err
}

// encodeInputs encodes inputs as EDN, because Logseq parses each as EDN. It
// also returns the rules among them.
func encodeInputs(inputs Inputs) (encoded []string, rules []edn.Value, err error) {
	for i, v := range inputs {
		argument := fmt.Sprintf("inputs[%d]", i)
		if object, ok := v.(map[string]any); ok && object["rules"] != nil {
			text, form, err := encodeRules(argument, object)
			if err != nil {
				return nil, nil, err
			}
			encoded, rules = append(encoded, text), append(rules, form.Items...)
			continue
		}
		text, err := encodeInput(argument, v, 0)
		if err != nil {
			return nil, nil, err
		}
		encoded = append(encoded, text)
	}
	return encoded, rules, nil
}

func encodeRules(argument string, object map[string]any) (string, edn.Value, error) {
	text, ok := object["rules"].(string)
	if !ok || len(object) != 1 || len(text) > 20_000 {
		return "", edn.Value{}, tools.Errorf(tools.Invalid, `%s: rules must be EDN text of at most 20,000 bytes`, argument)
	}
	form, err := edn.Read(text)
	if err != nil {
		return "", form, tools.Errorf(tools.Invalid, "%s: rules: %s", argument, err.Error())
	}
	if form.Kind != edn.Vector {
		return "", form, tools.Errorf(tools.Invalid, "%s: rules must be a vector of rules", argument)
	}
	return text, form, nil
}

func encodeInput(argument string, v any, depth int) (string, error) {
	switch v := v.(type) {
	case nil:
		return "nil", nil
	case bool:
		return fmt.Sprint(v), nil
	case float64:
		return edn.Float(v), nil
	case string:
		return edn.String(v), nil
	case []any:
		return encodeList(argument, v, depth)
	case map[string]any:
		return encodeObject(argument, v)
	}
	return "", tools.Errorf(tools.Invalid, "%s: unsupported type of input", argument)
}

func encodeList(argument string, list []any, depth int) (string, error) {
	if depth > 4 || len(list) > 1000 {
		return "", tools.Errorf(tools.Invalid, "%s: lists hold at most 1,000 values and nest at most 4 deep", argument)
	}
	var text strings.Builder
	text.WriteString("[")
	for i, e := range list {
		one, err := encodeInput(argument, e, depth+1)
		if err != nil {
			return "", err
		}
		if i > 0 {
			text.WriteString(" ")
		}
		text.WriteString(one)
	}
	return text.String() + "]", nil
}

func encodeObject(argument string, object map[string]any) (string, error) {
	if len(object) == 1 {
		if word, ok := object["keyword"].(string); ok && len(word) < 300 && edn.IsKeyword(word) {
			return ":" + word, nil
		}
		if id, ok := object["uuid"].(string); ok && uuidPattern.MatchString(id) {
			return `#uuid "` + id + `"`, nil
		}
	}
	return "", tools.Errorf(tools.Invalid, `%s: an object must be {"keyword":"block/name"} without the colon, {"uuid":"…"} or {"rules":"…"}`, argument)
}
