package bridge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/bridge"
	"github.com/lectern-mcp/lectern/bridge/bridgetest"
	"github.com/lectern-mcp/lectern/internal/loopnet"
)

// overLoopback is a bridge on a real port, and a Peer that answers at once.
func overLoopback(b *testing.B, poll bool) *bridge.Bridge {
	b.Helper()
	l, err := loopnet.ListenTCP(b.Context(), 0)
	if err != nil {
		b.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	token, log := bridgetest.NewToken(b), slog.New(slog.DiscardHandler)
	br := bridge.New(bridge.Config{Describe: bridgetest.Describe, Token: func() loopnet.Token { return token }, Log: log, Now: time.Now})
	server := loopnet.NewServer(bridgetest.Guarded(br, port), log)
	go func() { _ = server.Serve(l) }() // ends below
	p, err := bridgetest.Connect(b.Context(), bridgetest.Options{
		Dial: bridgetest.Dial{URL: fmt.Sprintf("http://127.0.0.1:%d", port), Poll: poll}, Token: token,
		Answer: func(_ context.Context, _ string, params json.RawMessage) (any, error) { return params, nil },
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		p.Close()
		_ = br.Close()     // never fails
		_ = server.Close() // the listener was ours
	})
	return br
}

// block is a call of common size.
var block = map[string]string{"uuid": "6566f0f0-0000-4000-8000-000000000000", "content": fmt.Sprintf("%0512d", 0)}

// BenchmarkCall is a call to a Peer that does nothing, and back; p50-µs is
// what the line adds to the Peer's own time.
func BenchmarkCall(b *testing.B) {
	for _, poll := range []bool{false, true} {
		b.Run(map[bool]string{false: "websocket", true: "poll"}[poll], func(b *testing.B) {
			peer := overLoopback(b, poll).Peer(bridgetest.Kind, "")
			var took []time.Duration
			for b.Loop() {
				start := time.Now()
				if err := peer.Call(b.Context(), "m", block, nil, true); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1e3, "p50-µs")
			b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds())/1e3, "p99-µs")
		})
	}
}

// BenchmarkSixteenCallers is how many calls a second sixteen callers get.
func BenchmarkSixteenCallers(b *testing.B) {
	for _, poll := range []bool{false, true} {
		b.Run(map[bool]string{false: "websocket", true: "poll"}[poll], func(b *testing.B) {
			peer := overLoopback(b, poll).Peer(bridgetest.Kind, "")
			calls := make(chan struct{})
			done := make(chan error, 16)
			for range cap(done) {
				go func() {
					for range calls {
						if err := peer.Call(context.Background(), "m", block, nil, true); err != nil {
							done <- err
							return
						}
					}
					done <- nil
				}()
			}
			for b.Loop() {
				calls <- struct{}{}
			}
			close(calls)
			for range cap(done) {
				if err := <-done; err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
		})
	}
}
