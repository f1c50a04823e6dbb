package hub

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/hub/hubtest"
	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/internal/audit"
	"github.com/lectern-mcp/lectern/internal/logs"
	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown"
)

// BenchmarkCallPath is what stands between an agent and its notes: the same
// call on the same kind of folder, once by the System alone (us-alone) and once
// on the whole way of a call, with grants, policy, hidden pages, limits, slot,
// journal on disk, ring, log and audit in their files (us-whole). Each pair is
// of one moment; us-more is the median of the differences. A rule by path costs
// more, since a dry run comes before a write.
func BenchmarkCallPath(b *testing.B) {
	path := func(rules ...policy.Rule) *policy.Policy {
		return policy.New([]policy.Grant{{Client: "bench", Source: "notes", Effects: []tools.Effect{tools.Reads, tools.Writes}}}, rules)
	}
	for _, c := range []struct {
		name   string
		policy *policy.Policy
	}{
		{"granted", path(policy.Rule{Do: policy.Ask, Client: "another"})},
		{"ruled by path", path(policy.Rule{Do: policy.Deny, Path: "drafts/**"})},
	} {
		b.Run(c.name, func(b *testing.B) {
			alone, whole := guardedCalls(b, c.policy)
			b.Run("read", func(b *testing.B) {
				comparePaths(b, "read_page", func(int) json.RawMessage { return json.RawMessage(`{"path":"a.md"}`) }, alone, whole)
			})
			b.Run("read without extension", func(b *testing.B) {
				comparePaths(b, "read_page", func(int) json.RawMessage { return json.RawMessage(`{"path":"a"}`) }, alone, whole)
			})
			b.Run("write", func(b *testing.B) {
				comparePaths(b, "write_page", func(n int) json.RawMessage {
					return fmt.Appendf(nil, `{"path":"a.md","content":"---\ntitle: A\n---\n\nversion %d\n"}`, n)
				}, alone, whole)
			})
		})
	}
}

type toolCall func(tool string, args json.RawMessage) error

// guardedCalls are the two ways to call: a System alone, and one behind a hub
// with all that the product gives it.
func guardedCalls(b *testing.B, p *policy.Policy) (alone, whole toolCall) {
	b.Helper()
	top := b.TempDir()
	log, err := logs.New(logs.Options{File: filepath.Join(top, "log"), Now: time.Now})
	if err != nil {
		b.Fatal(err)
	}
	trail, err := audit.Open(b.Context(), audit.Options{File: filepath.Join(top, "audit.db"), Key: []byte("key"), Now: time.Now, Keep: time.Hour, MaxBytes: 1 << 30})
	if err != nil {
		b.Fatal(err)
	}
	j := journal.New(journal.Options{Dir: filepath.Join(top, "journal"), Now: time.Now, Log: slog.New(log)})
	h := New(Config{
		Systems: []tools.Kind{markdown.System()}, Policy: p, Journal: j, Version: "1", Skill: "1", State: hubtest.NewFakeSnapshotStore(), Now: time.Now, Log: slog.New(log),
		Limits: Limits{CallsPerMinute: 1 << 40, DeletesPerMinute: 100, RewrittenBytesPerMinute: 1 << 40},
		Sources: []Source{{
			Name: "notes", Kind: "markdown", Options: folderOfOnePage(b),
			Privacy: tools.Privacy{Exclude: []tools.PrivacyRule{{Path: "private/**"}, {Namespace: "Diary"}}},
		}},
	})
	h.Calls().SetTrail(trail)
	if err := h.Start(b.Context()); err != nil {
		b.Fatal(err)
	}
	bare, err := markdown.System().Open(b.Context(), folderOfOnePage(b), tools.Env{
		Name: "notes", Log: slog.New(slog.DiscardHandler), Now: time.Now, ResourceChanged: func(string) {},
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		for _, shut := range []func() error{bare.Close, h.Close, j.Close, trail.Close, log.Close} {
			if err := shut(); err != nil {
				b.Error(err)
			}
		}
	})
	alone = func(tool string, args json.RawMessage) error {
		_, err := bare.Call(b.Context(), tools.CallContext{}, tool, args)
		return err
	}
	s, client := h.sessions.newPersonSession("", ""), policy.Client{Name: "bench", Proven: true}
	v := newToolsetCache(p, h.sources.sourcesInScope(""), false).forClient(client)
	whole = func(name string, args json.RawMessage) error {
		_, err := h.call(b.Context(), caller{session: s, client: client, toolset: v, via: tools.ViaStdio}, mcp.Call{Tool: name, Args: args})
		return err
	}
	return alone, whole
}

// folderOfOnePage is the configuration of a source with the page a.md.
func folderOfOnePage(b *testing.B) json.RawMessage {
	b.Helper()
	dir := b.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.md"), []byte("---\ntitle: A\n---\n\nversion\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	options, err := json.Marshal(map[string]string{"path": dir})
	if err != nil {
		b.Fatal(err)
	}
	return options
}

func comparePaths(b *testing.B, tool string, args func(int) json.RawMessage, alone, whole toolCall) {
	b.Helper()
	var without, with, more []time.Duration
	for n := 0; b.Loop(); n++ {
		args := args(n)
		began := time.Now()
		if err := alone(tool, args); err != nil {
			b.Fatal(err)
		}
		between := time.Now()
		if err := whole(tool, bytes.Clone(args)); err != nil {
			b.Fatal(err)
		}
		ended := time.Now()
		without, with = append(without, between.Sub(began)), append(with, ended.Sub(between))
		more = append(more, ended.Sub(between)-between.Sub(began))
	}
	b.ReportMetric(0, "ns/op")
	for unit, each := range map[string][]time.Duration{"us-alone": without, "us-whole": with, "us-more": more} {
		slices.Sort(each)
		b.ReportMetric(float64(each[len(each)/2].Nanoseconds())/1000, unit)
	}
}
