package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/status"
)

// An elicitor asks the user of a client in that client; its result is the
// client's word for what they said. Nil: the client cannot.
type elicitor func(ctx context.Context, form mcp.ElicitationParams) (*mcp.ElicitationResult, error)

// The answers of the form, for people. What reaches further than the session
// is said to Lectern itself.
const (
	yesOnce    = "allow once"
	yesSession = "allow for this session"
	no         = "refuse"
)

// mostElicited bounds the diff that is shown in a client, in bytes.
const mostElicited = 3 << 10

// elicit asks for an approval in the client too, where it can and its word is
// trusted. Closing the form answers nothing; the call goes on to wait.
func (h *Hub) elicit(ctx context.Context, c *call, w *waiting) {
	if c.elicit == nil || !h.policy.Load().Elicits(c.client, w.shown.Source) {
		return
	}
	go func() {
		res, err := c.elicit(ctx, mcp.ElicitationParams{Message: elicitation(w), RequestedSchema: elicitationForm()})
		if err != nil {
			if ctx.Err() == nil {
				h.log.Debug("elicit approval", "part", "hub", "session", c.session.id, "err", err)
			}
			return
		}
		if r, said := rulingOf(res); said {
			_ = h.answer(w.shown.ID, r) // somebody else was first
		}
	}()
}

// elicitation is what the user reads. It holds text of agents and of notes, and
// the client may be a terminal: what would be hidden there is shown.
func elicitation(w *waiting) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", safetext.Line(w.plan.Title), safetext.Line(w.shown.Why))
	if w.shown.Reason != "" {
		fmt.Fprintf(&b, "The agent says why: %s\n", safetext.Line(w.shown.Reason))
	}
	left := mostElicited
	for _, step := range w.plan.Steps {
		diff := clip(string(safetext.Of(step.Diff)), left)
		left = max(0, left-len(diff))
		fmt.Fprintf(&b, "\n%s\n%s", safetext.Line(step.What), diff)
	}
	return b.String()
}

func elicitationForm() map[string]any {
	return map[string]any{
		"type": "object",
		"properties": map[string]any{
			"answer": map[string]any{"type": "string", "title": "Allow it?", "enum": []string{yesOnce, yesSession, no}},
			"reason": map[string]any{"type": "string", "title": "If not, why (the agent reads it)", "maxLength": mostReason},
		},
		"required": []string{"answer"},
	}
}

// rulingOf reads what a client says that its user said; false: nothing.
func rulingOf(res *mcp.ElicitationResult) (ruling, bool) {
	r := ruling{scope: status.Once, by: status.ByClient}
	content, _ := res.Content.(map[string]any)
	reason, _ := content["reason"].(string)
	r.reason = string([]rune(reason)[:min(len([]rune(reason)), mostReason)])
	switch {
	case res.Action == mcp.ElicitationResponseActionDecline:
		return r, true
	case res.Action != mcp.ElicitationResponseActionAccept:
		return r, false
	}
	switch content["answer"] {
	case yesOnce:
		r.allow = true
	case yesSession:
		r.allow, r.scope = true, status.ForSession
	case no:
	default:
		return r, false // a form that was not filled in is no yes, and no no
	}
	return r, true
}

// canElicit reports whether a client has forms.
func canElicit(caps mcp.ClientCapabilities) bool {
	return caps.Elicitation != nil && (caps.Elicitation.Form != nil || caps.Elicitation.URL == nil)
}

// elicitor is the way to the user of the client of x while a call waits; nil:
// there is none. The modern era has none: there a server answers with a [form].
func (sf *surface) elicitor(ctx context.Context, x *exchange) elicitor {
	if server.IsModernRequest(ctx) {
		return nil
	}
	if x.elicit != nil {
		return x.elicit
	}
	s, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo)
	if !ok || !canElicit(s.GetClientCapabilities()) {
		return nil
	}
	if _, ok := s.(server.SessionWithElicitation); !ok {
		return nil
	}
	return func(ending context.Context, form mcp.ElicitationParams) (*mcp.ElicitationResult, error) {
		ctx, cancel := context.WithCancel(ctx) // it carries the session and the stream
		defer cancel()
		defer context.AfterFunc(ending, cancel)()
		return sf.mcp.RequestElicitation(ctx, mcp.ElicitationRequest{Request: mcp.Request{Method: string(mcp.MethodElicitationCreate)}, Params: form})
	}
}

// elicitor is a stream's: mcp-go has none for streams that are not its own.
func (st *stream) elicitor() elicitor {
	if !st.side.legacy.Load() || !canElicit(st.side.GetClientCapabilities()) {
		return nil
	}
	return st.elicit
}

// elicit sends a request of ours and waits for its answer. When ctx ends first
// the client is told that nobody waits any more.
func (st *stream) elicit(ctx context.Context, form mcp.ElicitationParams) (*mcp.ElicitationResult, error) {
	heard := make(chan message, 1)
	st.mu.Lock()
	st.asks++
	id := fmt.Sprintf(`"lectern-%d"`, st.asks)
	if st.asked == nil {
		st.asked = map[string]chan message{}
	}
	st.asked[id] = heard
	st.mu.Unlock()
	defer func() {
		st.mu.Lock()
		defer st.mu.Unlock()
		delete(st.asked, id)
	}()
	frame, err := json.Marshal(struct {
		JSONRPC string                `json:"jsonrpc"`
		ID      json.RawMessage       `json:"id"`
		Method  string                `json:"method"`
		Params  mcp.ElicitationParams `json:"params"`
	}{"2.0", json.RawMessage(id), string(mcp.MethodElicitationCreate), form})
	if err != nil {
		return nil, fmt.Errorf("elicit: %w", err)
	}
	if err := st.out.answer(ctx, frame); err != nil {
		return nil, fmt.Errorf("elicit: %w", err)
	}
	select {
	case m := <-heard:
		return elicited(m)
	case <-ctx.Done():
		if b, err := notification(string(mcp.MethodNotificationCancelled), map[string]any{"requestId": json.RawMessage(id), "reason": "answered elsewhere, or over"}); err == nil {
			st.out.notify(b)
		}
		return nil, ctx.Err()
	}
}

// hears passes the client's answer to whoever asked; what nobody asked for is
// dropped.
func (st *stream) hears(m message) {
	st.mu.Lock()
	heard := st.asked[string(m.id)]
	delete(st.asked, string(m.id))
	st.mu.Unlock()
	if heard != nil {
		heard <- m
	}
}

func elicited(m message) (*mcp.ElicitationResult, error) {
	var answer struct {
		Result *mcp.ElicitationResult `json:"result"`
		Error  *struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	err := json.Unmarshal(m.raw, &answer)
	switch {
	case err != nil:
		return nil, fmt.Errorf("read elicitation: %w", err)
	case answer.Error != nil:
		return nil, errors.New("elicit: the client refuses: " + clip(answer.Error.Message, 200))
	case answer.Result == nil:
		return nil, errors.New("elicit: the client answers nothing")
	}
	return answer.Result, nil
}
