package memo_test

import (
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/toolstest"
	"github.com/lectern-mcp/lectern/tools/toolstest/memo"
)

// welcome is what the examples in the declarations were written for.
var welcome = map[string]string{
	"Milk":     "Two bottles, for [[Tea]].",
	"Shopping": "[[Milk]] and bread",
	"Supper":   "As in [[Private plans]].",
}

// TestSystem is the one call that gives a System its common tests.
func TestSystem(t *testing.T) {
	store := memo.NewStore()
	var notebooks atomic.Int64
	toolstest.Run(t, memo.SystemWith(store), func(testing.TB) toolstest.Fixture {
		notebook := fmt.Sprint("notebook ", notebooks.Add(1))
		put := func(title, text string) { store.Put(notebook, title, text) }
		for title, text := range welcome {
			put(title, text)
		}
		return toolstest.Fixture{
			Config:  memo.Config{Notebook: notebook},
			Digest:  func() string { return store.Digest(notebook) },
			Names:   []string{"Milk", "Tea", "Shopping", "Supper", "Salt", "#work"},
			Edit:    func(seed uint64) { put([]string{"Milk", "Tea", "Supper"}[seed%3], fmt.Sprint("by hand ", seed)) },
			Privacy: tools.Privacy{Exclude: []tools.PrivacyRule{{Path: "Private*"}, {Tag: "secret"}}},
			Hide: func(round int) []string {
				put("Private plans", fmt.Sprint("See [[Milk]]. ", round))
				put("Diary", fmt.Sprint("Dear [[Tea]] #secret/deep ", round))
				put("Milky", fmt.Sprint("Two bottles #secret ", round))
				return []string{"Private plans", "Diary", "Milky", "secret", "P", "D"}
			},
		}
	})
}

// Methods are ordinary Go: what is special to a System is tested without MCP
// or JSON in sight.
func TestConflict(t *testing.T) {
	var changed []string
	o, err := memo.System().Open(t.Context(), []byte(`{"notes":{"A & B":"x"}}`), tools.Env{
		Name: "desk", Log: slog.New(slog.DiscardHandler), ResourceChanged: func(uri string) { changed = append(changed, uri) },
	})
	if err != nil {
		t.Fatal(err)
	}
	write := func(args string) error {
		_, err := o.Call(t.Context(), tools.CallContext{}, "write_note", []byte(args))
		return err
	}
	if err := write(`{"title":"A & B","text":"y","revision":1}`); err != nil {
		t.Fatal(err)
	}
	if err := write(`{"title":"A & B","text":"z","revision":1}`); err == nil || tools.AsError(err).Code != tools.Conflict {
		t.Errorf("second write at revision 1: want conflict, got %v", err)
	}
	if len(changed) != 1 {
		t.Fatalf("announced %v, want one URI", changed)
	}
	c, err := o.Read(t.Context(), changed[0])
	if err != nil || c.Text != "y" {
		t.Errorf("read %s: %q, %v; want the text that was written", changed[0], c.Text, err)
	}
}

// What cannot be opened is refused before it is in the configuration.
func TestCheckConfig(t *testing.T) {
	for config, want := range map[string]string{
		`{}`: "", `{"notebook":"a"}`: "", `{"folder":"/a"}`: "",
		`{"notebook":"a","folder":"/a"}`: "both name the notebook", `{"notebooks":"a"}`: "notebooks", `{"notebook":1}`: "notebook",
	} {
		err := memo.System().CheckConfig([]byte(config))
		_, openErr := memo.System().Open(t.Context(), []byte(config), tools.Env{Name: "m"})
		if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) || (openErr != nil) != (err != nil) {
			t.Errorf("%s: %v, and to open it %v", config, err, openErr)
		}
	}
}

func TestDetect(t *testing.T) {
	if m := memo.System().Detect(fstest.MapFS{".memo": {}}); m.Score == 0 || m.Reason == "" {
		t.Errorf("a folder with a .memo file: %+v", m)
	}
	if m := memo.System().Detect(fstest.MapFS{"a.md": {}}); m.Score != 0 {
		t.Errorf("a folder without one: %+v", m)
	}
}
