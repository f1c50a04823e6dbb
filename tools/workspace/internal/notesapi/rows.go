package notesapi

import (
	"encoding/json"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/notestore"
)

// Bounds are how much one answer lists at most: rows, also of a request that asks for more,
// and bytes. A list that has more says where it goes on. Zero: as over HTTP.
type Bounds struct{ Rows, Bytes int }

func (b Bounds) orDefault() Bounds {
	if b == (Bounds{}) {
		return Bounds{Rows: 1000, Bytes: 960 << 10} // within the 1 MiB of an answer
	}
	return b
}

// A rowList is the answer of a list under way.
type rowList struct {
	call  *call
	limit int
	text  []byte // the rows, with commas
	rows  int
	last  string // id of the last row, after which the list goes on
	more  bool
	err   error
}

// add adds a row, and reports whether there is room for another one. The first is there in
// any case.
func (l *rowList) add(row any, id string) (more bool) {
	text, err := json.Marshal(row)
	if err != nil {
		l.err = err
		return false
	}
	if l.rows > 0 && len(l.text)+len(text)+len("[,]") > l.call.request.Bounds.orDefault().Bytes {
		l.more = true
		return false
	}
	if l.rows > 0 {
		l.text = append(l.text, ',')
	}
	l.text, l.rows, l.last = append(l.text, text...), l.rows+1, id
	l.more = l.rows == l.limit
	return !l.more
}

// finish is the answer, as an array. err is that of what listed the rows.
func (l *rowList) finish(err error) (json.RawMessage, error) {
	if err == nil {
		err = l.err
	}
	if err != nil {
		return nil, err
	}
	if l.more {
		l.call.next = l.last
	}
	return append(append([]byte{'['}, l.text...), ']'), nil
}

// finish is the answer of a list of at most limit rows; id says how each is known.
func finish[T any](c *call, list []T, limit int, id func(T) string) (json.RawMessage, error) {
	l := rowList{call: c, limit: limit}
	for _, row := range list {
		if !l.add(row, id(row)) {
			break
		}
	}
	return l.finish(nil)
}

// What a row of a list shows of a note. What is longer is read with the note.
const (
	maxRowProperty = 200      // characters of one property
	maxRowField    = 4 << 10  // bytes of the title, the tags or the links
	maxRowFields   = 16 << 10 // bytes of all properties
)

// A noteRow is a note in a list.
type noteRow struct {
	notestore.Record
	// Truncated names what is too long for a list and is left out: properties, and title,
	// tags and links.
	Truncated []string `json:"truncated,omitempty"`
}

func newNoteRow(r notestore.Record) noteRow {
	row := noteRow{Record: r}
	row.shortenProperties()
	if len(r.Title) > maxRowField {
		row.Title = safetext.Shorten(r.Title, maxRowProperty)
		row.truncate("title")
	}
	for name, list := range map[string]*[]string{"tags": &row.Tags, "links": &row.Links} {
		if bytes := 0; slices.ContainsFunc(*list, func(s string) bool { bytes += len(s) + len(`"",`); return bytes > maxRowField }) {
			*list = []string{}
			row.truncate(name)
		}
	}
	slices.Sort(row.Truncated)
	return row
}

func (r *noteRow) truncate(name string) {
	r.Truncated = append(r.Truncated, safetext.Shorten(name, maxRowProperty))
}

// shortenProperties leaves out what is too long, in a copy: the record may be kept.
func (r *noteRow) shortenProperties() {
	room, kept := maxRowFields, map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(r.Properties)) {
		value := r.Properties[name]
		if size := len(name) + textLength(value); textLength(value) > maxRowProperty || size > room {
			if room -= min(len(name), maxRowProperty); room > 0 {
				r.truncate(name)
			}
			continue
		} else {
			room -= size
		}
		kept[name] = value
	}
	if len(kept) < len(r.Properties) {
		r.Properties = kept
	}
}

// textLength is how many characters the texts of a value have.
func textLength(value any) (n int) {
	switch value := value.(type) {
	case string:
		return utf8.RuneCountInString(value)
	case []any:
		for _, v := range value {
			n += textLength(v) + 1
		}
	case []string:
		for _, v := range value {
			n += utf8.RuneCountInString(v) + 1
		}
	case map[string]any:
		for name, v := range value {
			n += utf8.RuneCountInString(name) + textLength(v) + 1
		}
	case nil, bool:
	default:
		n = 1 // a number
	}
	return n
}
