package frontmatter

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What parsePlain reads, YAML reads too and alike.
func TestPlainIsYAML(t *testing.T) {
	words := []string{
		"", "a", "A b", "title", "true", "True", "false", "FALSE", "yes", "no", "on", "y", "n", "null", "Null", "NULL", "nULL", "nan", "inf",
		"0", "7", "-7", "+7", "007", "0x1f", "0o17", "0b1", "1e3", "1.10", "1_000", "9223372036854775807", "9223372036854775808", "18446744073709551615",
		"2026-11-21", "2026-11-21T10", "10:30", "a, b", "a - b", "a 'b", "it's", "(a)", "a/b.md", "1+1", "- a", "a:", "a: b", "a #b", "a#b", "#", "~", "é", "a\tb", "'a'", `"a"`, "[a]", "{a", "&a", "*a", "!a", "|", ">", "%a", "@a", "`a", "a ", " a", "---", "...", "?", "? a", "<<", "a\r",
		"[a, b/c]", "[a,b]", "[ a , 7, null,true ]", "[]", "[ ]", "[a,]", "[,]", "[a,,b]", "[a b, (c)]", "[it's, 1.10]", "[a]b", "[a, [b]]", "[a: b]", "[a #b]",
		"\n  - a\n  - b/c", "\n- a\n- 7\n- null", "\n  - a\n    - b", "\n  - a\n - b", "\n  - ", "\n  -", "\n  - a: b", "\n  -  a", "\n  - a, b", "\n - - a",
		"\n  - a\n  b", "\n\t- a", "\n  - a ", "\n  - [a]", "a\n  - b", "[a\n  ,b]",
	}
	keys := []string{"a", "title", "B_c-2", "true", "null", "y", "no", "on", "x1", "1", "-", "é", "", " a", "a ", "a b", "<<", "?", strings.Repeat("k", 101)}
	rng := rand.New(rand.NewPCG(5, 6))
	plain := 0
	for range 30_000 {
		var b strings.Builder
		for range 1 + rng.IntN(3) {
			b.WriteString(keys[rng.IntN(len(keys))] + ":")
			if rng.IntN(8) > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(words[rng.IntN(len(words))])
			b.WriteString([]string{"\n", "\n", "\n", "\n", "\n\n", "", "\n  "}[rng.IntN(7)])
		}
		got, ok := parsePlain(b.String())
		if !ok {
			continue
		}
		plain++
		want, err := parseYAML(b.String())
		if err != nil {
			t.Fatalf("%q: read as %v, but YAML says %v", b.String(), got.Values, err)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(Fields{})); diff != "" {
			t.Fatalf("%q (-YAML +plain):\n%s", b.String(), diff)
		}
	}
	if plain < 1000 {
		t.Errorf("only %d blocks were plain", plain)
	}
}
