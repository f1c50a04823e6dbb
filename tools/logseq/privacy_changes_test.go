package logseq_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/tools"
)

// What agents did to a page is hidden once the page is, by the names that it
// has and had; with marks that need contents, everything is.
func TestHidesChanges(t *testing.T) {
	for _, kind := range []string{"db", "file"} {
		for _, call := range undoCases() {
			if kind == "file" && onlyOfDB(call[0]) {
				continue
			}
			t.Run(kind+" "+call[0], func(t *testing.T) { hidesChanges(t, kind, call[0], call[1]) })
		}
	}
}

func hidesChanges(t *testing.T, kind, tool, args string) {
	f := fixtureGraph(kind)
	opened := func(marks ...tools.PrivacyRule) *tools.OpenedSource {
		o, err := testSystem().Open(t.Context(), nil, tools.Env{
			Name: "home", Log: slog.New(slog.DiscardHandler), Peer: f, Now: time.Now, ResourceChanged: func(string) {}, Privacy: tools.Privacy{Exclude: marks},
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = o.Close() })
		return o
	}
	l := &changeRecorder{f: f}
	if _, err := openTestSource(t, f).open.Call(t.Context(), tools.CallContext{Writes: l}, tool, []byte(args)); err != nil {
		t.Fatalf("%s: %v", args, err)
	}
	for _, c := range l.changes {
		for name, x := range map[string]struct {
			on   *tools.OpenedSource
			want bool
		}{
			"nothing":    {opened(), false},
			"all pages":  {opened(tools.PrivacyRule{Path: "**"}), true},
			"other page": {opened(tools.PrivacyRule{Path: "Nowhere/**"}), false},
			"a tag":      {opened(tools.PrivacyRule{Tag: "nothing"}), true},
		} {
			if got, err := x.on.HidesChange(t.Context(), c); err != nil || got != x.want {
				t.Errorf("%s is hidden by %s: %v (%v), want %v", c.Target, name, got, err, x.want)
			}
		}
	}
}
