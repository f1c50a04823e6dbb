package mcp

import (
	"encoding/json"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/lectern-mcp/lectern/tools"
)

// ToolDeclarationJSON is a tool as tools/list shows it, as JSON, and its input schema.
func ToolDeclarationJSON(t tools.ToolInfo) (declaration, schema json.RawMessage) {
	declared := declareTool(t)
	b, err := json.Marshal(declared)
	if err != nil { // the suite finds schemas that cannot be written
		return nil, declared.RawInputSchema
	}
	return b, declared.RawInputSchema
}

func declareTool(t tools.ToolInfo) mcp.Tool {
	declared := mcp.Tool{
		Name: t.Name, Title: t.Title, Description: t.Doc,
		RawInputSchema:  schemaJSON(t.In),
		RawOutputSchema: schemaJSON(t.Out),
		Annotations:     annotations(t),
	}
	if t.CanBeLong() {
		declared.Meta = mcp.NewMetaFromMap(map[string]any{tools.MaxResultKey: tools.MaxResultCharacters})
	}
	return declared
}

// schemaJSON writes a schema in the declaration's order of properties.
func schemaJSON(s *jsonschema.Schema) json.RawMessage {
	b, err := json.Marshal(s)
	if err != nil {
		return json.RawMessage(`{"type":"object"}`)
	}
	return b
}

// annotations derives all four annotations. All are set, because a missing one
// defaults to the gravest (MCP schema, ToolAnnotations). A write may replace content,
// which MCP calls destructive, unless it only adds.
func annotations(t tools.ToolInfo) mcp.ToolAnnotation {
	return mcp.ToolAnnotation{
		ReadOnlyHint:    new(t.Effect == tools.Reads),
		DestructiveHint: new(t.Effect != tools.Reads && !t.Additive),
		IdempotentHint:  new(t.Effect == tools.Reads || t.Effect == tools.Deletes),
		OpenWorldHint:   new(t.LeavesMachine),
	}
}

func declarePrompt(p tools.PromptInfo) mcp.Prompt {
	out := mcp.Prompt{Name: p.Name, Title: p.Title, Description: p.Doc}
	for _, a := range p.Arguments {
		out.Arguments = append(out.Arguments, mcp.PromptArgument{Name: a.Name, Description: a.Doc, Required: a.Required})
	}
	return out
}

func declareResource(r tools.ResourceInfo) mcp.Resource {
	return mcp.Resource{URI: r.URI, Name: r.Name, Title: r.Title, Description: r.Doc, MIMEType: r.MIME}
}

func declareTemplate(r tools.ResourceInfo) mcp.ResourceTemplate {
	t := mcp.NewResourceTemplate(r.URI, r.Name, mcp.WithTemplateDescription(r.Doc), mcp.WithTemplateMIMEType(r.MIME))
	t.Title = r.Title
	return t
}
