package hub

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/status"
)

// A client is the other end of a stream: it writes lines and reads lines.
type client struct {
	t    testing.TB
	conn net.Conn
	r    *bufio.Reader
	done chan error
	next int
}

func connect(t testing.TB, h *testHub, scope string) *client {
	t.Helper()
	return connectAs(t, h, mcp.Attach{Scope: scope})
}

func connectAs(t testing.TB, h *testHub, a mcp.Attach) *client {
	t.Helper()
	a.Transport, a.PID = status.Stdio, 42
	near, far := net.Pipe()
	c := &client{t: t, conn: near, r: bufio.NewReaderSize(near, 64<<10), done: make(chan error, 1)}
	go func() {
		c.done <- h.MCP().ServeStream(context.Background(), far, far, a)
		_ = far.Close()
	}()
	t.Cleanup(func() {
		_ = near.Close()
		if err := <-c.done; err != nil {
			t.Errorf("serve stream: %v", err)
		}
	})
	return c
}

func (c *client) send(line string) {
	c.t.Helper()
	if _, err := c.conn.Write([]byte(line + "\n")); err != nil {
		c.t.Fatalf("send: %v", err)
	}
}

// received is a frame as the client sees it.
type received struct {
	ID     any             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int
		Message string
		Data    map[string]any
	} `json:"error"`
	raw string
}

func (c *client) recv() received {
	c.t.Helper()
	line, err := c.r.ReadString('\n')
	if err != nil {
		c.t.Fatalf("receive: %v", err)
	}
	var f received
	if err := json.Unmarshal([]byte(line), &f); err != nil {
		c.t.Fatalf("receive %q: %v", line, err)
	}
	f.raw = strings.TrimSpace(line)
	return f
}

// ask sends a request and returns its answer, which must be the next frame.
func (c *client) ask(method, params string) received {
	c.t.Helper()
	c.next++
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, c.next, method, params))
	f := c.recv()
	if f.ID != float64(c.next) {
		c.t.Fatalf("%s: got %s, want the answer to %d", method, f.raw, c.next)
	}
	return f
}

func (c *client) initialize() {
	c.t.Helper()
	if f := c.ask("initialize", initParams); f.Error != nil {
		c.t.Fatal(f.raw)
	}
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

const (
	initParams = `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"tester","version":"9"}}`
	modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"modern","version":"8"},"io.modelcontextprotocol/clientCapabilities":{}}`
)

type callResult struct {
	Structured json.RawMessage `json:"structuredContent"`
	IsError    bool            `json:"isError"`
	Content    []struct{ Type, Text string }
}

func (c *client) call(tool, args string) callResult {
	c.t.Helper()
	f := c.ask("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, args))
	return c.result(f)
}

func (c *client) result(f received) callResult {
	c.t.Helper()
	var r callResult
	if f.Error != nil || json.Unmarshal(f.Result, &r) != nil {
		c.t.Fatalf("got %s, want a result", f.raw)
	}
	return r
}
