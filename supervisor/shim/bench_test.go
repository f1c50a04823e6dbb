//go:build linux

package shim

import (
	"bufio"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

// BenchmarkRoundTrip is a call of a client through a shim and a socket to a
// hub that echoes, three processes in all.
func BenchmarkRoundTrip(b *testing.B) {
	dir := newDir(b)
	c := start(b, dir)
	c.initialize()
	call := []byte(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"read","arguments":{"text":"` + strings.Repeat("lorem ipsum ", 16) + `"}}}` + "\n")
	for b.Loop() {
		if _, err := c.in.Write(call); err != nil {
			b.Fatal(err)
		}
		if _, err := c.out.ReadSlice('\n'); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	b.ReportMetric(float64(residentBytes(b, c.cmd.Process.Pid)), "shim-RSS-bytes")
}

// BenchmarkDirect is the same without the shim, for the difference.
func BenchmarkDirect(b *testing.B) {
	dir := newDir(b)
	conn, _, err := daemon.Connect(b.Context(), daemon.ConnectConfig{
		Paths: paths(dir), Command: []string{os.Args[0]}, Env: []string{hubEnv + "=" + dir}, Log: slog.New(slog.DiscardHandler), Now: time.Now,
	})
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	out := bufio.NewReader(conn)
	call := []byte(callTool("7", "read") + "\n")
	for b.Loop() {
		if _, err := conn.Write(call); err != nil {
			b.Fatal(err)
		}
		if _, err := out.ReadSlice('\n'); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkStart is from the start of a shim, with the hub running, to the
// answer to initialize.
func BenchmarkStart(b *testing.B) {
	dir := newDir(b)
	first := start(b, dir)
	first.initialize()
	for b.Loop() {
		c := start(b, dir)
		c.send(initialize)
		c.answer()
		b.StopTimer()
		c.expectEnd()
		b.StartTimer()
	}
}

func residentBytes(b *testing.B, pid int) int {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		b.Fatal(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	if err != nil {
		b.Fatal(err)
	}
	return pages * os.Getpagesize()
}
