package hub

import (
	"encoding/json"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/lectern-mcp/lectern/tools"
)

func (t *tool) publish() mcp.Tool {
	return mcp.Tool{
		Name: t.name, Title: t.info.Title, Description: t.info.Doc,
		RawInputSchema:  raw(t.choice.schema(t.info.In)),
		RawOutputSchema: raw(t.info.Out),
		Annotations:     hints(t.info.Effect),
	}
}

// raw writes a schema once, in the declaration's order of properties.
func raw(s *jsonschema.Schema) json.RawMessage {
	b, err := json.Marshal(s)
	if err != nil {
		return json.RawMessage(`{"type":"object"}`)
	}
	return b
}

// hints derives all four annotations from the Effect. All are set, because a
// missing one defaults to the gravest (MCP schema, ToolAnnotations). A write
// may replace content, which MCP calls destructive.
func hints(e tools.Effect) mcp.ToolAnnotation {
	return mcp.ToolAnnotation{
		ReadOnlyHint:    new(e == tools.Reads),
		DestructiveHint: new(e != tools.Reads),
		IdempotentHint:  new(e == tools.Reads || e == tools.Deletes),
		OpenWorldHint:   new(e == tools.Runs),
	}
}

func (p *prompt) publish() mcp.Prompt {
	out := mcp.Prompt{Name: p.name, Title: p.info.Title, Description: p.info.Doc}
	for _, a := range p.info.Arguments {
		out.Arguments = append(out.Arguments, mcp.PromptArgument{Name: a.Name, Description: a.Doc, Required: a.Required})
	}
	if p.choice.offered {
		out.Arguments = append(out.Arguments, mcp.PromptArgument{Name: p.choice.argument, Description: "which source; there are several of this kind"})
	}
	return out
}

func (r resource) publish() mcp.Resource {
	return mcp.Resource{URI: r.info.URI, Name: r.name, Title: r.info.Title, Description: r.info.Doc, MIMEType: r.info.MIME}
}

func (r resource) publishTemplate() mcp.ResourceTemplate {
	t := mcp.NewResourceTemplate(r.info.URI, r.name, mcp.WithTemplateDescription(r.info.Doc), mcp.WithTemplateMIMEType(r.info.MIME))
	t.Title = r.info.Title
	return t
}
