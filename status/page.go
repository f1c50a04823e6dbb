package status

import (
	"encoding/json"
	"time"
)

// MaxPageBytes is how many bytes of one page are answered: what a person reads
// on a screen, and little enough for one message.
const MaxPageBytes = 512 << 10

// A PageFilter selects some pages of a source.
type PageFilter struct {
	Source string `json:"source"`
	After  string `json:"after,omitempty"` // Next of the list before; empty: from the first page
	Match  string `json:"match,omitempty"` // part of the name, in any letter case
	Limit  int    `json:"limit,omitempty"` // pages at most, up to 1000; 0: 500
}

// A PageList is some of the pages of a source.
type PageList struct {
	Pages []Page `json:"pages"`
	Next  string `json:"next,omitempty"` // where to go on from; empty: these were the last
	Total int    `json:"total"`          // of all pages that match; 0: not known without counting them
}

// A Page is one page in a list.
type Page struct {
	Name     string    `json:"name"`              // unique within the source
	Size     int64     `json:"size,omitempty"`    // bytes; 0: empty, or not known
	Modified time.Time `json:"modified,omitzero"` // zero: not known
}

// A PageRef names a page of a source.
type PageRef struct {
	Source string `json:"source"`
	Name   string `json:"name"` // of a Page
}

// PageText is a page as text.
type PageText struct {
	Text string `json:"text"`
	MIME string `json:"mime"`
	Size int64  `json:"size"` // bytes of the whole page; more than Text has: it is cut
}

// MaxPageLinks is how many links of each kind are answered for a page.
const MaxPageLinks = 500

// PageLinks are the links of a page that agents see.
type PageLinks struct {
	Out []PageLink `json:"out"` // on the page, in their order
	In  []PageLink `json:"in"`  // on other pages, to it
}

// A PageLink leads to a page, or comes from one.
type PageLink struct {
	Page string `json:"page,omitempty"` // its name; empty: there is no such page
	Text string `json:"text,omitempty"` // what the link says of a page that is not there
	Line int    `json:"line,omitempty"` // where the link stands, from 1; 0: not known
}

// A PageFile is the file that a page is.
type PageFile struct {
	Path string `json:"path"` // absolute, on the machine of the hub
}

// A SearchText is what to search a source for.
type SearchText struct {
	Source string `json:"source"`
	Text   string `json:"text"`
}

// Search is the result of a search.
type Search struct {
	Tool  string          `json:"tool"` // by the name of its specification
	Args  json.RawMessage `json:"args"`
	Hits  []Hit           `json:"hits"`
	Bytes int             `json:"bytes"` // of the answer as the agent gets it
}

// A Hit is one place that a search found.
type Hit struct {
	Page string `json:"page,omitempty"` // its name; empty: not on a page
	Line int    `json:"line,omitempty"` // from 1; 0: not known
	Text string `json:"text"`
}
