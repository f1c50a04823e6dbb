package lispdata

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// print writes a value so that a test can compare it.
func print(v Value) string {
	switch v.Kind {
	case String:
		return fmt.Sprintf("%q", v.Text)
	case Integer:
		return fmt.Sprint(v.Int)
	case List:
		var items []string
		for _, i := range v.Items {
			items = append(items, print(i))
		}
		if v.Tail != nil {
			items = append(items, ".", print(*v.Tail))
		}
		return "(" + strings.Join(items, " ") + ")"
	default:
		return v.Text
	}
}

func TestRead(t *testing.T) {
	for text, want := range map[string]string{
		`t`: "t", `nil`: "()", `'time`: "time", `-77`: "-77", `"a\"b\n"`: `"a\"b\n"`, `?w`: "119", `?\s`: "32", `#'string<`: "string<",
		`'((sequence "TODO(t)" "|" "DONE"))`:         `((sequence "TODO(t)" "|" "DONE"))`,
		`(("@work" . ?w) (:startgroup) ("b" . (c)))`: `(("@work" . 119) (:startgroup) ("b" c))`,
		"; a comment\n( a ; another\n b )":           "(a b)",
		`[1 two "three"]`:                            `(1 two "three")`,
		`(shell-command "rm -rf /")`:                 `(shell-command "rm -rf /")`, // a list, nothing more
		`a\ b`:                                       "a b",
		`(1 .5 ...)`:                                 "(1 .5 ...)",
	} {
		v, err := Read(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got := print(v); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
	for _, text := range []string{"", "(", ")", `"open`, `"\`, "(a . )", "(a . b c)", "a b", "?", "(a]", strings.Repeat("(", 1000), ","} {
		if v, err := Read(text); !errors.Is(err, ErrSyntax) {
			t.Errorf("%.20q: %s, error %v, want a syntax error", text, print(v), err)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{`'(("a" . ?b) (c [1 "d\n"]))`, `?\`, `#'`, `(a . (b . c))`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if v, err := Read(text); err == nil {
			_ = print(v)
		}
	})
}
