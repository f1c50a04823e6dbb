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
	return func(ending context.Context, q approval.Question) (approval.Reply, error) {
		ctx, cancel := context.WithCancel(ctx) // it carries the session and the stream
		defer cancel()
		defer context.AfterFunc(ending, cancel)()
		res, err := sf.mcp.RequestElicitation(ctx, mcp.ElicitationRequest{
			Request: mcp.Request{Method: string(mcp.MethodElicitationCreate)}, Params: elicitationParams(q),
		})
		if err != nil {
			return approval.Reply{}, err
		}
		return elicitationReply(res), nil
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
func (st *stream) elicit(ctx context.Context, q approval.Question) (approval.Reply, error) {
	var none approval.Reply
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
	}{"2.0", json.RawMessage(id), string(mcp.MethodElicitationCreate), elicitationParams(q)})
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

func elicited(m message) (approval.Reply, error) {
	var none approval.Reply
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
	return elicitationReply(answer.Result), nil
}

func elicitationParams(q approval.Question) mcp.ElicitationParams {
	return mcp.ElicitationParams{Message: q.Message, RequestedSchema: q.Schema}
}

func elicitationReply(res *mcp.ElicitationResult) approval.Reply {
	return approval.Reply{
		Accepted: res.Action == mcp.ElicitationResponseActionAccept, Declined: res.Action == mcp.ElicitationResponseActionDecline, Content: res.Content,
	}
}
