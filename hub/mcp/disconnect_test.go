package mcp_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/hub/hubtest"
	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/internal/frame"
)

// A person disconnects a client over HTTP: its call under way is cancelled, and
// the client is refused by its name in both eras, and no other one.
func TestDisconnectHTTP(t *testing.T) {
	h := start(t, mcp.Limits{}, deskSource("notes"))
	s := serveHTTP(t, h)
	session := s.Initialize("/mcp")
	name := h.MCP().Sessions()[0].ClientName()
	answer := make(chan string, 1)
	go func() {
		_, body := s.Do("POST", "/mcp", hubtest.CallBody(1, "wait", `{}`, ""), "Mcp-Session-Id", session)
		answer <- body
	}()
	<-h.world.Started
	if err := h.MCP().Disconnect(h.MCP().Sessions()[0].ID); err != nil {
		t.Fatal(err)
	}
	if got := <-h.world.Started; got != "ended" {
		t.Errorf("got %s, want the call to end", got)
	}
	<-answer
	if n := len(h.MCP().Sessions()); n != 0 {
		t.Errorf("%d sessions are open", n)
	}
	initialize := func(name string) (int, string) {
		resp, body := s.Do("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"`+name+`","version":"1"}}}`)
		return resp.StatusCode, body
	}
	if status, body := initialize(name); status != http.StatusForbidden || !strings.Contains(body, "the user disconnected this client") {
		t.Errorf("it came back: %d %s", status, body)
	}
	if status, body := initialize("another"); status != http.StatusOK {
		t.Errorf("another one: %d %s", status, body)
	}
	meta := strings.TrimSuffix(strings.TrimPrefix(hubtest.ModernMeta, `"_meta":{`), "}")
	modern := func() (int, string) {
		resp, body := s.Do("POST", "/mcp", hubtest.CallBody(1, "say", `{"text":"a"}`, meta), hubtest.ModernHeaders("tools/call", "say")...)
		return resp.StatusCode, body
	}
	if status, body := modern(); status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	for _, session := range h.MCP().Sessions() {
		if session.ClientName() == "modern" {
			if err := h.MCP().Disconnect(session.ID); err != nil {
				t.Fatal(err)
			}
		}
	}
	if status, body := modern(); status != http.StatusForbidden || !strings.Contains(body, "lectern hub restart") {
		t.Errorf("it came back: %d %s", status, body)
	}
	if err := h.MCP().Disconnect("s99"); err == nil || !strings.Contains(err.Error(), "no agent is connected as s99") {
		t.Errorf("disconnected nobody: %v", err)
	}
}

// The relay in front of a client on a stream is told that a person disconnected
// it, and the stream ends with its calls.
func TestDisconnectStream(t *testing.T) {
	h := start(t, mcp.Limits{}, deskSource("notes"))
	c := connect(t, h, "")
	c.Initialize()
	c.Send(hubtest.CallBody(7, "wait", `{}`, ""))
	<-h.world.Started
	if err := h.MCP().Disconnect(h.MCP().Sessions()[0].ID); err != nil {
		t.Fatal(err)
	}
	if got := c.Recv().Method; got != frame.MethodDisconnected {
		t.Errorf("the relay is not told: %s", got)
	}
	if got := <-h.world.Started; got != "ended" {
		t.Errorf("got %s, want the call to end", got)
	}
}
