package logs

import (
	"regexp"
	"strings"
)

const redacted = "[redacted]"

// namesSecret reports whether an attribute with this key contains a secret.
// The ending decides: access_token does, token_file does not.
func namesSecret(key string) bool {
	key = strings.ToLower(key)
	for _, end := range []string{
		"token", "authorization", "password", "passwd", "passphrase", "secret", "key", "cookie", "credential",
		"credentials", "bearer",
	} {
		if strings.HasSuffix(key, end) {
			return true
		}
	}
	return false
}

// A secretPattern finds a secret in a text. If the text does not contain hint, in
// lower case, the expression is not tried, because few lines contain secrets.
type secretPattern struct {
	hint string
	expr *regexp.Regexp
	with string
}

// secretPatterns are read-only. The secrets they find are ours (lectern_…), those of
// HTTP (RFC 6750 and 7617, RFC 3986 userinfo), JSON web tokens (RFC 7519), and what
// a text itself calls a secret.
var secretPatterns = []secretPattern{
	{"bearer", regexp.MustCompile(`(?i)\b(bearer)[\s:=]+[A-Za-z0-9._~+/=-]{12,}`), "$1 " + redacted},
	{"authorization", regexp.MustCompile(`(?i)(authorization\W{1,4})(?:(?:basic|digest|token)\s+)?[^\s",\]]+`), "$1" + redacted},
	{"lectern_", regexp.MustCompile(`(?i)lectern_[A-Za-z0-9_-]{20,}`), redacted},
	{"eyj", regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}(\.[A-Za-z0-9_-]*){1,4}`), redacted},
	{"://", regexp.MustCompile(`(://)[^/\s@?#"]+@`), "${1}" + redacted + "@"},
	{"=", regexp.MustCompile(`(?i)((?:token|password|passwd|secret|api_?key)=)("[^"]*"|[^\s&"#]+)`), "${1}" + redacted},
	{
		`":`, regexp.MustCompile(`(?i)("[a-z_-]*(?:token|password|passwd|secret|key|cookie)"\s*:\s*)("(?:[^"\\]|\\.)*"|\[[^\]]*\])`),
		`${1}"` + redacted + `"`,
	},
}

// redact replaces what looks like a secret in s.
func redact(s string) string {
	lower := strings.ToLower(s)
	for _, p := range secretPatterns {
		if strings.Contains(lower, p.hint) {
			s = p.expr.ReplaceAllString(s, p.with)
		}
	}
	return s
}
