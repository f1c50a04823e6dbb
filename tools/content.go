package tools

// ContentKind says what a [Content] holds.
type ContentKind string

// The kinds of content that MCP knows.
const (
	Text     ContentKind = "text"     // Text
	Image    ContentKind = "image"    // Data and MIME
	Audio    ContentKind = "audio"    // Data and MIME
	Embedded ContentKind = "embedded" // a resource with its content: URI, MIME and Text or Data
	Link     ContentKind = "link"     // a resource without its content: URI, Name and MIME
)

// Content is one block of what an agent or its user reads. Text is untrusted
// wherever it comes from a note.
type Content struct {
	Kind ContentKind
	Text string
	Data []byte
	MIME string
	URI  string
	Name string
}

// ContentProvider is an output that brings content blocks besides its JSON, such as the
// image it describes.
type ContentProvider interface {
	Content() []Content
}
