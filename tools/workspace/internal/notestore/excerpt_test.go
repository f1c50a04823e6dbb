package notestore

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestExcerpt(t *testing.T) {
	long := strings.Repeat("before ", 50) + "The rent is due" + strings.Repeat(" after", 50)
	for _, c := range []struct {
		text, query, want string
		prefix            bool
	}{
		{"# Pay the rent\n\nThe RENT is due\n", "rent due", "The RENT is due", false},
		{"# Rent\nonly rent here\n", "rent", "# Rent", false},
		{"a renter\n", "rent", "", false},
		{"a renter\n", "rent", "a renter", true},
		{"un Café noir\n", "cafe", "un Café noir", false},
		{"Straße und Weg\r\n", "straße", "Straße und Weg", false},
		{"会議は東京で\n", "東京", "会議は東京で", false},
		{"- \tmany   spaces here\n", "here", "- many spaces here", false},
		{"", "here", "", false},
		{"\xff\xfe here", "here", "\xff\xfe here", false},
		{long, "rent", "… before before before before before before before The rent is due" + strings.Repeat(" after", 21) + " …", false},
	} {
		q := wordQuery{words: splitWords(c.query), prefix: c.prefix}
		if got := q.excerpt(c.text); got != c.want {
			t.Errorf("excerpt of %.40q for %q:\n%q, want\n%q", c.text, c.query, got, c.want)
		}
	}
}

func FuzzExcerpt(f *testing.F) {
	f.Add("# Pay the rent\n\nThe RENT is due\n", "rent due")
	f.Add(strings.Repeat("ä", 300), "ä")
	f.Fuzz(func(t *testing.T, text, query string) {
		words := splitWords(query)
		q := wordQuery{words: words[:min(len(words), 16)]}
		got := q.excerpt(text)
		if len(got) > maxExcerpt+2*len("… ") || strings.ContainsAny(got, "\r\n") || utf8.ValidString(text) && !utf8.ValidString(got) {
			t.Errorf("%q for %q: %q", text, query, got)
		}
	})
}
