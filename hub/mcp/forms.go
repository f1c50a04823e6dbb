package mcp

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/lectern-mcp/lectern/hub/approval"
)

// This file asks the user of a client in that client: in the legacy era by a
// request that the server sends while the call waits, in the modern era, where
// a server sends none, by answering the call with the form.

// What the user can answer. What reaches further than the session is said to
// Lectern itself.
const (
	allowOnceAnswer    = "allow once"
	allowSessionAnswer = "allow for this session"
	refuseAnswer       = "refuse"
)

// formKey names the one question of a form.
const formKey = "approval"

func approvalForm(f approval.FormContent) mcp.ElicitationParams {
	var answers []string
	if f.MayAllow {
		answers = append(answers, allowOnceAnswer)
	}
	if f.MayAllow && f.ForSession {
		answers = append(answers, allowSessionAnswer)
	}
	return mcp.ElicitationParams{Message: f.Message, RequestedSchema: map[string]any{
		"type": "object",
		"properties": map[string]any{
			"answer": map[string]any{"type": "string", "title": "Allow it?", "enum": append(answers, refuseAnswer)},
			"reason": map[string]any{"type": "string", "title": "If not, why (the agent reads it)", "maxLength": approval.MaxReasonCharacters},
		},
		"required": []string{"answer"},
	}}
}

// parseFormAnswer reads what a client says that its user answered.
func parseFormAnswer(res *mcp.ElicitationResult) approval.FormAnswer {
	content, _ := res.Content.(map[string]any)
	reason, _ := content["reason"].(string)
	runes := []rune(reason)
	a := approval.FormAnswer{Reason: string(runes[:min(len(runes), approval.MaxReasonCharacters)])}
	switch {
	case res.Action == mcp.ElicitationResponseActionDecline:
		a.Valid = true
		return a
	case res.Action != mcp.ElicitationResponseActionAccept:
		return a
	}
	switch content["answer"] {
	case allowOnceAnswer:
		a.Valid, a.Allow = true, true
	case allowSessionAnswer:
		a.Valid, a.Allow, a.ForSession = true, true, true
	case refuseAnswer:
		a.Valid = true
	}
	return a // a form that was not filled in neither allows nor refuses
}

// canElicit reports whether a client has forms.
func canElicit(caps mcp.ClientCapabilities) bool {
	return caps.Elicitation != nil && (caps.Elicitation.Form != nil || caps.Elicitation.URL == nil)
}

// prompter shows a form to the user while a call of the legacy era waits; nil
// if the client or its connection cannot.
func (x *request) prompter(as *mcpSession) approval.Prompter {
	if x.ask == nil || !as.canElicit() || x.isModern() {
		return nil
	}
	return func(ctx context.Context, form approval.FormContent) (approval.FormAnswer, error) {
		b, err := x.ask(ctx, mcp.MethodElicitationCreate, approvalForm(form))
		if err != nil {
			return approval.FormAnswer{}, err
		}
		var res mcp.ElicitationResult
		if err := json.Unmarshal(b, &res); err != nil {
			return approval.FormAnswer{}, fmt.Errorf("read form: %w", err)
		}
		return parseFormAnswer(&res), nil
	}
}

// supportsForms reports whether the client of a modern request shows forms; each
// request says it.
func (x *request) supportsForms() bool {
	caps := x.meta.ClientCapabilities()
	return x.isModern() && caps != nil && canElicit(*caps)
}

// filledForm is the form that a modern request brings back, or nil.
func (x *request) filledForm(p mcp.MultiRoundTripParams) *approval.FilledForm {
	if p.RequestState == "" || !x.isModern() {
		return nil
	}
	f := &approval.FilledForm{State: p.RequestState}
	if res := server.ElicitationResponse(p.InputResponses, formKey); res != nil {
		f.Answer = parseFormAnswer(res)
	}
	return f
}

// formRequiredResult is the answer to a call that waits for its form.
func formRequiredResult(f *approval.FormRequiredError) *mcp.CallToolResult {
	r := server.NewInputRequestBuilder(f.State).Elicit(formKey, approvalForm(f.FormContent)).ToolResult()
	r.Content = []mcp.Content{}
	return r
}
