package cardname

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// table is the part of the recorded cases that is about names.
type table struct {
	Names struct {
		Keys []struct {
			Name   string
			Key    string
			Parts  []Name
			URLKey *string `json:"url_key"`
		}
		Absolute []struct{ Name, Context, Absolute Name }
		Swap     []struct{ Name, Old, New, Result Name }
	}
}

func readTable(t *testing.T) table {
	t.Helper()
	file := os.Getenv("CARDS_CASES")
	text, err := os.ReadFile(cmp.Or(file, filepath.Join("..", "..", "..", "..", "..", "shared", "data", "decko_contract_cases.json")))
	if file == "" && errors.Is(err, fs.ErrNotExist) {
		text, err = os.ReadFile("testdata/names.json")
	}
	if err != nil {
		t.Fatal(err)
	}
	var all table
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestNameKeys holds names to keys that a running Decko computed: those of the recorded
// cases if they are beside the checkout, and else those that are kept here. CARDS_CASES
// names another table of the same form.
func TestNameKeys(t *testing.T) {
	for _, c := range readTable(t).Names.Keys {
		t.Run(c.Name, func(t *testing.T) {
			n := Parse(c.Name)
			if got := n.Key(); got != c.Key {
				t.Errorf("key %q, want %q", got, c.Key)
			}
			if c.URLKey != nil && n.URLKey() != *c.URLKey {
				t.Errorf("url key %q, want %q", n.URLKey(), *c.URLKey)
			}
			if c.Parts != nil && !slices.Equal(n.Parts(), c.Parts) {
				t.Errorf("parts %q, want %q", n.Parts(), c.Parts)
			}
		})
	}
}

func TestAbsolute(t *testing.T) {
	for _, c := range readTable(t).Names.Absolute {
		if got := c.Name.Absolute(c.Context, "Anonymous"); got != c.Absolute {
			t.Errorf("%s in %s: %s, want %s", c.Name, c.Context, got, c.Absolute)
		}
	}
}

func TestSwap(t *testing.T) {
	for _, c := range readTable(t).Names.Swap {
		if got := c.Name.Swap(c.Old, c.New); got != c.Result {
			t.Errorf("%s with %s for %s: %s, want %s", c.Name, c.New, c.Old, got, c.Result)
		}
	}
}

func TestProblem(t *testing.T) {
	for name, good := range map[Name]bool{"A": true, "A+B": true, "*star+C": true, "": false, "A+": false, "+A": false, "A++B": false, "A+😀": false} {
		if got := name.Problem(); (got == "") != good {
			t.Errorf("%q: %q", name, got)
		}
	}
}

// A key is the key of itself, whatever the name.
func FuzzKey(f *testing.F) {
	for _, name := range []string{"Rich Texts", "A+ B", "&amp;s", "ThisThing::Other-One", "École+É", "*all plus"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, text string) {
		key := Parse(text).Key()
		if again := Name(key).Key(); again != key {
			t.Errorf("%q: %q, then %q", text, key, again)
		}
	})
}
