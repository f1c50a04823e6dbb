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
	Skill        string             `json:"skill_version,omitempty" jsonschema:"skill version of the plugin"`
	Capabilities []CapabilityStatus `json:"capabilities" jsonschema:"all capabilities"`
	Note         string             `json:"note,omitempty" jsonschema:"more about the result"`
}

// CapabilityStatus is the present status of one capability.
type CapabilityStatus struct {
	Key       string   `json:"key" jsonschema:"capability"`
	Available bool     `json:"available" jsonschema:"it can be used"`
	Tools     []string `json:"tools,omitempty" jsonschema:"tools that need it"`
	Reason    string   `json:"why,omitempty" jsonschema:"why it cannot be used"`
}

func getCapabilities() tools.Tool[*Graph] {
	return tools.Define(tools.Spec[NoArguments, CapabilitiesOut]{
		Name: "get_capabilities", Title: "Capabilities", Effect: tools.Reads,
		Doc:      "Lists what the connected Logseq can do, and which tools need it.",
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
		default:
			one.Reason = a.missingReason(c)
		}
		out.Capabilities = append(out.Capabilities, one)
	}
	return out, nil
}
