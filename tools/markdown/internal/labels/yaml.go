package labels

import (
	"slices"

	"go.yaml.in/yaml/v4"
)

// Limits of front matter: an alias may expand to much.
const (
	maxDepth = 100
	maxNodes = 10_000
)

// A reader collects labels within a budget.
type reader struct {
	labels Labels
	left   int // nodes
}

// readYAML reads every key at any depth, twice given ones and merged ones too. It
// returns false for what is no YAML with keys, or too much.
func (r *reader) readYAML(block string) bool {
	var doc yaml.Node
	if yaml.Unmarshal([]byte(block), &doc) != nil {
		return false
	}
	if len(doc.Content) == 1 && doc.Content[0].Kind != yaml.MappingNode {
		return false
	}
	return r.visit(&doc, nil, 0)
}

// visit adds all text of a node to the properties that it belongs to.
func (r *reader) visit(n *yaml.Node, names []string, depth int) bool {
	if r.left--; r.left < 0 || depth > maxDepth {
		return false
	}
	switch n.Kind {
	case yaml.AliasNode:
		return r.visit(n.Alias, names, depth+1)
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			if !r.visit(key, names, depth+1) || !r.visit(value, slices.Concat(names, keyNames(key)), depth+1) {
				return false
			}
		}
	case yaml.ScalarNode:
		for _, name := range names {
			r.add(name, n.Value)
		}
	default:
		for _, c := range n.Content {
			if !r.visit(c, names, depth+1) {
				return false
			}
		}
	}
	if n.Kind != yaml.ScalarNode && len(n.Content) == 0 { // an empty list is there too
		for _, name := range names {
			r.add(name, "")
		}
	}
	return true
}

// keyNames are the names of a key, which may be an alias or a list.
func keyNames(key *yaml.Node) []string {
	if key.Kind == yaml.AliasNode {
		key = key.Alias
	}
	if key.Kind == yaml.ScalarNode {
		return []string{key.Value}
	}
	var names []string
	for _, c := range key.Content {
		if c.Kind == yaml.ScalarNode {
			names = append(names, c.Value)
		}
	}
	return names
}
