package audit

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

// BenchmarkCalls reads a page of a trail of a million calls: 20 clients, 10
// sources, 40 tools, a write with a target in every fifth, a change in every
// fivehundredth, and rare values.
func BenchmarkCalls(b *testing.B) {
	r := openFullTrail(b)
	middle := noon.Add(500_000 * time.Second)
	for name, f := range map[string]Filter{
		"first page":          {},
		"page in the middle":  {Until: middle},
		"client":              {Client: "client 3"},
		"rare client":         {Client: "rare"},
		"missing client":      {Client: "nobody"},
		"source":              {Source: "source 3"},
		"tool":                {Tool: "tool 3"},
		"effect":              {Effect: "write"},
		"outcome":             {Outcome: Refused},
		"target":              {Target: "pages/77.md"},
		"hour":                {Since: middle, Until: middle.Add(time.Hour)},
		"client and tool":     {Client: "client 3", Tool: "tool 3"},
		"client without tool": {Client: "client 3", Tool: "tool 4"},
		"source and outcome":  {Source: "source 3", Outcome: Refused},
		"effect and client":   {Effect: "write", Client: "client 3"},
		"word":                {Search: Search{{Text: "client 3"}}},
		"missing word":        {Search: Search{{Text: "nobody"}}},
		"part of a target":    {Search: Search{{Field: "targets", Text: "s/77."}}},
		"word of few":         {Search: Search{{Text: "rare"}}},
		"word of old ones":    {Until: middle, Search: Search{{Text: "s4999"}}},
		"word of an error":    {Search: Search{{Text: "this source"}}},
		"word of all targets": {Search: Search{{Text: ".md"}}},
		"two words":           {Search: Search{{Text: "write"}, {Text: "/77.md"}}},
		"two common words":    {Search: Search{{Text: "client 3"}, {Text: "tool 4"}}},
		"word and client":     {Client: "client 3", Search: Search{{Text: "source 4"}}},
		"all":                 {Client: "client 3", Source: "source 3", Tool: "tool 3", Effect: "read", Outcome: OK, Since: noon, Until: middle},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := r.Calls(b.Context(), f); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// openFullTrail opens a trail of a million calls.
func openFullTrail(b *testing.B) *Reader {
	b.Helper()
	file := filepath.Join(b.TempDir(), "audit.db")
	fill(b, file)
	r, err := OpenReader(b.Context(), file, time.Now)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = r.Close() })
	return r
}

func fill(b *testing.B, file string) {
	b.Helper()
	store, err := openStore(b.Context(), file, time.Now)
	if err != nil {
		b.Fatal(err)
	}
	err = store.Write(b.Context(), func(c *sqlstore.Conn) error {
		_, err := c.Exec(b.Context(), `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)
			INSERT INTO calls (`+columns+`) SELECT ? + i * 1000000 * 1024,
				CASE WHEN i % 100000 = 0 THEN 'rare' ELSE 'client ' || (i % 20) END, 1, 's' || (i / 100), 'stdio', '',
				'source ' || (i % 10), 'tool ' || (i % 40), CASE WHEN i % 5 = 0 THEN 'write' ELSE 'read' END,
				CASE WHEN i % 1000 = 0 THEN 'refused' WHEN i % 50 = 0 THEN 'error' ELSE 'ok' END,
				CASE WHEN i % 50 = 0 THEN 'not_found' ELSE '' END, CASE WHEN i % 50 = 0 THEN 'no page … in this source' ELSE '' END, 0, 1234, 321, 4321,
				'00112233445566778899aabbccddeeff', 0, CASE WHEN i % 5 = 0 THEN '["pages/' || (i % 5000) || '.md"]' ELSE '' END,
				CASE WHEN i % 500 = 0 THEN '["c1"]' ELSE '' END, '', '' FROM n`, firstID(noon))
		if err != nil {
			return err
		}
		for _, query := range []string{
			"INSERT INTO call_targets (name, call) SELECT json_extract(targets, '$[0]'), id FROM calls WHERE targets <> ''",
			"INSERT INTO search_values SELECT DISTINCT 'targets', name FROM call_targets",
			"INSERT INTO search_values SELECT DISTINCT 'session', session FROM calls",
		} {
			if _, err := c.Exec(b.Context(), query); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	if err := store.Close(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkAdd is what a call pays for being recorded, and BenchmarkInsert what
// the goroutine that writes pays for it, in batches of 100.
func BenchmarkAdd(b *testing.B) {
	t := openTrail(b, filepath.Join(b.TempDir(), "audit.db"), time.Now)
	args := []byte(`{"path":"pages/a long enough name.md","limit":100}`)
	for b.Loop() {
		t.Add(Record{
			ID: t.NewID(time.Now()), Client: "claude", Session: "s1", Transport: "stdio", Source: "notes", Tool: "read_page", Effect: "read", Outcome: OK,
			Digest: t.Digest(args),
		})
		if len(t.queue) > maxWaiting/2 {
			b.StopTimer()
			for len(t.queue) > 0 {
				<-t.queue
			}
			b.StartTimer()
		}
	}
}

func BenchmarkInsert(b *testing.B) {
	t := openTrail(b, filepath.Join(b.TempDir(), "audit.db"), time.Now)
	now := time.Now()
	for b.Loop() {
		records := make([]Record, 100)
		for i := range records {
			now = now.Add(time.Millisecond)
			records[i] = Record{
				ID: t.NewID(now), Client: "claude", Session: "s1", Transport: "stdio", Source: "notes", Tool: "write_page", Effect: "write",
				Outcome: OK, Targets: []string{"pages/a.md"}, Digest: "00112233445566778899aabbccddeeff",
			}
		}
		if err := insert(b.Context(), t.store, records); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/100, "us/record")
}
