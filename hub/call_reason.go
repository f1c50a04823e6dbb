package hub

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
)

// An agent may say in the _meta of a call why it makes it. Its words go to the
// Changes of the call and to a person who is asked about it; no verdict hangs
// on them, and neither log nor audit has them.
const (
	reasonKey   = "lectern/reason"
	mostSaidWhy = 500 // characters that are kept of it
)

// reasonOf is why an agent makes a call, in its words; empty: it does not say,
// or what it sent is no text.
func reasonOf(meta *mcp.Meta) string {
	if meta == nil {
		return ""
	}
	said, _ := meta.AdditionalFields[reasonKey].(string)
	said = strings.TrimSpace(strings.ToValidUTF8(said, "\ufffd"))
	if utf8.RuneCountInString(said) <= mostSaidWhy {
		return said
	}
	kept := []rune(said)
	return fmt.Sprintf("%s… (cut, of %d characters)", strings.TrimSpace(string(kept[:mostSaidWhy])), len(kept))
}

// isUsual says whether a call's _meta has nothing that mcp-go would look at.
func isUsual(meta *mcp.Meta) bool {
	for key := range meta.AdditionalFields {
		if key != reasonKey {
			return false
		}
	}
	return true
}
