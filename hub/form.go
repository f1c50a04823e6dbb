package hub

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/lectern-mcp/lectern/hub/approval"
)

// In the modern era a server sends no requests: a call that waits for a person
// is answered with a form, see [approval.Form].

// formKey names the one question of a form.
const formKey = "approval"

func formResult(f *approval.FormRequest) *mcp.CallToolResult {
	return server.NewInputRequestBuilder(f.State).Elicit(formKey, approvalForm(f.Message)).ToolResult()
}

// filledForm is the form that a request of the modern era brings back; nil: it
// brings none.
func filledForm(ctx context.Context, p mcp.MultiRoundTripParams) *approval.FilledForm {
	if p.RequestState == "" || !server.IsModernRequest(ctx) {
		return nil
	}
	f := &approval.FilledForm{State: p.RequestState}
	if res := server.ElicitationResponse(p.InputResponses, formKey); res != nil {
		f.Answer = parseFormAnswer(res)
	}
	return f
}

// hasForms reports whether the client of a request of the modern era shows
// forms; each request says it again.
func hasForms(ctx context.Context) bool {
	if !server.IsModernRequest(ctx) {
		return false
	}
	caps := server.RequestProtocolInfoFromContext(ctx).ClientCapabilities
	return caps != nil && canElicit(*caps)
}
