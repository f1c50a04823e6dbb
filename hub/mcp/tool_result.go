package mcp

import (
	"encoding/base64"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/lectern-mcp/lectern/tools"
)

// answered is what a tool answers, with the data marker.
func (ep *endpoint) answered(res tools.Result) *mcp.CallToolResult {
	out := &mcp.CallToolResult{RawStructuredContent: res.JSON, Content: []mcp.Content{}}
	if res.Content == nil {
		out.Content = append(out.Content, mcp.NewTextContent(string(res.JSON)))
	}
	for _, c := range res.Content {
		out.Content = append(out.Content, contentBlock(c))
	}
	return ep.marked(out)
}

// failed writes e in the format of the tool's System, and as one plain sentence.
func (ep *endpoint) failed(t Tool, e *tools.Error) *mcp.CallToolResult {
	b, err := tools.PlainJSON(t.ErrorFormat.Object(e))
	if err != nil {
		ep.Log.Error("marshal error", "component", "hub", "tool", t.Name, "err", err)
		b = nil
	}
	result := &mcp.CallToolResult{IsError: true, RawStructuredContent: b, Content: []mcp.Content{mcp.NewTextContent(sentence(e))}}
	if note, ok := e.Data.(NoteDiff); ok {
		result.Content = append(result.Content, mcp.NewTextContent(note.Diff))
		return ep.marked(result)
	}
	return result
}

// sentence is an error for a reader: what is wrong and what to do next.
func sentence(e *tools.Error) string {
	s := strings.TrimSpace(e.Message)
	if s != "" && !strings.ContainsAny(s[len(s)-1:], ".?!") {
		s += "."
	}
	if e.Hint != "" {
		s += " " + e.Hint
	}
	return s
}

func contentBlock(c tools.Content) mcp.Content {
	data := base64.StdEncoding.EncodeToString
	switch c.Kind {
	case tools.Image:
		return mcp.NewImageContent(data(c.Data), c.MIME)
	case tools.Audio:
		return mcp.NewAudioContent(data(c.Data), c.MIME)
	case tools.Embedded:
		return mcp.NewEmbeddedResource(resourceContents(c))
	case tools.Link:
		return mcp.NewResourceLink(c.URI, c.Name, "", c.MIME)
	case tools.Text:
	}
	return mcp.NewTextContent(c.Text)
}

func resourceContents(c tools.Content) mcp.ResourceContents {
	if c.Data != nil {
		return mcp.BlobResourceContents{URI: c.URI, MIMEType: c.MIME, Blob: base64.StdEncoding.EncodeToString(c.Data)}
	}
	return mcp.TextResourceContents{URI: c.URI, MIMEType: c.MIME, Text: c.Text}
}
