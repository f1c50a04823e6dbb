package logseq

import (
	"context"
	"fmt"
	"slices"
	"strings"

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

// Blocks implements [tools.ContentProvider]: one line where all is well, and
// one more for each capability that is missing.
func (out CapabilitiesOut) Blocks() []tools.Content {
	var text strings.Builder
	if !out.Connected {
		return []tools.Content{{Kind: tools.Text, Text: out.Note}}
	}
	var missing []CapabilityStatus
	for _, c := range out.Capabilities {
		if !c.Available {
			missing = append(missing, c)
		}
	}
	fmt.Fprintf(&text, "Graph %s, a %s, Logseq %s: %d of %d capabilities are available", out.Graph, graphKindTitle(out.Kind), out.Logseq,
		len(out.Capabilities)-len(missing), len(out.Capabilities))
	for i, c := range missing {
		separator := "\n- "
		if i == 0 {
			separator = ", all but\n- "
		}
		text.WriteString(separator + c.Key + ": " + c.Reason)
		if len(c.Tools) > 0 {
			text.WriteString("; needed by " + strings.Join(c.Tools, ", "))
		}
	}
	if len(missing) == 0 {
		text.WriteString(".")
	}
	return []tools.Content{{Kind: tools.Text, Text: text.String()}}
}

func getCapabilities() tools.Tool[*Graph] {
	return tools.Define(tools.Spec[NoArguments, CapabilitiesOut]{
		Name: "get_capabilities", Title: "Capabilities", Effect: tools.Reads, NoNotes: true,
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
