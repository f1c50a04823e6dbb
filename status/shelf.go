package status

import (
	"context"
	"encoding/json"
	"time"
)

// A Browser is the pages of the sources as an agent sees them: what is hidden
// from agents is not there, and what they may not read is refused. What a
// source or the hub refuses is a [*CallError].
type Browser interface {
	// Pages delivers the pages of a source, some at a time, in the source's own
	// order, and then closes the channel.
	Pages(ctx context.Context, source string) (<-chan PageList, error)
	// Page answers the text of the page that Pages calls name, at most
	// [PageMost] bytes of it.
	Page(ctx context.Context, source, name string) (PageText, error)
	// Search runs the source's own search tool, the way of an agent, grants and
	// audit included.
	Search(ctx context.Context, source, query string) (Search, error)
}

// PageMost is how many bytes of one page a Shelf answers: what a person reads
// on a screen, and little enough for one message.
const PageMost = 512 << 10

// A PageList is some of the pages of a source.
type PageList struct {
	Pages []Page `json:"pages"`
	Total int    `json:"total"` // of all lists together
}

// A Page is one page in a list.
type Page struct {
	Name     string    `json:"name"`              // unique within the source
	Size     int64     `json:"size,omitempty"`    // bytes; 0: empty, or not known
	Modified time.Time `json:"modified,omitzero"` // zero: not known
}

// PageText is a page as text.
type PageText struct {
	Text string `json:"text"`
	MIME string `json:"mime"`
	Size int64  `json:"size"` // bytes of all of it; more than Text has: it is cut
}

// Search is what came of one.
type Search struct {
	Tool  string          `json:"tool"` // by the name of its specification
	Args  json.RawMessage `json:"args"`
	Hits  []Hit           `json:"hits"`
	Bytes int             `json:"bytes"` // of the answer as the agent gets it
}

// A Hit is one place that a search found.
type Hit struct {
	Page string `json:"page,omitempty"` // its name; empty: on none
	Line int    `json:"line,omitempty"` // from 1; 0: not known
	Text string `json:"text"`
}
