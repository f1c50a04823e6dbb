package notestore

import (
	"fmt"
	"slices"
	"testing"
)

// Notes with the words in their titles come first, then the newest, in one part of a list
// as in many, whether or not all fit into it.
func TestSearchOrder(t *testing.T) {
	eachDatabase(t, func(t *testing.T, s *Store) {
		saved(t, s,
			"t1", "# Green tea\nand nothing else", "x1", "# One\ngreen tea", "x2", "# Two\ntea that is green",
			"t2", "# Tea, green\ngreen tea", "x3", "# Green\ntea", "x4", "# Teas, greens\nnone", "x5", "# Five\ngreen teas",
		)
		want := []string{"t2", "t1", "x3", "x2", "x1"}
		for limit := 1; limit <= 7; limit++ {
			var pages []string
			for after := ""; ; {
				found, err := s.Begin(View{}).Search(t.Context(), "ws", "tea green", after, limit)
				if err != nil {
					t.Fatal(err)
				}
				for _, m := range found {
					pages, after = append(pages, m.ID), m.Revision
				}
				if len(found) < limit {
					break
				}
			}
			if !slices.Equal(pages, want) {
				t.Errorf("by %d: %v, want %v", limit, pages, want)
			}
		}
		for limit, want := range []string{1: "[x4]", 2: "[x4 x5]", 3: "[x4 x5]"} {
			found, err := s.Begin(View{}).Search(t.Context(), "ws", "gree teas", "", limit) // words that begin so
			var ids []string
			for _, m := range found {
				ids = append(ids, m.ID)
			}
			if got := fmt.Sprint(ids); limit > 0 && (err != nil || got != want) {
				t.Errorf("by %d: %s %v, want %s", limit, got, err, want)
			}
		}
	})
}
