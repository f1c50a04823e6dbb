package mcp_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/hub/hubtest"
	"github.com/lectern-mcp/lectern/hub/mcp"
)

// BenchmarkRoundTrip is one small call over an in-memory pipe, from writing
// the request to having read the answer.
func BenchmarkRoundTrip(b *testing.B) {
	h := start(b, mcp.Limits{}, deskSource("notes"))
	near, far := net.Pipe()
	done := make(chan error, 1)
	go func() { done <- h.MCP().ServeStream(context.Background(), far, far, mcp.ConnectionInfo{}) }()
	r := bufio.NewReader(near)
	line := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"say","arguments":{"text":"` + strings.Repeat("x", 200) + `"}}}` + "\n")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := near.Write(line); err != nil {
			b.Fatal(err)
		}
		if _, err := r.ReadSlice('\n'); err != nil {
			b.Fatal(err)
		}
	}
	_ = near.Close()
	<-done
}

// BenchmarkPipelined is the same with the client not waiting for answers.
func BenchmarkPipelined(b *testing.B) {
	h := start(b, mcp.Limits{}, deskSource("notes"))
	near, far := net.Pipe()
	done := make(chan error, 1)
	go func() { done <- h.MCP().ServeStream(context.Background(), far, far, mcp.ConnectionInfo{}) }()
	sem := make(chan struct{}, 200) // below the bound of requests in flight
	go func() {
		w := bufio.NewWriter(near)
		for i := range b.N {
			sem <- struct{}{}
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"say","arguments":{"text":"hello"}}}`+"\n", i)
			if len(sem) > 100 || i == b.N-1 {
				_ = w.Flush()
			}
		}
	}()
	r := bufio.NewReader(near)
	for range b.N {
		if _, err := r.ReadSlice('\n'); err != nil {
			b.Fatal(err)
		}
		<-sem
	}
	_ = near.Close()
	<-done
}

// BenchmarkHTTP is one small call of the legacy era over loopback, from many
// connections at once.
func BenchmarkHTTP(b *testing.B) {
	h := start(b, mcp.Limits{}, deskSource("notes"))
	s := serveHTTP(b, h)
	session := s.Initialize("/mcp")
	body := hubtest.CallBody(1, "say", `{"text":"`+strings.Repeat("x", 200)+`"}`, "")
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}}
	b.SetParallelism(8) // times two processors
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			req, err := http.NewRequest(http.MethodPost, s.URL+"/mcp", strings.NewReader(body))
			if err != nil {
				b.Error(err)
				return
			}
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Mcp-Session-Id", session)
			resp, err := client.Do(req)
			if err != nil {
				b.Error(err)
				return
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
		}
	})
}
