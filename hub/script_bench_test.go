package hub

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/hub/hubtest"
	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/internal/audit"
	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/workspace"
)

// A script through hub and audit in one process: the smallest one, and what each
// request to read a note adds to it.
func BenchmarkScript(b *testing.B) {
	top := b.TempDir()
	trail, err := audit.Open(b.Context(), audit.Options{File: filepath.Join(top, "audit.db"), Key: []byte("key"), Now: time.Now, Keep: time.Hour, MaxBytes: 1 << 30})
	if err != nil {
		b.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	j := journal.New(journal.Options{Dir: filepath.Join(top, "journal"), Now: time.Now, Log: log})
	h := New(Config{
		Systems: []tools.Kind{workspace.System()}, Journal: j, Version: "1", Skill: "1", State: hubtest.NewFakeSnapshotStore(), Now: time.Now, Log: log,
		Limits:  Limits{CallsPerMinute: 1 << 40},
		Sources: []Source{{Name: "ws", Kind: "workspace", Options: fmt.Appendf(nil, `{"folder":%q,"welcome":true}`, filepath.Join(top, "ws"))}},
	})
	h.Calls().SetTrail(trail)
	if err := h.Start(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		for _, shut := range []func() error{h.Close, j.Close, trail.Close} {
			if err := shut(); err != nil {
				b.Error(err)
			}
		}
	})
	s, client := h.sessions.newPersonSession("", ""), policy.Client{Name: "bench", Proven: true}
	v := newToolsetCache(policy.New(nil, nil), h.sources.sourcesInScope(""), false).forClient(client)
	call := func(b *testing.B, code string) {
		b.Helper()
		args, err := json.Marshal(map[string]string{"workspace_id": "ws", "code": code})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := h.call(b.Context(), caller{session: s, client: client, toolset: v, via: tools.ViaStdio}, mcp.Call{Tool: "run_script", Args: args}); err != nil {
			b.Fatal(err)
		}
	}
	call(b, "1") // compiles the engine
	b.Run("1+1", func(b *testing.B) {
		for b.Loop() {
			call(b, "1+1")
		}
	})
	const reads = 200
	create := func(b *testing.B, first, count int, link string) {
		b.Helper()
		call(b, fmt.Sprintf("for (let i = %d; i < %d; i++) kb.notes.create({ id: `n-${i}`, markdown: `# Note ${i}\n\nText of %s, which is short.\n\n## Status\nopen\n` })", first, first+count, link))
	}
	for i := range 10 {
		create(b, i*reads, reads, "[[n-${i + 1}]]")
	}
	first := 10_000
	for name, link := range map[string]string{"note": "[[n-${i + 1}]]", "titles": "[[Note ${i + 1}]] and [[note ${i + 2}]]"} {
		b.Run("read-"+name+"-first", func(b *testing.B) { // notes that nobody has read, after a commit
			const reads = 256
			for b.Loop() {
				b.StopTimer()
				create(b, first, reads, link)
				b.StartTimer()
				call(b, fmt.Sprintf("for (let i = %d; i < %d; i++) kb.notes.get(`n-${i}`)", first, first+reads))
				first += reads
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/reads, "us/read")
		})
	}
	each := 0
	for name, read := range map[string]string{
		"workspace": "host.call('GET', '/workspaces/ws')", "class": "kb.classes.get('Task')", "note-again": "kb.notes.get('n-7')",
		"note": "kb.notes.get(`n-${base + i}`)", "longer-note": "kb.notes.get('welcome')",
	} {
		b.Run("read-"+name, func(b *testing.B) {
			for b.Loop() {
				each++
				call(b, fmt.Sprintf("const base = %d; for (let i = 0; i < %d; i++) %s", each%10*reads, reads, read))
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/reads, "us/read")
		})
	}
}
