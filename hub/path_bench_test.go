package hub

import (
	"context"
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/internal/audit"
	"github.com/lectern-mcp/lectern/tools"
)

// BenchmarkCallPath is a small read by itself and on the whole way of a call:
// grant, policy, limits, slot, ring, log and audit. What the way costs is
// reported from the same run, as µs/way and as times the read.
func BenchmarkCallPath(b *testing.B) {
	h := start(b, Limits{CallsPerMinute: 1 << 40}, deskSource("notes"))
	trail, err := audit.Open(audit.Options{File: filepath.Join(b.TempDir(), "audit.jsonl"), Key: []byte("key"), Now: time.Now, Delay: 200 * time.Millisecond})
	if err != nil {
		b.Fatal(err)
	}
	h.SetTrail(trail)
	defer trail.Close()
	args := json.RawMessage(`{"text":"hello"}`)
	s := h.newSession("stdio", "", 0)
	v := newView(h.inScope(""), granted)
	src := v.sources[0]
	var bare, whole time.Duration
	b.ReportAllocs()
	for b.Loop() {
		began := time.Now()
		if _, err := leased(b.Context(), src, func(open *lease) (tools.Result, error) {
			return open.Call(context.Background(), tools.Silent{}, "say", args)
		}); err != nil {
			b.Fatal(err)
		}
		middle := time.Now()
		if _, _, err := h.call(b.Context(), call{
			session: s, client: policy.Client{Name: "bench"}, view: v, tool: "say", args: args, caller: tools.Silent{},
			late: func(*tool, error) {},
		}); err != nil {
			b.Fatal(err)
		}
		bare += middle.Sub(began)
		whole += time.Since(middle)
	}
	b.ReportMetric(float64((whole-bare).Nanoseconds())/float64(b.N)/1000, "µs/way")
	b.ReportMetric(float64(whole)/float64(bare), "whole/read")
}
