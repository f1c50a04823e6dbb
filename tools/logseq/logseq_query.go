package logseq

import (
	"context"

	"github.com/lectern-mcp/lectern/tools"
)

// OwnQueryIn are the arguments of logseq_query.
type OwnQueryIn struct {
	Query  Query        `json:"query" jsonschema:"as a user writes it: (and [[Garden]] (task TODO))"`
	Limit  tools.Limit  `json:"limit,omitempty" jsonschema:"at most"`
	Offset tools.Offset `json:"offset,omitempty" jsonschema:"results to skip"`
}

func logseqQuery() tools.Tool[*Graph] {
	return define(tools.Spec[OwnQueryIn, FindOut]{
		Name: "logseq_query", Title: "Query of Logseq", Effect: tools.Reads, OptIn: true,
		Doc:    "Runs a query in Logseq's own query language.\nNeeds query.own.",
		Redact: FindOut.redact,
		Examples: []tools.Example[OwnQueryIn, FindOut]{{
			Purpose: "run a simple query", In: OwnQueryIn{Query: "(task TODO)", Limit: 50}, AnyAnswer: true,
		}},
	}, readsGraph(runLogseqQuery), "query.own")
}

// runLogseqQuery implements logseq_query.
func runLogseqQuery(ctx context.Context, g *Graph, in OwnQueryIn) (FindOut, error) {
	if g.hidesAnything() {
		return FindOut{}, tools.Errorf(tools.Denied, "queries are off while something in this graph is hidden from agents").
			WithHint("A query could read anything. Use find, search and list_pages.")
	}
	var answer struct {
		Found []foundItem `json:"found"`
		Total int         `json:"total"`
	}
	err := g.query(ctx, "query.own", struct {
		Query Query `json:"query"`
		listArg
	}{in.Query, listArg{int(in.Offset), int(in.Limit)}}, &answer)
	return foundForAgent(answer.Found, int(in.Offset), answer.Total), err
}
