package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/lectern-mcp/lectern/hub/approval"
)

// canElicit reports whether a client has forms.
func canElicit(caps mcp.ClientCapabilities) bool {
	return caps.Elicitation != nil && (caps.Elicitation.Form != nil || caps.Elicitation.URL == nil)
}

// prompter is the way to the user of the client of x while a call waits; nil:
// there is none. The modern era has none: there a server answers with a form.
func (sf *surface) prompter(ctx context.Context, x *exchange) approval.Prompter {
	if server.IsModernRequest(ctx) {
		return nil
	}
	if x.prompt != nil {
		return x.prompt
	}
	s, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo)
	if !ok || !canElicit(s.GetClientCapabilities()) {
		return nil
	}
	if _, ok := s.(server.SessionWithElicitation); !ok {
		return nil
	}
	return func(ending context.Context, message string) (approval.FormAnswer, error) {
		ctx, cancel := context.WithCancel(ctx) // it carries the session and the stream
		defer cancel()
		defer context.AfterFunc(ending, cancel)()
		res, err := sf.mcp.RequestElicitation(ctx, mcp.ElicitationRequest{
			Request: mcp.Request{Method: string(mcp.MethodElicitationCreate)}, Params: approvalForm(message),
		})
		if err != nil {
			return approval.FormAnswer{}, err
		}
		return parseFormAnswer(res), nil
	}
}

// prompter is a stream's: mcp-go has none for streams that are not its own.
func (st *stream) prompter() approval.Prompter {
	if !st.side.legacy.Load() || !canElicit(st.side.GetClientCapabilities()) {
		return nil
	}
	return st.elicit
}

// elicit sends a request of ours and waits for its answer. When ctx ends first
// the client is told that nobody waits any more.
func (st *stream) elicit(ctx context.Context, question string) (approval.FormAnswer, error) {
	var none approval.FormAnswer
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
	}{"2.0", json.RawMessage(id), string(mcp.MethodElicitationCreate), approvalForm(question)})
	if err != nil {
		return none, fmt.Errorf("elicit: %w", err)
	}
	if err := st.out.answer(ctx, frame); err != nil {
		return none, fmt.Errorf("elicit: %w", err)
	}
	select {
	case m := <-heard:
		return elicited(m)
	case <-ctx.Done():
		if b, err := notification(string(mcp.MethodNotificationCancelled), map[string]any{"requestId": json.RawMessage(id), "reason": "answered elsewhere, or over"}); err == nil {
			st.out.notify(b)
		}
		return none, ctx.Err()
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

func elicited(m message) (approval.FormAnswer, error) {
	var none approval.FormAnswer
	var answer struct {
		Result *mcp.ElicitationResult `json:"result"`
		Error  *struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	err := json.Unmarshal(m.raw, &answer)
	switch {
	case err != nil:
		return none, fmt.Errorf("read elicitation: %w", err)
	case answer.Error != nil:
		return none, errors.New("elicit: the client refuses: " + truncate(answer.Error.Message, 200))
	case answer.Result == nil:
		return none, errors.New("elicit: the client answers nothing")
	}
	return parseFormAnswer(answer.Result), nil
}

// What the user can answer. What reaches further than the session is said to
// Lectern itself.
const (
	allowOnce    = "allow once"
	allowSession = "allow for this session"
	refuseCall   = "refuse"
)

func approvalForm(message string) mcp.ElicitationParams {
	return mcp.ElicitationParams{Message: message, RequestedSchema: map[string]any{
		"type": "object",
		"properties": map[string]any{
			"answer": map[string]any{"type": "string", "title": "Allow it?", "enum": []string{allowOnce, allowSession, refuseCall}},
			"reason": map[string]any{"type": "string", "title": "If not, why (the agent reads it)", "maxLength": approval.MaxReason},
		},
		"required": []string{"answer"},
	}}
}

// parseFormAnswer reads what a client says that its user answered.
func parseFormAnswer(res *mcp.ElicitationResult) approval.FormAnswer {
	content, _ := res.Content.(map[string]any)
	reason, _ := content["reason"].(string)
	runes := []rune(reason)
	a := approval.FormAnswer{Reason: string(runes[:min(len(runes), approval.MaxReason)])}
	switch {
	case res.Action == mcp.ElicitationResponseActionDecline:
		a.Given = true
		return a
	case res.Action != mcp.ElicitationResponseActionAccept:
		return a
	}
	switch content["answer"] {
	case allowOnce:
		a.Given, a.Allow = true, true
	case allowSession:
		a.Given, a.Allow, a.ForSession = true, true, true
	case refuseCall:
		a.Given = true
	}
	return a // a form that was not filled in neither allows nor refuses
}
