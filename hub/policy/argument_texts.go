package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"

	"github.com/lectern-mcp/lectern/tools"
)

// maxPathBytes bounds what counts as a path among arguments, in bytes: no file
// system has longer ones.
const maxPathBytes = 4096

// maxArgumentTexts bounds how many texts of one call's arguments are looked at. A
// call with more is judged as one that might touch anything.
const maxArgumentTexts = 10_000

// ArgumentTexts lists the texts in a call's arguments, keys too, that may be paths. It
// reports false if the list is not complete: there are too many, or args is nil,
// because what the client sent is not a JSON object.
func ArgumentTexts(args map[string]any) (texts []string, complete bool) {
	if args == nil {
		return nil, false
	}
	texts = appendTexts(nil, args)
	return texts[:min(len(texts), maxArgumentTexts)], len(texts) <= maxArgumentTexts
}

func appendTexts(texts []string, v any) []string {
	if len(texts) > maxArgumentTexts {
		return texts
	}
	switch v := v.(type) {
	case string:
		if len(v) <= maxPathBytes {
			texts = append(texts, v)
		}
	case []any:
		for _, each := range v {
			texts = appendTexts(texts, each)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			texts = appendTexts(append(texts, key), v[key])
		}
	}
	return texts
}

// ToolDigest is a digest of a tool's declaration. It is short because it is written
// into people's configuration; it guards against drift, not malice.
func ToolDigest(info tools.ToolInfo) string {
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
