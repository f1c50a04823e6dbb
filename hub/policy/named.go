package policy

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"

	"github.com/lectern-mcp/lectern/tools"
)

// longestPath bounds what counts as a path among arguments, in bytes: no file
// system takes longer ones.
const longestPath = 4096

// mostNamed bounds how many texts of one call's arguments are looked at. A
// call with more is judged as one that might touch anything.
const mostNamed = 10_000

// Named lists the texts in a call's arguments, keys too, that may be paths;
// false: there are too many to look at, or args is no JSON.
func Named(args json.RawMessage) (texts []string, whole bool) {
	if len(bytes.TrimSpace(args)) == 0 {
		return nil, true
	}
	var v any
	if json.Unmarshal(args, &v) != nil {
		return nil, false
	}
	texts = named(texts, v)
	return texts[:min(len(texts), mostNamed)], len(texts) <= mostNamed
}

func named(texts []string, v any) []string {
	if len(texts) > mostNamed {
		return texts
	}
	switch v := v.(type) {
	case string:
		if len(v) <= longestPath {
			texts = append(texts, v)
		}
	case []any:
		for _, each := range v {
			texts = named(texts, each)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			texts = named(append(texts, key), v[key])
		}
	}
	return texts
}

// Schema is the same as long as a tool's declaration is. It is short, as it
// stands in people's configuration; it guards against drift, not malice.
func Schema(info tools.ToolInfo) string {
	b, err := json.Marshal(struct {
		Name, Doc string
		Effect    tools.Effect
		In        any
	}{info.Name, info.Doc, info.Effect, info.In})
	if err != nil { // a schema that cannot be written is found by the suite
		return "unknown"
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}
