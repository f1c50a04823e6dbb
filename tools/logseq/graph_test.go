package logseq_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/logseq"
)

// A testSource is a source open on a fake.
type testSource struct {
	t       *testing.T
	open    *tools.OpenedSource
	changed []string
}

func openTestSource(t *testing.T, peer tools.Peer, change ...func(*tools.Env)) *testSource {
	t.Helper()
	return openConfigured(t, logseq.Config{}, peer, change...)
}

// testSystem is the System that tests open sources of, as one hub does: to find out its
// schemas takes longer than most of what a test calls.
var testSystem = sync.OnceValue(logseq.System)

func openConfigured(t *testing.T, config logseq.Config, peer tools.Peer, change ...func(*tools.Env)) *testSource {
	t.Helper()
	keys, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	d := &testSource{t: t}
	env := tools.Env{
		Name: "home", Log: slog.New(slog.DiscardHandler), Peer: peer,
		Now:             func() time.Time { return time.Date(2026, 3, 1, 9, 30, 0, 0, time.UTC) },
		ResourceChanged: func(uri string) { d.changed = append(d.changed, uri) },
	}
	for _, one := range change {
		one(&env)
	}
	o, err := testSystem().Open(t.Context(), keys, env)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = o.Close() })
	d.open = o
	return d
}

// call answers the result as a map.
func (d *testSource) call(tool, args string) (map[string]any, *tools.Error) {
	d.t.Helper()
	r, err := d.open.Call(context.WithoutCancel(d.t.Context()), tools.CallContext{}, tool, []byte(args))
	if err != nil {
		return nil, tools.AsError(err)
	}
	m := map[string]any{}
	if err := json.Unmarshal(r.JSON, &m); err != nil {
		d.t.Fatal(err)
	}
	return m, nil
}

func (d *testSource) must(tool, args string) map[string]any {
	d.t.Helper()
	m, err := d.call(tool, args)
	if err != nil {
		d.t.Fatalf("%s %s: %v %s", tool, args, err, err.Hint)
	}
	return m
}

// errorCode is the code as an agent reads it.
func errorCode(e *tools.Error) string { return testSystem().Manifest().ErrorFormat.Code(e) }

func applied(e *tools.Error) any {
	m := map[string]any{}
	b, err := json.Marshal(e.Data)
	if err != nil || json.Unmarshal(b, &m) != nil {
		return nil
	}
	return m["applied"]
}

// An example answers the same on a DB graph, but for what it does not have.
func TestDBGraph(t *testing.T) {
	folder := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(folder, "assets"), 0o700),
		os.WriteFile(filepath.Join(folder, "assets", "beds.png"), []byte("\x89PNG"), 0o600)); err != nil {
		t.Fatal(err)
	}
	config := logseq.Config{GraphFolder: folder}
	for _, tool := range testSystem().Manifest().Tools {
		f := fixtureGraph("db")
		showFile(f.pages[0], 70, "beds.png")
		d := openConfigured(t, config, f)
		for _, x := range tool.Examples {
			m, err := d.call(tool.Name, string(x.In))
			switch {
			case tool.Name == "list_templates":
				if err == nil || errorCode(err) != "CAPABILITY_MISSING" {
					t.Errorf("list_templates on a DB graph: %v, %v", m, err)
				}
			case err != nil:
				t.Errorf("%s %s: %v", tool.Name, x.In, err)
			case m["success"] == true && m["verified"] != true:
				t.Errorf("%s %s: not verified: %v", tool.Name, x.In, m)
			}
		}
	}
}

// Each capability that is missing stops the tools that need it, with its name,
// and no other tool.
func TestEachCapabilityMissing(t *testing.T) {
	manifest := testSystem().Manifest()
	for i, c := range logseq.Capabilities() {
		for n, tool := range manifest.Tools {
			if !runtest.InSample(i+n, 4, 8) {
				continue
			}
			f := fixtureGraph("file")
			if onlyOfDB(tool.Name) {
				f = fixtureGraph("db")
			}
			f.lacks[c.Key] = true
			_, err := openTestSource(t, f).call(tool.Name, string(tool.Examples[0].In))
			stopped := err != nil && errorCode(err) == "CAPABILITY_MISSING"
			needs := slices.Contains(c.Tools, tool.Name) || c.Key == "pages.update" && tool.Name == "create_page" || c.Key == "pages.read" && tool.Name == "get_journal" ||
				tool.Name == "replace_page_content" && (c.Key == "pages.read" || c.Key == "blocks.delete")
			if stopped != needs {
				t.Errorf("%s without %s: %v", tool.Name, c.Key, err)
			}
			if stopped && (!strings.Contains(err.Message, c.Key) || !strings.Contains(err.Hint, "get_capabilities")) {
				t.Errorf("%s without %s says %q, %q", tool.Name, c.Key, err.Message, err.Hint)
			}
		}
	}
}

// Without a Logseq two tools answer, and the others say what to do.
func TestNotConnected(t *testing.T) {
	away := fixtureGraph("db")
	away.gone = true
	for _, peer := range []tools.Peer{nil, away} {
		d := openTestSource(t, peer)
		for _, tool := range testSystem().Manifest().Tools {
			m, err := d.call(tool.Name, string(tool.Examples[0].In))
			if tool.Name == "ping" || tool.Name == "get_capabilities" {
				if err != nil || m["connected"] != false || m["note"] == nil {
					t.Errorf("%s: %v, %v", tool.Name, m, err)
				}
				continue
			}
			if err == nil || err.Code != tools.Unavailable || errorCode(err) != "UNAVAILABLE" || !strings.Contains(err.Hint, "start Logseq") {
				t.Errorf("%s: %v, %v", tool.Name, m, err)
			}
		}
		if err := d.open.Check(t.Context()); err != nil {
			t.Errorf("check: %v", err)
		}
	}
}

// What every kind of fault becomes, for every tool that writes.
func TestFaultsOfWrites(t *testing.T) {
	writes := map[string]bool{}
	for _, m := range []string{
		"pages.create", "pages.update", "pages.append", "pages.delete", "pages.rename", "blocks.create",
		"blocks.insert", "blocks.update", "blocks.delete", "blocks.move", "tasks.set", "journals.create",
		"tags.set", "tags.create", "properties.create",
	} {
		writes[m] = true
	}
	for _, tool := range testSystem().Manifest().Tools {
		if tool.Effect == tools.Reads || tool.Name == "batch" {
			continue
		}
		args := string(tool.Examples[len(tool.Examples)-1].In)
		if tool.Name == "create_page" {
			args = string(tool.Examples[0].In)
		}
		for _, want := range []struct {
			wrong   fault
			word    string
			applied any
		}{
			{refuse, "INTERNAL", false},
			{half, "INTERNAL", true},
			{null, "INTERNAL", false},
			{late, "TIMEOUT", true},
			{never, "TIMEOUT", "unknown"},
			{lostLate, "UNAVAILABLE", true},
			{lostNever, "UNAVAILABLE", "unknown"},
		} {
			synctest.Test(t, func(t *testing.T) {
				f := fixtureGraph("db")
				f.fault = func(method string) fault {
					if writes[method] {
						return want.wrong
					}
					return fine
				}
				m, err := openTestSource(t, f).call(tool.Name, args)
				if err == nil || errorCode(err) != want.word || applied(err) != want.applied {
					t.Errorf("%s with fault %d: %v, %v with %+v; want %s applied %v", tool.Name, want.wrong, m, err, err.Data, want.word, want.applied)
				}
				if n := countBlocks(f.calls, writes); n != 1 {
					t.Errorf("%s with fault %d was sent %d times", tool.Name, want.wrong, n)
				}
			})
		}
	}
}

func countBlocks(calls []string, of map[string]bool) int {
	n := 0
	for _, c := range calls {
		if of[c] {
			n++
		}
	}
	return n
}

// A plugin that was restarted has forgotten the request.
func TestReloadedPluginDidNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := fixtureGraph("db")
		f.fault = func(method string) fault {
			if method == "blocks.create" {
				f.session = "s2"
				return lostNever
			}
			return fine
		}
		_, err := openTestSource(t, f).call("create_block", `{"page_name":"Garden","content":"x"}`)
		if err == nil || applied(err) != false || err.Hint != "Call again." {
			t.Errorf("after a reload: %v with %+v", err, err.Data)
		}
	})
}

// When nothing can be read back, the answer is that nobody knows.
func TestGoneInTheMiddle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := fixtureGraph("db")
		f.fault = func(method string) fault {
			if method == "blocks.update" {
				f.gone = true
				return lostLate
			}
			return fine
		}
		_, err := openTestSource(t, f).call("update_block", `{"block_uuid":"`+id(1)+`","content":"x"}`)
		if err == nil || applied(err) != "unknown" {
			t.Errorf("gone in the middle: %v", err)
		}
	})
}

// A success that cannot be read back is not called verified.
func TestUnverified(t *testing.T) {
	f := fixtureGraph("db")
	written := false
	f.fault = func(method string) fault {
		if method == "blocks.update" {
			written = true
		} else if written {
			return refuse
		}
		return fine
	}
	m := openTestSource(t, f).must("update_block", `{"block_uuid":"`+id(1)+`","content":"x"}`)
	if m["success"] != true || m["verified"] != false || m["warnings"] == nil {
		t.Errorf("answers %v", m)
	}
}

// A second step that fails says that the first is done.
func TestStepsAreTold(t *testing.T) {
	f := fixtureGraph("db")
	f.fault = func(method string) fault {
		if method == "pages.append" {
			return refuse
		}
		return fine
	}
	_, err := openTestSource(t, f).call("update_page", `{"page_name":"Garden","content_append":"x","properties":{"soil":"loam"}}`)
	if err == nil || !strings.Contains(string(encode(err.Data)), "properties set") || applied(err) != "partly" {
		t.Errorf("want the first step told, got %v with %+v", err, err.Data)
	}
}

// A silent null is not there, and Logseq's own words come through, harmless.
func TestFaultsOfReads(t *testing.T) {
	for wrong, want := range map[fault]string{null: "NOT_FOUND", notThere: "NOT_FOUND", refuse: "INTERNAL", never: "TIMEOUT"} {
		f := fixtureGraph("file")
		f.fault = func(string) fault { return wrong }
		d := openTestSource(t, f)
		for tool, args := range map[string]string{
			"get_block": `{"block_uuid":"` + id(1) + `"}`, "get_page_content": `{"page_name":"Garden"}`, "get_journal": `{}`,
		} {
			_, err := d.call(tool, args)
			if err == nil || errorCode(err) != want {
				t.Errorf("%s with fault %d: %v", tool, wrong, err)
			}
			if wrong == refuse && (!strings.Contains(err.Message, "Invalid page uuid") || strings.ContainsAny(err.Message, "\n\x1b")) {
				t.Errorf("%s: says %q", tool, err.Message)
			}
		}
	}
}

// Writers take turns, and one who waits heeds its deadline.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := fixtureGraph("db")
		f.fault = func(method string) fault {
			if method == "blocks.update" {
				return never
			}
			return fine
		}
		d := openTestSource(t, f)
		first := make(chan struct{})
		go func() {
			defer close(first)
			_, _ = d.call("update_block", `{"block_uuid":"`+id(1)+`","content":"x"}`)
		}()
		synctest.Wait() // it looks for its change, a second at a time
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		_, err := d.open.Call(ctx, tools.CallContext{}, "delete_block", []byte(`{"block_uuid":"`+id(5)+`"}`))
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the second writer: %v", err)
		}
		<-first
	})
}

func TestChangesAreAnnounced(t *testing.T) {
	f := fixtureGraph("db")
	d := openTestSource(t, f)
	f.notify("changed", map[string]any{"blocks": []any{map[string]any{"uuid": id(1), "page": "A b/c"}}, "pages": []string{"A b/c"}, "deleted": []string{id(9)}})
	f.notify("changed", "nonsense")
	f.notify("peer.gone", nil)
	slices.Sort(d.changed)
	want := []string{"logseq://home/block/" + id(1), "logseq://home/block/" + id(9), "logseq://home/page/A%20b%2Fc"}
	if !slices.Equal(d.changed, want) {
		t.Errorf("announced %v, want %v", d.changed, want)
	}
}
