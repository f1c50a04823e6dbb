// Package echo is a hub's MCP end for tests: it answers requests with what
// they carry, and can be told to let calls wait.
//
// It is not an MCP server. The tests of supervisor/daemon and supervisor/shim
// run it in processes of their own.
package echo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"github.com/lectern-mcp/lectern/internal/frame"
)

// A Hub answers any number of streams.
type Hub struct {
	// Name is in every answer to a call: tests see which process gave it.
	Name string
	// Wrote is called for each call of the tool "write". Nil: nothing.
	Wrote func(text string)
	// Relays says that its streams are of relays, which are told that only "read" reads.
	Relays bool

	inFlight, sessions atomic.Int64

	mu   sync.Mutex
	gate chan struct{} // closed by the notification "release"
}

// ActivityCounts counts calls being answered and open streams. A subscription is no call.
func (h *Hub) ActivityCounts() (inFlight, sessions int) {
	return int(h.inFlight.Load()), int(h.sessions.Load())
}

type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		URI       string          `json:"uri"`
		Version   string          `json:"protocolVersion"`
	} `json:"params"`
}

// Serve answers the requests on conn until it ends, in order but for the tool
// "hold", which is answered after the notification "release".
func (h *Hub) Serve(ctx context.Context, conn io.ReadWriter) error {
	h.sessions.Add(1)
	defer h.sessions.Add(-1)
	var held sync.WaitGroup
	defer held.Wait()
	s := &stream{hub: h, w: conn}
	if h.Relays {
		s.write(`{"jsonrpc":"2.0","method":"` + frame.MethodReadOnlyTools + `","params":{"tools":["read"]}}`)
	}
	for r := frame.NewReader(conn, frame.Max); ; {
		f, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var m message
		if err := json.Unmarshal(f, &m); err != nil {
			s.write(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}`)
			continue
		}
		if m.Method == "tools/call" && m.Params.Name == "hold" {
			h.inFlight.Add(1)
			gate := h.currentGate()
			held.Go(func() {
				defer h.inFlight.Add(-1)
				select {
				case <-gate:
					s.writeResult(m.ID, `{"held":true}`)
				case <-ctx.Done():
				}
			})
			continue
		}
		s.answer(m)
	}
}

func (h *Hub) currentGate() chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.gate == nil {
		h.gate = make(chan struct{})
	}
	return h.gate
}

// ReleaseCalls lets the calls that wait end; so does the notification "release".
func (h *Hub) ReleaseCalls() {
	close(h.currentGate())
	h.mu.Lock()
	defer h.mu.Unlock()
	h.gate = nil
}

type stream struct {
	hub *Hub
	mu  sync.Mutex
	w   io.Writer
}

func (s *stream) write(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = io.WriteString(s.w, line+"\n")
}

func (s *stream) writeResult(id json.RawMessage, result string) {
	s.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result))
}

func (s *stream) answer(m message) {
	switch m.Method {
	case "release":
		s.hub.ReleaseCalls()
	case "initialize":
		s.writeResult(m.ID, fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":%q,"version":"0"}}`, m.Params.Version, s.hub.Name))
	case "tools/call":
		text, _ := json.Marshal(m.Params.Arguments)
		if m.Params.Name == "write" && s.hub.Wrote != nil {
			s.hub.Wrote(string(text))
		}
		s.writeResult(m.ID, fmt.Sprintf(`{"from":%q,"arguments":%s}`, s.hub.Name, text))
	case "resources/subscribe":
		s.writeResult(m.ID, `{}`)
		s.write(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":%q}}`, m.Params.URI))
	case "subscriptions/listen":
		s.write(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"from":%q}}`, s.hub.Name))
	case "ask": // makes the hub ask the client something
		s.write(`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`)
		s.writeResult(m.ID, `{}`)
	default:
		if len(m.ID) > 0 && m.Method != "" {
			s.writeResult(m.ID, `{}`)
		}
	}
}
