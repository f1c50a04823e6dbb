// Package entry changes one entry of a configuration file that belongs to
// another program: a member of a JSON object (with or without comments), a
// table of TOML, a key of YAML. Every byte that is not the entry's stays.
//
// It works on text and opens no file; installer does. What it does not
// understand it refuses, by a [Fault] with line and column. Each edit is proved
// before it is given out: see prove.go. Start reading at [Location].
package entry

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
)

// Format is how a file is written.
type Format string

// The formats. JSON may have comments and trailing commas where the file has
// some already; none are brought in.
const (
	JSON Format = "json"
	TOML Format = "toml"
	YAML Format = "yaml"
)

// A Location says where in a file an entry stands.
type Location struct {
	Format  Format
	Parents []string // the keys that lead to what holds the entries
	List    bool     // it is a list of entries that say their "name"; otherwise Name is a key
	Name    string
}

// A Fault is why a text cannot be read, or not be edited.
type Fault struct {
	Line, Column int // from 1; 0: the text as a whole
	Msg          string
}

// Error implements error.
func (f *Fault) Error() string {
	if f.Line == 0 {
		return f.Msg
	}
	return fmt.Sprintf("%d:%d: %s", f.Line, f.Column, f.Msg)
}

// ErrByHand is for texts that are right, but written so that the entry cannot
// be changed without touching what is not ours.
var ErrByHand = errors.New("it is written in a way that cannot be edited safely; edit it with an editor")

// maxText bounds what is parsed, in bytes. A client's live state file may have
// some megabytes; YAML is dearer to read.
var maxText = map[Format]int{JSON: 16 << 20, TOML: 4 << 20, YAML: 1 << 20}

// maxDepth bounds how deep brackets nest, which parsers recurse into.
const maxDepth = 1000

var bom = []byte("\ufeff")

// Get is the entry's fields as the text has them; nil: there is no such entry.
// Numbers are json.Number, int64, uint64 or float64, tables map[string]any.
func (p Location) Get(text []byte) (map[string]any, error) {
	top, err := p.read(text)
	if err != nil {
		return nil, err
	}
	return p.find(top)
}

// Set is the text with the entry holding fields; what else the entry held
// goes. made counts the containers that had to be made for it. An entry that
// holds just that already leaves the text as it is.
func (p Location) Set(text []byte, fields Fields) (after []byte, made int, err error) {
	top, err := p.read(text)
	if err != nil {
		return nil, 0, err
	}
	if old, err := p.find(top); err != nil {
		return nil, 0, err
	} else if old != nil && equalFields(old, fields.Map()) {
		return slices.Clone(text), 0, nil
	}
	mark, bare := splitBOM(text)
	e := edit{text: bare, eol: lineEnding(bare)}
	switch p.Format {
	case JSON:
		made, err = p.setJSON(&e, fields)
	case TOML:
		err = p.setTOML(&e, fields, top)
	case YAML:
		made, err = p.setYAML(&e, fields)
	}
	if err != nil {
		return nil, 0, err
	}
	after = append(slices.Clone(mark), e.apply()...)
	return after, made, p.verify(text, after, fields.Map(), e.splices)
}

// Remove is the text without the entry, and without the innermost of the
// containers around it that this leaves empty, up to made. An entry that is
// not there leaves the text as it is.
func (p Location) Remove(text []byte, made int) ([]byte, error) {
	top, err := p.read(text)
	if err != nil {
		return nil, err
	}
	if old, err := p.find(top); err != nil || old == nil {
		return slices.Clone(text), err
	}
	mark, bare := splitBOM(text)
	e := edit{text: bare, eol: lineEnding(bare)}
	switch p.Format {
	case JSON:
		err = p.removeJSON(&e, made)
	case TOML:
		err = p.removeTOML(&e)
	case YAML:
		err = p.removeYAML(&e, made)
	}
	if err != nil {
		return nil, err
	}
	after := append(slices.Clone(mark), e.apply()...)
	return after, p.verify(text, after, nil, e.splices)
}

// Empty reports whether the text holds nothing: no key, no comment.
func (p Location) Empty(text []byte) bool {
	_, bare := splitBOM(text)
	bare = bytes.TrimSpace(bare)
	return len(bare) == 0 || p.Format == JSON && len(bytes.Join(bytes.Fields(bare), nil)) == 2 && bare[0] == '{'
}

// splitBOM cuts a byte order mark off.
func splitBOM(text []byte) (mark, bare []byte) {
	bare = bytes.TrimPrefix(text, bom)
	return text[:len(text)-len(bare)], bare
}

// lineEnding is how lines of text end.
func lineEnding(text []byte) string {
	if bytes.Contains(text, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// An edit collects what changes in a text.
type edit struct {
	text    []byte
	eol     string
	splices []splice // in any order, never overlapping
}

// A splice puts bytes in the place of text[from:to].
type splice struct {
	from, to int
	text     string
}

func (e *edit) splice(from, to int, put string) {
	e.splices = append(e.splices, splice{from, to, put})
}

func (e *edit) apply() []byte {
	slices.SortStableFunc(e.splices, func(a, b splice) int { return a.from - b.from })
	var after []byte
	at := 0
	for _, s := range e.splices {
		after = append(append(after, e.text[at:s.from]...), s.text...)
		at = s.to
	}
	return append(after, e.text[at:]...)
}
