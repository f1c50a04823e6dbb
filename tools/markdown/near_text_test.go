package markdown

import (
	"strings"
	"testing"
)

// A text that is not on the page names the one that differs only in what editors replace.
func TestNearText(t *testing.T) {
	const page = "first\nHe said “wait” and left—at 10\u00a0km, it’s ＡＢＣ（１） so\u00adft «x»…\n"
	for wanted, want := range map[string]string{
		`"wait"`: "“wait”", "left-at": "left—at", "10 km": `10\u00a0km`, "it's ABC(1)": "it’s ＡＢＣ（１）", "soft": `so\u00adft`, `"x"...`: "«x»…", "Wait": "", "ABC(2)": "",
	} {
		b := open(t, map[string]string{"q.md": page}, nil)
		hint := strings.ReplaceAll(b.refused("edit_page", `{"path":"q.md","action":"replace","text":`+quoteJSON(wanted)+`,"content":"x"}`, "NOT_FOUND").Hint, `\"`, `"`)
		if want == "" && strings.Contains(hint, "Line ") || want != "" && !strings.Contains(hint, "Line 2 has \""+want+"\"") {
			t.Errorf("%q: %q", wanted, hint)
		}
	}
}
