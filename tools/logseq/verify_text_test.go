package logseq_test

import (
	"fmt"
	"regexp"
	"testing"
)

// A DB graph stores the tags and links of a text in its own spelling, and with the
// names as their pages have them. That is what was asked for; another text is not.
func TestTextIsVerifiedByItsMeaning(t *testing.T) {
	tag := regexp.MustCompile(`#([\p{L}\d/_-]+)`)
	stored := func(text string) string { return tag.ReplaceAllString(text, "#[[$1]]") }
	for _, c := range []struct {
		text    string
		becomes func(string) string
		right   bool
	}{
		{"buy milk #errand", stored, true},
		{"#errand buy milk #home/kitchen, soon", stored, true},
		{"is it #errand. Yes (#home)", stored, true},
		{"#[[two words]] and #one", stored, true},
		{"## Beds #garden", stored, true},
		{"see [[kitchen]] #Errand", func(string) string { return "see [[Kitchen]] #[[errand]]" }, true},
		{"[[" + id(101) + "]] beside [[Kitchen]]", func(string) string { return "[[" + id(101) + "]] beside [[" + id(103) + "]]" }, true},
		{"[[" + id(101) + "]] beside [[Kitchen]]", func(string) string { return "[[" + id(102) + "]] beside [[" + id(103) + "]]" }, false},
		{"buy milk #errand", func(string) string { return "buy milk #[[errands]]" }, false},
		{"buy milk #errand", func(string) string { return "buy milk" }, false},
		{"buy milk #errand", func(string) string { return "Buy milk #[[errand]]" }, false},
		{"buy [[milk]]", func(string) string { return "buy [[Kitchen]]" }, false},
		{"buy milk", func(string) string { return "buy #[[milk]]" }, false},
	} {
		for tool, args := range map[string]string{
			"create_block":  `{"page_name":"Garden","content":%q}`,
			"create_page":   `{"title":"Shed","content":%q}`,
			"update_page":   `{"page_name":"Garden","content_append":%q}`,
			"update_block":  `{"block_uuid":"` + id(1) + `","content":%q}`,
			"insert_blocks": `{"page_name":"Garden","blocks":[{"content":%q}]}`,
		} {
			f := fixtureGraph("db")
			f.spelling = c.becomes
			if m := openTestSource(t, f).must(tool, fmt.Sprintf(args, c.text)); m["verified"] != c.right {
				t.Errorf("%s %q, stored as %q: %v", tool, c.text, c.becomes(c.text), m)
			}
		}
	}
}
