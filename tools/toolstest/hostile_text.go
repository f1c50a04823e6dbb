package toolstest

import (
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/tools"
)

// hostileTexts are texts from strangers for names, paths and queries.
func hostileTexts() []string {
	return []string{
		"", " ", "\t\n", ".", "..", "/", `\`, "~", "-", "--help", "*", "?", "%", "\"", "'",
		"../../../../../../etc/passwd", `..\..\..\windows\win.ini`, "/etc/passwd", `C:\Windows\win.ini`, `\\host\share\x`,
		"a/../../b", "a/./b//c/", "%2e%2e%2f%2e%2e%2fetc%2fpasswd", "..%00/", "file:///etc/passwd", "....//....//x",
		"CON", "nul.md", "aux.", "name. ", "a:stream", ".git/config", ".hidden",
		"a\x00b", "a\x1b[2J\x07b", "\r\n\r\nX: y", "\u0085\u2028\u2029",
		"\u202egnp.exe", "\u2066a\u2069", "\u200b\u200d\ufeff", "\U000e0041\U000e0042", "e\u0301", "\u212b", "İ", "ß", "\ufffd",
		"{{.}}", "${HOME}", "$(id)", "`id`", "'; DROP TABLE notes; --", "<script>alert(1)</script>",
		"[[", "]]", "[[[[[[[[[[x", "---\n---\n", "---\na: &a [*a]\n---\n", "(((((((((((a+)+)+)+)+$", "[a-", "(?i", `\`,
		strings.Repeat("a/", 3000), strings.Repeat("../", 3000), strings.Repeat("[", 20000),
		strings.Repeat("x", 256), strings.Repeat("é", 128), strings.Repeat("x", 1<<20),
	}
}

// checkHostileText puts every hostile text into every string of a tool's
// input. Tools may answer what they like, but they must not panic, return a
// foreign error or touch anything outside.
func checkHostileText(s *suite) {
	s.Helper()
	for _, t := range s.manifest.Tools {
		if len(t.Examples) == 0 {
			continue
		}
		src := s.open("one")
		before, outside := src.Digest(), src.outside()
		for i, path := range stringPaths(t.In, nil) {
			for j, text := range hostileTexts() {
				if !makesCall(s, i+j) {
					continue
				}
				args := decodeObject(t.Examples[0].In)
				setAtPath(args, path, text)
				s.call(s.ctx(), src.OpenedSource, t, encode(args))
				if src.outside() != outside {
					s.Fatalf("%s with %s = %q changed something outside of its source", t.Name, strings.Join(path, "."), abbreviate(text, 80))
				}
			}
		}
		s.call(s.ctx(), src.OpenedSource, t, []byte(`{"`+strings.Repeat("k", 1<<20)+`":1}`))
		if t.Effect == tools.Reads && src.Digest() != before {
			s.Errorf("%s has effect read, but hostile text made it change the data", t.Name)
		}
	}
}

func (p Fixture) outside() string {
	if p.Outside == nil {
		return ""
	}
	return p.Outside()
}

// stringPaths lists the paths of strings in a schema. A step is the name of an
// argument, "[]" for an entry of a list, or "*" for a key of a map.
func stringPaths(schema *jsonschema.Schema, at []string) [][]string {
	switch schema.Type {
	case "string":
		if len(schema.Enum) == 0 {
			return [][]string{slices.Clone(at)}
		}
	case "array":
		if schema.Items != nil {
			return stringPaths(schema.Items, append(at, "[]"))
		}
	case "object":
		var all [][]string
		for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
			all = append(all, stringPaths(schema.Properties[name], append(at, name))...)
		}
		if a := schema.AdditionalProperties; a != nil && a.Not == nil {
			if a.Type == "" {
				a = &jsonschema.Schema{Type: "string"} // a map of anything takes strings
			}
			all = append(all, stringPaths(a, append(at, "*"))...)
		}
		return all
	}
	return nil
}

// setAtPath sets the string at a path and creates what is missing on the way.
// Keys of maps are hostile too.
func setAtPath(args map[string]any, path []string, text string) {
	var set func(v any, path []string) any
	set = func(v any, path []string) any {
		if len(path) == 0 {
			return text
		}
		if path[0] == "[]" {
			return []any{set(nil, path[1:])}
		}
		m, ok := v.(map[string]any)
		if !ok {
			m = map[string]any{}
		}
		key := path[0]
		if key == "*" {
			key = text
		}
		m[key] = set(m[key], path[1:])
		return m
	}
	set(args, path)
}
