package logseq

import (
	"context"

	"github.com/lectern-mcp/lectern/tools"
)

// NoArguments is the input of tools without arguments.
type NoArguments struct{}

// PingOut is the answer of ping.
type PingOut struct {
	Connected bool   `json:"connected" jsonschema:"a Logseq answers"`
	Graph     string `json:"graph,omitempty" jsonschema:"graph that is open"`
	Kind      string `json:"kind,omitempty" jsonschema:"db or file"`
	Logseq    string `json:"logseq_version,omitempty" jsonschema:"version of Logseq"`
	Plugin    string `json:"plugin_version,omitempty" jsonschema:"version of the plugin"`
	Millis    int    `json:"round_trip_ms" jsonschema:"time the answer took"`
	Note      string `json:"note,omitempty" jsonschema:"if not: why, and what to do"`
}

func ping() tools.Tool[*Graph] {
	return tools.Define(tools.Spec[NoArguments, PingOut]{
		Name: "ping", Title: "Ping", Effect: tools.Reads, NoNotes: true,
		Doc:      "Checks whether Logseq is connected and answers.",
		Examples: []tools.Example[NoArguments, PingOut]{{Purpose: "check the connection to Logseq", AnyAnswer: true}},
	}, (*Graph).Ping)
}

// Ping implements ping.
func (g *Graph) Ping(ctx context.Context, _ NoArguments) (PingOut, error) {
	a := g.hello()
	if a == nil {
		return PingOut{Note: errorNote(notConnectedError(g.conf.Graph))}, nil
	}
	out := PingOut{Graph: a.Graph.Name, Kind: a.Graph.Kind, Logseq: a.Logseq, Plugin: a.Plugin}
	began := g.now()
	err := g.query(ctx, "ping", struct{}{}, nil)
	if ctx.Err() != nil {
		return PingOut{}, ctx.Err()
	}
	out.Millis = int(g.now().Sub(began).Milliseconds())
	if err != nil {
		out.Note = errorNote(err)
		return out, nil
	}
	out.Connected = true
	return out, nil
}

// errorNote formats an error as a note.
func errorNote(err error) string {
	e := tools.AsError(err)
	if e.Hint == "" {
		return e.Message + "."
	}
	return e.Message + ". " + e.Hint
}
