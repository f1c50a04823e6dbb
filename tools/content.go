package tools

import (
	"strings"
	"unicode/utf8"
)

// ContentKind is the kind of a [Content] block.
type ContentKind string

// The kinds of content that MCP knows.
const (
	Text     ContentKind = "text"     // Text
	Image    ContentKind = "image"    // Data and MIME
	Audio    ContentKind = "audio"    // Data and MIME
	Embedded ContentKind = "embedded" // a resource with its content: URI, MIME and Text or Data
	Link     ContentKind = "link"     // a resource without its content: URI, Name and MIME
)

// Content is one block of an answer: text, media or a resource. Text that comes
// from a note is untrusted.
type Content struct {
	Kind ContentKind
	Text string
	Data []byte
	MIME string
	URI  string
	Name string
	// Rest says of a resource that is not whole what is missing, and how to read it.
	Rest string
}

// A ContentProvider is an output that a model reads as these blocks and not as its
// JSON: a page as Markdown, or the image that it describes. Clients that read
// structured content get the JSON all the same.
type ContentProvider interface {
	Blocks() []Content
}

// FileContent is a file as a model is shown it: an image or sound as such, text
// as text, and anything else as a resource of that uri.
func FileContent(mime, uri string, data []byte) []Content {
	switch kind, _, _ := strings.Cut(mime, "/"); {
	case kind == "image" && mime != "image/svg+xml":
		return []Content{{Kind: Image, Data: data, MIME: mime}}
	case kind == "audio":
		return []Content{{Kind: Audio, Data: data, MIME: mime}}
	case utf8.Valid(data):
		return []Content{{Kind: Text, Text: string(data)}}
	}
	return []Content{{Kind: Embedded, URI: uri, MIME: mime, Data: data}}
}
