package index

import (
	"slices"
	"testing"
)

func TestEditDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"word", "word", 0},
		{"word", "wrod", 1},
		{"word", "words", 1},
		{"word", "wort", 1},
		{"word", "ord", 1},
		{"planning", "plannign", 1},
		{"perihelion", "perihelon", 1},
		{"perihelion", "perhelon", 2},
		{"perihelion", "parhelon", 3},
		{"straße", "strase", 1},
		{"abcdefgh", "xyzdefgh", 3},
		{"a", "abcdefgh", 3},
	} {
		if got := editDistance(c.a, c.b, 2); got != c.want || editDistance(c.b, c.a, 2) != got {
			t.Errorf("%s, %s: %d and not %d", c.a, c.b, got, c.want)
		}
	}
}

func TestSpeller(t *testing.T) {
	s := NewSpeller([][]string{{"wrod"}, {"cat"}, {"two", "words"}, {"2026"}, {"planning"}})
	for word, pages := range map[string]int{"word": 1, "wort": 5, "rod": 9, "wrod": 1, "car": 3, "2027": 1, "lanning": 1, "planing": 2, "planningx": 2, "palnning": 7, "xlanning": 1} {
		s.See(word, pages)
	}
	got, found := s.Spellings()
	if want := [][]string{{"wrod", "rod", "word"}, nil, nil, nil, {"palnning", "planing", "planningx", "lanning"}}; !found || !slices.EqualFunc(got, want, slices.Equal[[]string]) {
		t.Errorf("%q", got)
	}
	s = NewSpeller([][]string{{"word"}})
	s.See("word", 1)
	if _, found := s.Spellings(); found {
		t.Error("a word is like itself")
	}
}
