package nearest_test

import (
	"testing"

	"github.com/lectern-mcp/lectern/internal/nearest"
)

func TestWord(t *testing.T) {
	known := []string{"title", "max_results", "page", "limit"}
	for word, want := range map[string]string{
		"titel":      "title", // neighbours that changed places
		"maxResults": "max_results",
		"PAGES":      "page",
		"limt":       "limit",
		"text":       "",
		"x":          "",
		"":           "",
	} {
		if got := nearest.Word(word, known); got != want {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
}
