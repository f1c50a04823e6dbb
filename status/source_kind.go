package status

import "strings"

// A SourceKind is a System, for a person who adds a source of it.
type SourceKind struct {
	Kind   string      `json:"kind"`
	Title  string      `json:"title"`
	Doc    string      `json:"description"`
	Keys   []ConfigKey `json:"keys"`             // in the order shown to people
	Sample string      `json:"sample,omitempty"` // title of the sample that it brings; empty: none
}

// A ConfigKey is one key that a person sets for a source.
type ConfigKey struct {
	Name        string `json:"name"`
	Type        string `json:"type"` // text, integer, boolean, list, map, folder or secret
	Description string `json:"description"`
	Required    bool   `json:"required,omitempty"`
}

// Summary is the first sentence of Doc.
func (k SourceKind) Summary() string {
	line, _, _ := strings.Cut(k.Doc, "\n")
	if sentence, _, more := strings.Cut(line, ". "); more {
		return sentence + "."
	}
	return line
}

// Folder is the first key that names a folder; ok is false if there is none.
func (k SourceKind) Folder() (key ConfigKey, ok bool) {
	for _, key := range k.Keys {
		if key.Type == "folder" {
			return key, true
		}
	}
	return ConfigKey{}, false
}
