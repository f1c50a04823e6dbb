package mcp

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
)

// An agent may say in the _meta of a call why it makes it. Its words go to the
// Changes of the call and to a person who is asked about it; no decision depends
// on them, and neither log nor audit holds them.
const (
	reasonKey          = "lectern/reason"
	maxCallReasonChars = 500 // characters that are kept
)

// callReason is why an agent makes a call, in its words. It is empty if the
// agent does not say, or sent something else than text.
func callReason(meta *mcp.Meta) string {
	if meta == nil {
		return ""
	}
	reason, _ := meta.AdditionalFields[reasonKey].(string)
	reason = strings.TrimSpace(strings.ToValidUTF8(reason, "\ufffd"))
	if utf8.RuneCountInString(reason) <= maxCallReasonChars {
		return reason
	}
	runes := []rune(reason)
	return fmt.Sprintf("%s… (cut, of %d characters)", strings.TrimSpace(string(runes[:maxCallReasonChars])), len(runes))
}
