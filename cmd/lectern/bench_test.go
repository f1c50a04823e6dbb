package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

// The benchmarks here are of the product as people run it: the binary as it is
// released, a hub that is up, and what a client sees. Figures are medians.

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}` + "\n"

// buildRelease builds the binary as a release does, unless LECTERN_BIN is one that is built already.
func buildRelease(b *testing.B) string {
	b.Helper()
	if bin := os.Getenv("LECTERN_BIN"); bin != "" {
		return bin
	}
	exe := filepath.Join(b.TempDir(), "lectern")
	build := exec.CommandContext(b.Context(), "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", exe, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("build: %v\n%s", err, out)
	}
	return exe
}

// startHub is a hub of the binary with the Welcome vault, on a port of its own; more is
// more of its configuration.
func startHub(b *testing.B, more ...string) (exe, home string, port int) {
	b.Helper()
	exe = buildRelease(b)
	home, err := os.MkdirTemp("", "lectern")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		killHub(daemonPaths(home))
		_ = os.RemoveAll(home)
	})
	port = freeTCPPort(b)
	conf := fmt.Sprintf("[hub]\nport = %d\n\n[[source]]\nname = \"notes\"\nkind = \"markdown\"\npath = \"notes\"\n", port) + strings.Join(more, "")
	for name, text := range map[string]string{"config.toml": conf, "notes/a.md": "---\ntitle: A\n---\n\n" + strings.Repeat("word ", 40) + "\n"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(home, name)), 0o700); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	start := exec.CommandContext(b.Context(), exe) // without a terminal: starts a hub and says so
	start.Env = append(os.Environ(), "LECTERN_HOME="+home)
	if out, err := start.CombinedOutput(); err != nil {
		b.Fatalf("start hub: %v\n%s", err, out)
	}
	return exe, home, port
}

func freeTCPPort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// A peer is a client of `lectern serve` that waits for each answer.
type peer struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startServe(b *testing.B, exe, home string) peer {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), exe, "serve")
	cmd.Env = append(os.Environ(), "LECTERN_HOME="+home)
	return startPeer(b, cmd)
}

// startPeer starts a server and says hello.
func startPeer(b *testing.B, cmd *exec.Cmd) peer {
	b.Helper()
	return startPeerAs(b, cmd, "bench")
}

// startPeerAs is startPeer for a client that calls itself so.
func startPeerAs(b *testing.B, cmd *exec.Cmd, name string) peer {
	b.Helper()
	p := peer{cmd: cmd}
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		b.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	p.out = bufio.NewReaderSize(out, 64<<10)
	if err := p.cmd.Start(); err != nil {
		b.Fatal(err)
	}
	if answer := p.roundTrip(b, strings.Replace(hello, `"bench"`, strconv.Quote(name), 1)); !bytes.Contains(answer, []byte("serverInfo")) {
		b.Fatalf("initialize: %s", answer)
	}
	return p
}

func (p peer) roundTrip(b *testing.B, line string) []byte {
	b.Helper()
	if _, err := io.WriteString(p.in, line); err != nil {
		b.Fatal(err)
	}
	answer, err := p.out.ReadBytes('\n')
	if err != nil {
		b.Fatal(err)
	}
	return answer
}

func (p peer) disconnect(b *testing.B) {
	b.Helper()
	_ = p.in.Close()
	if err := p.cmd.Wait(); err != nil {
		b.Fatal(err)
	}
}

func median(each []time.Duration) time.Duration {
	slices.Sort(each)
	return each[len(each)/2]
}

// printMedian prints the median and the 99th percentile instead of the mean.
func printMedian(b *testing.B, each []time.Duration) {
	b.Helper()
	slices.Sort(each)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(median(each).Microseconds()), "us-p50")
	b.ReportMetric(float64(each[len(each)*99/100].Microseconds()), "us-p99")
}

// measureMedian measures do, each time after prepare, which does not count.
func measureMedian(b *testing.B, prepare, do func()) {
	b.Helper()
	var each []time.Duration
	for b.Loop() {
		b.StopTimer()
		prepare()
		b.StartTimer()
		began := time.Now()
		do()
		each = append(each, time.Since(began))
	}
	printMedian(b, each)
}

// From the start of `lectern serve` to the answer of initialize, hub up.
func BenchmarkServeStart(b *testing.B) {
	exe, home, _ := startHub(b)
	var each []time.Duration
	for b.Loop() {
		began := time.Now()
		p := startServe(b, exe, home)
		each = append(each, time.Since(began))
		p.disconnect(b)
	}
	printMedian(b, each)
}

// One small call after the other, through the shim; and what hub and shim hold
// in memory afterwards.
func BenchmarkCallThroughShim(b *testing.B) {
	exe, home, _ := startHub(b)
	p := startServe(b, exe, home)
	defer p.disconnect(b)
	for name, line := range map[string]string{
		"ping":      `{"jsonrpc":"2.0","id":%d,"method":"ping"}`,
		"read_page": `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"read_page","arguments":{"path":"a.md"}}}`,
	} {
		b.Run(name, func(b *testing.B) {
			var each []time.Duration
			id := 10
			for b.Loop() {
				id++
				began := time.Now()
				answer := p.roundTrip(b, fmt.Sprintf(line, id)+"\n")
				each = append(each, time.Since(began))
				if !bytes.Contains(answer, []byte(`"result"`)) || bytes.Contains(answer, []byte(`"isError":true`)) {
					b.Fatalf("answer %s", answer)
				}
			}
			printMedian(b, each)
		})
	}
	b.Run("memory", func(b *testing.B) {
		if runtime.GOOS != "linux" {
			b.Skip("read from /proc")
		}
		d, err := daemon.FindHub(daemonPaths(home))
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(0, "ns/op")
		for who, pid := range map[string]int{"hub": d.PID, "shim": p.cmd.Process.Pid} {
			b.ReportMetric(megabytes(b, pid, "VmRSS:"), who+"-MB")
			b.ReportMetric(megabytes(b, pid, "RssAnon:"), who+"-own-MB") // without the pages of the binary, which all share
		}
	})
}

func megabytes(b *testing.B, pid int, field string) float64 {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == field {
			kb, err := strconv.Atoi(f[1])
			if err != nil {
				b.Fatal(err)
			}
			return float64(kb) / 1024
		}
	}
	b.Fatalf("no %s of process %d", field, pid)
	return 0
}

// Small calls over HTTP, sixteen connections at once.
func BenchmarkHTTP16(b *testing.B) {
	_, home, port := startHub(b)
	token, err := os.ReadFile(filepath.Join(home, "state", "client.token"))
	if err != nil {
		b.Fatal(err)
	}
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 16}}
	post := func(body string, session string) (*http.Response, error) {
		req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, fmt.Sprintf("http://127.0.0.1:%d/mcp", port), strings.NewReader(body))
		if err != nil {
			return nil, err
		}
		req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		req.Header.Set("Mcp-Protocol-Version", "2025-11-25")
		if session != "" {
			req.Header.Set("Mcp-Session-Id", session)
		}
		return client.Do(req)
	}
	opened, err := post(hello, "")
	if err != nil {
		b.Fatal(err)
	}
	_ = opened.Body.Close()
	session := opened.Header.Get("Mcp-Session-Id")

	work := make(chan int)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for id := range work {
				res, err := post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"read_page","arguments":{"path":"a.md"}}}`, id), session)
				if err != nil {
					b.Error(err)
					continue
				}
				answer, err := io.ReadAll(res.Body)
				_ = res.Body.Close()
				if err != nil || res.StatusCode != http.StatusOK || !bytes.Contains(answer, []byte("word word")) {
					b.Errorf("%s %v %s", res.Status, err, answer)
				}
			}
		})
	}
	n := 1
	began := time.Now()
	for b.Loop() {
		n++
		work <- n
	}
	close(work)
	wg.Wait()
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(n-1)/time.Since(began).Seconds(), "calls/s")
}
