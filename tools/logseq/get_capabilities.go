package logseq

import (
	"context"
	"slices"

	"github.com/lectern-mcp/lectern/tools"
)

// CapabilitiesOut is the answer of get_capabilities.
type CapabilitiesOut struct {
	Connected    bool               `json:"connected" jsonschema:"a Logseq is connected"`
	Graph        string             `json:"graph,omitempty" jsonschema:"graph that is open"`
	Kind         string             `json:"kind,omitempty" jsonschema:"db or file"`
	Logseq       string             `json:"logseq_version,omitempty" jsonschema:"version of Logseq"`
	Plugin       string             `json:"plugin_version,omitempty" jsonschema:"version of the plugin"`
	SDK          string             `json:"sdk_version,omitempty" jsonschema:"version of Logseq's plugin library"`
	Skill        string             `json:"skill_version,omitempty" jsonschema:"skill version that the plugin is made for"`
	Capabilities []CapabilityStatus `json:"capabilities" jsonschema:"all that there may be"`
	Note         string             `json:"note,omitempty" jsonschema:"what to know"`
}

// CapabilityStatus is one capability as it is now.
type CapabilityStatus struct {
	Key       string   `json:"key" jsonschema:"capability"`
	Available bool     `json:"available" jsonschema:"it is there"`
	Tools     []string `json:"tools,omitempty" jsonschema:"tools that need it"`
	Reason    string   `json:"why,omitempty" jsonschema:"why it is not there"`
}

func getCapabilities() tools.Tool[*Graph] {
	return tools.Define(tools.Spec[NoArguments, CapabilitiesOut]{
		Name: "get_capabilities", Title: "Capabilities", Effect: tools.Reads,
		Doc:      "Says what the connected Logseq can do, and which tools need it.\nIt works without Logseq too.",
		Examples: []tools.Example[NoArguments, CapabilitiesOut]{{Purpose: "see which tools will work", AnyAnswer: true}},
	}, (*Graph).GetCapabilities)
}

// GetCapabilities implements get_capabilities.
func (g *Graph) GetCapabilities(ctx context.Context, _ NoArguments) (CapabilitiesOut, error) {
	if err := ctx.Err(); err != nil {
		return CapabilitiesOut{}, err
	}
	a := g.hello()
	out := CapabilitiesOut{Connected: a != nil}
	if a == nil {
		a = &hello{}
		out.Note = errorNote(notConnectedError(g.conf.Graph))
	}
	out.Graph, out.Kind, out.Logseq, out.Plugin, out.SDK, out.Skill = a.Graph.Name, a.Graph.Kind, a.Logseq, a.Plugin, a.SDK, a.Skill
	for _, c := range Capabilities() {
		one := CapabilityStatus{Key: c.Key, Tools: c.Tools, Available: slices.Contains(a.Capabilities, c.Key)}
		switch {
		case one.Available && c.Key == "datascript.query" && g.hidesAnything():
			one.Available, one.Reason = false, "it is off while something in this graph is hidden from agents"
		case one.Available:
		case !out.Connected:
			one.Reason = "Logseq is not connected"
		case c.Row(a.Graph.Kind) == unsupported:
			one.Reason = "a " + graphKindTitle(a.Graph.Kind) + " has no such thing"
		default:
			one.Reason = "this Logseq does not offer it, or the plugin's settings leave it out"
		}
		out.Capabilities = append(out.Capabilities, one)
	}
	return out, nil
}
