// Package entry edits one entry in the configuration file of another program: a
// member of a JSON object (with or without comments), a table of TOML, a key of
// YAML. Every other byte stays as it is.
//
// It works on text and opens no file; installer, its only importer, does. What it
// does not understand it refuses, with a [Fault] that has line and column. Each
// edit is verified before it is returned: see verify.go. Start reading at
// [Location].
package entry

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
)

// Format is the syntax of a file.
type Format string

// The formats. JSON may have comments and trailing commas; edits add none.
const (
	JSON Format = "json"
	TOML Format = "toml"
	YAML Format = "yaml"
)

// A Location says where the entry is in a file.
type Location struct {
	Format  Format
	Parents []string // keys that lead to the table or list of entries
	List    bool     // entries are in a list and have a field "name"; otherwise Name is a key
	Name    string
}

// A Fault says why a text cannot be read or edited.
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

// ErrManualEdit is for valid texts in which the entry cannot be changed without
// changing something else.
var ErrManualEdit = errors.New("it is written in a way that cannot be edited safely; change it in an editor")

// maxText bounds the texts that are parsed, in bytes. State files of clients may
// have some megabytes; YAML is slower to parse.
var maxText = map[Format]int{JSON: 16 << 20, TOML: 4 << 20, YAML: 1 << 20}

// maxDepth bounds the nesting of brackets, because parsers recurse.
const maxDepth = 1000

var bom = []byte("\ufeff")

// Get returns the fields of the entry; nil: there is no such entry.
// Numbers are json.Number, int64, uint64 or float64, tables map[string]any.
func (p Location) Get(text []byte) (map[string]any, error) {
	top, err := p.read(text)
	if err != nil {
		return nil, err
	}
	return p.find(top)
}

// Set returns the text with an entry of exactly these fields. made counts the
// containers that were created for it. If the entry has these fields already,
// the text stays as it is.
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
	var edited []byte
	switch p.Format {
	case JSON:
		edited, made, err = p.setJSON(bare, fields)
	case TOML:
		edited, err = p.setTOML(bare, fields, top)
	case YAML:
		edited, made, err = p.setYAML(bare, fields)
	}
	if err != nil {
		return nil, 0, err
	}
	after = slices.Concat(mark, edited)
	return after, made, p.verify(text, after, fields.Map())
}

// Remove returns the text without the entry, and without up to made containers
// around it that are empty then. If there is no entry, the text stays as it is.
func (p Location) Remove(text []byte, made int) ([]byte, error) {
	top, err := p.read(text)
	if err != nil {
		return nil, err
	}
	if old, err := p.find(top); err != nil || old == nil {
		return slices.Clone(text), err
	}
	mark, bare := splitBOM(text)
	var edited []byte
	switch p.Format {
	case JSON:
		edited, err = p.removeJSON(bare, made)
	case TOML:
		edited, err = p.removeTOML(bare, top)
	case YAML:
		edited, err = p.removeYAML(bare, made)
	}
	if err != nil {
		return nil, err
	}
	after := slices.Concat(mark, edited)
	return after, p.verify(text, after, nil)
}

// Empty reports whether the text has neither keys nor comments.
func (p Location) Empty(text []byte) bool {
	_, bare := splitBOM(text)
	bare = bytes.TrimSpace(bare)
	return len(bare) == 0 || p.Format == JSON && len(bytes.Join(bytes.Fields(bare), nil)) == 2 && bare[0] == '{'
}

// splitBOM separates a byte order mark from the text.
func splitBOM(text []byte) (mark, bare []byte) {
	bare = bytes.TrimPrefix(text, bom)
	return text[:len(text)-len(bare)], bare
}

func lineEnding(text []byte) string {
	if bytes.Contains(text, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}
