package links

import (
	"slices"
	"testing"
)

func TestTags(t *testing.T) {
	for text, want := range map[string][]string{
		"#a and\t#b/c-d_1, #Ünï.":                  {"a", "b/c-d_1", "Ünï"},
		"## x {#a} (#b) [#c] \"#d\" *#e* /#f ’#g":  nil,
		"- #a\n> #b\n #c　#d | #e |":                {"a", "b", "c", "d", "e"},
		"# Heading\n## Second":                     nil,
		"#1 #12 #1a":                               {"1a"},
		"#[[two words]] #[[]]":                     {"two words"},
		"x#y http://a/#b &#39; ##z \\#n":           nil,
		"`#code` <!-- #c --> %% #d %% $$ #e $$ #f": {"f"},
		"```\n#code\n```\n#g":                      {"g"},
		"<b a=\"c:#i\" d='#j'> #k</b> a <b #l":     {"k", "l"},
		"<b\n a=\"#i\"\n> #m\n\n<b\n#n":            {"m", "n"},
		"[[Page#heading]] [x](y#z) #h":             {"h"},
	} {
		if got := Tags(text, 0); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := Tags("#no\n#yes", 4); !slices.Equal(got, []string{"yes"}) {
		t.Errorf("from the body on: %q", got)
	}
}
