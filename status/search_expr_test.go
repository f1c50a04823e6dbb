package status

import (
	"strings"
	"testing"
)

func TestParseSearch(t *testing.T) {
	for query, want := range map[string]string{
		"":                           "",
		"two  words\t":               "two words",
		`a "b  c" d`:                 `a "b  c" d`,
		"“b c” ＂d＂":                  `"b c" "d"`,
		"a OR b c OR d":              "a OR (b c) OR d",
		"a AND (b OR c) AND -d":      "a (b OR c) NOT d",
		"NOT a -(b c)":               "NOT a NOT (b c)",
		`-"x y" -key:v -#t`:          `NOT "x y" NOT [key:v] NOT #t`,
		`"OR" "-a"`:                  `"OR" "-a"`,
		"or and ORDER ANDY NOTE":     "or and ORDER ANDY NOTE",
		"C++ F# a-b - -- --x -> ->y": "C++ F# a-b - -- --x -> ->y",
		"main() f(x)(y) (main())":    "main() f(x)(y) main()",
		"key:v a.b-c_2>=3 k!=x k=":   "[key:v] [a.b-c_2>=3] [k!=x] [k=]",
		`k:"two words"x k<"y"`:       `[k:"two words"] x [k<"y"]`,
		"https://x.org 12:30 std::f": "https://x.org 12:30 std::f",
		"a=>b x==y :x =5 !a ÄÖ:ü":    "a=>b x==y :x =5 !a [ÄÖ:ü]",
		"5\" o'clock a\"b\"":         "5\" o'clock a\"b\"",
	} {
		e, err := ParseSearch(query)
		got := e.String()
		e.Walk(func(part *SearchExpr) {
			if part.Op == SearchCondition {
				got = strings.Replace(got, part.Text, "["+part.Text+"]", 1)
			}
		})
		if err != nil || got != want {
			t.Errorf("%q: %s, %v; want %s", query, got, err, want)
		}
		again, err := ParseSearch(e.String())
		if err != nil || again.String() != e.String() {
			t.Errorf("%q is read as %s, and that as %s, %v", query, e, again, err)
		}
	}
	for query, want := range map[string]string{
		"a (b":                   "character 3: the ( is not closed",
		"a )":                    "character 3: the ) has no ( before it",
		"ä b)":                   "character 4: the ) has no ( before it",
		`x "y z`:                 `character 3: the " is not closed`,
		"()":                     "character 1: nothing stands between ( and )",
		"OR a":                   "character 1: OR has nothing before it",
		"a OR":                   "character 3: OR has nothing after it",
		"(a OR) b":               "character 4: OR has nothing after it",
		"a OR OR b":              "character 3: OR has nothing after it",
		"AND":                    "character 1: AND has nothing before it",
		"a NOT":                  "character 3: NOT has nothing after it",
		"tag:(a OR b)":           "character 5: tag: takes one value; write (tag:A OR tag:B)",
		strings.Repeat("(", 100): "character 51: more than 50 parentheses and signs stand in each other",
	} {
		_, err := ParseSearch(query)
		if got, _, _ := strings.Cut(errorText(err), " (what stands"); got != want {
			t.Errorf("%q: %s, want %s", query, got, want)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return "no error"
	}
	return err.Error()
}

// Whatever is typed is read or refused, and what is read says the same when it is written.
func FuzzParseSearch(f *testing.F) {
	for _, query := range []string{`a "b" (c OR -d) k:v`, `-(-(a)) NOT x`, "tag:\"", "((", "k>=\"x\")"} {
		f.Add(query)
	}
	f.Fuzz(func(t *testing.T, query string) {
		e, err := ParseSearch(query)
		if err != nil || strings.ContainsAny(query, "“”„＂") {
			return
		}
		again, err := ParseSearch(e.String())
		if err != nil || again.String() != e.String() {
			t.Errorf("%q is read as %s, and that as %s, %v", query, e, again, err)
		}
	})
}
