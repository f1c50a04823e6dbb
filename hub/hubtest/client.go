package hubtest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"testing"
)

// A Client is the other end of a stream: it writes lines and reads lines.
type Client struct {
	T    testing.TB // of the running test
	Conn net.Conn
	r    *bufio.Reader
	next int
}

// NewClient speaks over a connection.
func NewClient(t testing.TB, conn net.Conn) *Client {
	return &Client{T: t, Conn: conn, r: bufio.NewReaderSize(conn, 64<<10)}
}

// Connect makes a Client of what serve serves until the test ends.
func Connect(t testing.TB, serve func(context.Context, net.Conn) error) *Client {
	t.Helper()
	near, far := net.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- serve(context.Background(), far)
		_ = far.Close()
	}()
	t.Cleanup(func() {
		_ = near.Close()
		if err := <-done; err != nil {
			t.Errorf("serve stream: %v", err)
		}
	})
	return NewClient(t, near)
}

func (c *Client) Send(line string) {
	c.T.Helper()
	if _, err := c.Conn.Write([]byte(line + "\n")); err != nil {
		c.T.Fatalf("send: %v", err)
	}
}

// A Frame is a message as the client sees it.
type Frame struct {
	ID     any             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int
		Message string
		Data    map[string]any
	} `json:"error"`
	Raw string `json:"-"`
}

func (c *Client) Recv() Frame {
	c.T.Helper()
	f, err := c.RecvOrError()
	if err != nil {
		c.T.Fatalf("receive: %v", err)
	}
	return f
}

// RecvOrError is Recv for a connection that may end.
func (c *Client) RecvOrError() (f Frame, err error) {
	line, err := c.r.ReadString('\n')
	if err != nil {
		return f, err
	}
	if err := json.Unmarshal([]byte(line), &f); err != nil {
		return f, fmt.Errorf("%q: %w", line, err)
	}
	f.Raw = strings.TrimSpace(line)
	return f, nil
}

// Ask sends a request and returns its answer, which must be the next frame.
func (c *Client) Ask(method, params string) Frame {
	c.T.Helper()
	c.next++
	c.Send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, c.next, method, params))
	f := c.Recv()
	if f.ID != float64(c.next) {
		c.T.Fatalf("%s: got %s, want the answer to %d", method, f.Raw, c.next)
	}
	return f
}

func (c *Client) Initialize() {
	c.T.Helper()
	if f := c.Ask("initialize", InitParams); f.Error != nil {
		c.T.Fatal(f.Raw)
	}
	c.Send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

const (
	InitParams = `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"tester","version":"9"}}`
	ModernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"modern","version":"8"},"io.modelcontextprotocol/clientCapabilities":{}}`
)

// A CallResult is the result of tools/call.
type CallResult struct {
	Structured json.RawMessage `json:"structuredContent"`
	IsError    bool            `json:"isError"`
	Content    []struct{ Type, Text string }
}

func (c *Client) Call(tool, args string) CallResult {
	c.T.Helper()
	f := c.Ask("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, args))
	return c.DecodeResult(f)
}

func (c *Client) DecodeResult(f Frame) CallResult {
	c.T.Helper()
	var r CallResult
	if f.Error != nil || json.Unmarshal(f.Result, &r) != nil {
		c.T.Fatalf("got %s, want a result", f.Raw)
	}
	return r
}
