package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
	"time"
)

// Scripts through shim, hub and audit: the smallest one, and what each request of a
// script to read a note adds to it.
func BenchmarkScriptThroughShim(b *testing.B) {
	exe, home, _ := startHub(b, "\n[[source]]\nname = \"ws\"\nkind = \"workspace\"\nwelcome = true\n")
	p := startServe(b, exe, home)
	defer p.disconnect(b)
	const reads = 200
	id := 10
	call := func(b *testing.B, code string) time.Duration {
		b.Helper()
		id++
		quoted, err := json.Marshal(code)
		if err != nil {
			b.Fatal(err)
		}
		line := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"workspace_run_script","arguments":{"workspace_id":"ws","code":%s}}}`, id, quoted)
		began := time.Now()
		answer := p.roundTrip(b, line+"\n")
		if !bytes.Contains(answer, []byte(`"result"`)) || bytes.Contains(answer, []byte(`"isError":true`)) {
			b.Fatalf("answer %s", answer)
		}
		return time.Since(began)
	}
	call(b, "1") // compiles the engine
	b.Run("1+1", func(b *testing.B) {
		var each []time.Duration
		for b.Loop() {
			each = append(each, call(b, "1+1"))
		}
		printMedian(b, each)
	})
	b.Run("read", func(b *testing.B) {
		var each []time.Duration
		for b.Loop() {
			empty := call(b, "1+1")
			each = append(each, (call(b, fmt.Sprintf("for (let i = 0; i < %d; i++) kb.notes.get('welcome')", reads))-empty)/reads)
		}
		printMedian(b, each)
	})
}
