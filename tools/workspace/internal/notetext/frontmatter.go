package notetext

import (
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Limits of front matter: what is beyond them is not read.
const (
	maxFrontMatter = 64 << 10
	maxDepth       = 20
	maxNodes       = 2000
)

// splitFrontMatter returns the YAML between the fences at the top of a note, and where
// the rest begins. Without a closing fence there is none.
func splitFrontMatter(markdown string) (block string, body int) {
	first, rest, found := strings.Cut(markdown, "\n")
	if !found || strings.TrimRight(strings.TrimPrefix(first, "\ufeff"), " \t\r") != "---" {
		return "", 0
	}
	start := len(first) + 1
	for at := 0; at < min(len(rest), maxFrontMatter); {
		line, _, more := strings.Cut(rest[at:], "\n")
		next := at + len(line)
		if more {
			next++
		}
		if fence := strings.TrimRight(line, " \t\r"); fence == "---" || fence == "..." {
			return rest[:at], start + next
		}
		at = next
	}
	return "", 0
}

var yamlLine = regexp.MustCompile(`line (\d+)`)

// parseFrontMatter returns the keys of a block. The problem does not quote the block.
func parseFrontMatter(block string) (fields map[string]any, problem string) {
	fields = map[string]any{}
	if strings.TrimSpace(block) == "" {
		return fields, ""
	}
	if simple, ok := simpleFrontMatter(block); ok {
		return simple, ""
	}
	return readYAML(block)
}

func readYAML(block string) (fields map[string]any, problem string) {
	fields = map[string]any{}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(block), &doc); err != nil {
		if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
			if n, err := strconv.Atoi(m[1]); err == nil {
				return fields, fmt.Sprintf("the front matter is not valid YAML near line %d", n+1)
			}
		}
		return fields, "the front matter is not valid YAML"
	}
	if len(doc.Content) != 1 {
		return fields, ""
	}
	if doc.Content[0].Kind != yaml.MappingNode {
		return fields, "the front matter is not a list of keys and values"
	}
	left := maxNodes
	read, fits := yamlValue(doc.Content[0], 0, &left).(map[string]any)
	if !fits || left < 0 {
		return fields, "the front matter is nested too deeply or has too many values"
	}
	return read, ""
}

// yamlValue returns a node as JSON has it, within a budget, because an alias may
// stand for much. A date, or 1.10, stays text.
func yamlValue(n *yaml.Node, depth int, left *int) any {
	*left--
	if depth > maxDepth {
		*left = -1
	}
	if *left < 0 {
		return nil
	}
	switch n.Kind {
	case yaml.AliasNode:
		return yamlValue(n.Alias, depth+1, left)
	case yaml.SequenceNode:
		list := make([]any, 0, len(n.Content))
		for _, c := range n.Content {
			list = append(list, yamlValue(c, depth+1, left))
		}
		return list
	case yaml.MappingNode:
		m := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], yamlValue(n.Content[i+1], depth+1, left)
			if _, twice := m[key.Value]; !twice {
				m[key.Value] = value
			}
		}
		return m
	default:
		return yamlScalar(n)
	}
}

func yamlScalar(n *yaml.Node) any {
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!bool":
		if n.Value == "true" || n.Value == "false" {
			return n.Value == "true"
		}
	case "!!int":
		if i, err := strconv.ParseInt(n.Value, 10, 64); err == nil && strconv.FormatInt(i, 10) == n.Value && i < 1<<53 && i > -1<<53 {
			return i
		}
	}
	return n.Value
}

// scalarText is a value as text; empty if it is none or a list.
func scalarText(v any) string {
	switch v := v.(type) {
	case string:
		return strings.TrimSpace(v)
	case bool, int64, float64:
		return fmt.Sprint(v)
	}
	return ""
}

// listOf are the values of a list, or of text with separators between them.
func listOf(v any, separators string) (list []string) {
	all, is := v.([]any)
	if !is {
		return strings.FieldsFunc(scalarText(v), func(r rune) bool { return strings.ContainsRune(separators, r) })
	}
	for _, one := range all {
		if s := scalarText(one); s != "" {
			list = append(list, s)
		}
	}
	return list
}

func unescapePath(s string) (string, error) { return url.PathUnescape(s) }
