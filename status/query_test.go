package status

import (
	"os"
	"regexp"
	"testing"
)

// A query that is not in the list is not tested by the suite.
func TestQueriesAreListed(t *testing.T) {
	src, err := os.ReadFile("query.go")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, q := range Queries() {
		names[q.Name] = true
	}
	declared := regexp.MustCompile(`(?m)^\t\w+ += (?:Query|Stream)\[.*\]\{"(.*)"\}$`).FindAllSubmatch(src, -1)
	for _, d := range declared {
		if name := string(d[1]); !names[name] {
			t.Errorf("query %s is declared and not listed", name)
		}
	}
	if len(declared) != len(names) {
		t.Errorf("%d queries are declared and %d listed", len(declared), len(names))
	}
}
