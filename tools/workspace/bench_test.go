package workspace

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/lectern-mcp/lectern/tools/workspace/internal/notesapi"
)

// What a request to read a note costs, by itself and from a script, without a hub.
func BenchmarkReadNote(b *testing.B) {
	bench := openBench(b, "")
	b.Run("api", func(b *testing.B) {
		r := apiReader{notesapi.New(notesapi.Options{Store: bench.store})}
		for b.Loop() {
			if a := r.Serve(b.Context(), notesapi.Request{Method: http.MethodGet, Path: "/workspaces/ws/notes/welcome"}); a.Status != http.StatusOK {
				b.Fatal(a.Status)
			}
		}
	})
	b.Run("script", func(b *testing.B) {
		const reads = 200
		bench.value("1") // opens the sandbox
		for b.Loop() {
			bench.value(fmt.Sprintf("for (let i = 0; i < %d; i++) kb.notes.get('welcome')", reads))
		}
		b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/reads, "us/read")
	})
}
