package notestore

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// decodeRecord reads a Record as [json.Unmarshal] does. Records that [json.Marshal] wrote,
// which are all that a database has, it reads in a third of the time: a list reads one for
// each of its rows.
func decodeRecord(data []byte, r *Record) error {
	d := recordDecoder{rest: string(data), valid: true}
	if read := d.record(); d.valid && d.rest == "" {
		*r = read
		return nil
	}
	return json.Unmarshal(data, r)
}

// A recordDecoder reads JSON without spaces, the members of a Record in their order. What
// it does not expect makes it invalid.
type recordDecoder struct {
	rest  string
	valid bool
}

func (d *recordDecoder) record() (r Record) {
	d.skip(`{"id":`)
	r.ID = d.text()
	d.skip(`,"revision_id":`)
	r.Revision = d.text()
	d.skip(`,"title":`)
	r.Title = d.text()
	d.skip(`,"class":`)
	r.Class = d.text()
	d.skip(`,"tags":`)
	r.Tags = d.texts()
	d.skip(`,"properties":`)
	if !d.has("null") {
		r.Properties = d.object()
	}
	d.skip(`,"links":`)
	r.Links = d.texts()
	d.skip(`,"canvas_position":`)
	before := d.rest
	d.value()
	r.Canvas = json.RawMessage(before[:len(before)-len(d.rest)])
	d.skip(`,"created_at":`)
	r.Created = d.time()
	d.skip(`,"updated_at":`)
	r.Updated = d.time()
	if d.has(`,"path":`) {
		r.Path = d.text()
	}
	d.skip("}")
	return r
}

// has takes text away if it comes next.
func (d *recordDecoder) has(text string) (has bool) {
	d.rest, has = strings.CutPrefix(d.rest, text)
	return has
}

func (d *recordDecoder) skip(text string) {
	if !d.has(text) {
		d.refuse()
	}
}

// refuse leaves nothing to read, so that every loop ends.
func (d *recordDecoder) refuse() { d.rest, d.valid = "", false }

// text reads a text. Those with an escape are rare.
func (d *recordDecoder) text() (text string) {
	d.skip(`"`)
	for i := range len(d.rest) {
		switch c := d.rest[i]; {
		case c == '"':
			if text, d.rest = d.rest[:i], d.rest[i+1:]; !utf8.ValidString(text) {
				d.refuse()
			}
			return text
		case c == '\\':
			return d.escapedText(i)
		case c < ' ':
			d.refuse()
			return ""
		}
	}
	d.refuse()
	return ""
}

// escapedText reads a text that has been begun, whose first escape is at i.
func (d *recordDecoder) escapedText(i int) (text string) {
	for ; i < len(d.rest) && d.rest[i] != '"'; i++ {
		if d.rest[i] == '\\' {
			i++
		}
	}
	if i >= len(d.rest) || json.Unmarshal([]byte(`"`+d.rest[:i+1]), &text) != nil {
		d.refuse()
		return ""
	}
	d.rest = d.rest[i+1:]
	return text
}

func (d *recordDecoder) texts() []string {
	if d.has("null") {
		return nil
	}
	list := []string{}
	d.skip("[")
	for more := !d.has("]"); more && d.valid; more = d.next("]") {
		list = append(list, d.text())
	}
	return list
}

// next reports whether a comma follows, and not the end of a list or an object.
func (d *recordDecoder) next(end string) bool {
	if d.has(",") {
		return true
	}
	d.skip(end)
	return false
}

func (d *recordDecoder) object() map[string]any {
	object := map[string]any{}
	d.skip("{")
	for more := !d.has("}"); more && d.valid; more = d.next("}") {
		name := d.text()
		d.skip(":")
		object[name] = d.value()
	}
	return object
}

func (d *recordDecoder) value() any {
	switch {
	case d.has("null"):
		return nil
	case d.has("true"):
		return true
	case d.has("false"):
		return false
	case strings.HasPrefix(d.rest, `"`):
		return d.text()
	case strings.HasPrefix(d.rest, "["), strings.HasPrefix(d.rest, "{"):
		return d.nested()
	default:
		return d.number()
	}
}

// nested reads a list of texts, as properties have, and leaves what may be deeper to
// others.
func (d *recordDecoder) nested() any {
	texts := d.texts()
	list := make([]any, len(texts))
	for i, text := range texts {
		list[i] = text
	}
	return list
}

func (d *recordDecoder) number() any {
	end := strings.IndexAny(d.rest, ",]}")
	if end < 1 || !json.Valid([]byte(d.rest[:end])) {
		d.refuse()
		return nil
	}
	number, err := strconv.ParseFloat(d.rest[:end], 64)
	if err != nil { // too large
		d.refuse()
		return nil
	}
	d.rest = d.rest[end:]
	return number
}

func (d *recordDecoder) time() (t time.Time) {
	if t.UnmarshalText([]byte(d.text())) != nil {
		d.refuse()
	}
	return t
}
