package hub

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
)

// An agent may state in the _meta of a call why it makes it. The reason goes to
// the Changes of the call and to a person who is asked about it. No verdict
// depends on it, and neither the log nor the audit trail holds it.
const (
	reasonKey = "lectern/reason"
	maxReason = 500 // characters that are kept
)

// statedReason is why an agent makes a call, in its words; empty: it does not
// say, or not as text.
func statedReason(meta *mcp.Meta) string {
	if meta == nil {
		return ""
	}
	said, _ := meta.AdditionalFields[reasonKey].(string)
	said = strings.TrimSpace(strings.ToValidUTF8(said, "\ufffd"))
	if utf8.RuneCountInString(said) <= maxReason {
		return said
	}
	kept := []rune(said)
	return fmt.Sprintf("%s… (cut, of %d characters)", strings.TrimSpace(string(kept[:maxReason])), len(kept))
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
