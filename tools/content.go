package tools

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
}

// A ContentProvider is an output that a model reads as these blocks and not as its
// JSON: a page as Markdown, or the image that it describes. Clients that read
// structured content get the JSON all the same.
type ContentProvider interface {
	Blocks() []Content
}
