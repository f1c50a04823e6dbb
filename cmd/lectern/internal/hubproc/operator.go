package hubproc

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/status/loopback"
	"github.com/lectern-mcp/lectern/supervisor"
	"github.com/lectern-mcp/lectern/tools"
)

// api is everything that people can ask of this hub.
func (h *hubProcess) api() supervisor.Local {
	return supervisor.Local{
		State: h.state, Log: h.logs, Actions: actions{h}, Operator: operator{h}, Browser: browser{h},
		Draw: h.hub.Draw, Recent: h.hub.Calls, History: h.hub.Changes,
	}
}

// control serves the control socket: the api, and what `lectern doctor` asks a
// plugin.
func (h *hubProcess) control() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", loopback.Handler(h.api()))
	mux.HandleFunc("POST "+pathDiagnose, h.serveDiagnose)
	return mux
}

// operator is what a person does by hand in this hub: status.Operator.
type operator struct{ *hubProcess }

// Tools implements status.Operator.
func (o operator) Tools(ctx context.Context, scope, client string) ([]status.Tool, error) {
	return o.hub.Tools(ctx, scope, client)
}

// Call implements status.Operator.
func (o operator) Call(ctx context.Context, source, tool string, args json.RawMessage) (json.RawMessage, error) {
	res, err := o.hub.Call(ctx, source, tool, args)
	if err != nil {
		return nil, callError(err)
	}
	return res.JSON, nil
}

// Check implements status.Operator.
func (o operator) Check(ctx context.Context, prefix string) (<-chan status.Check, error) {
	return o.Config.Check(ctx, prefix)
}

// Settings implements status.Operator.
func (o operator) Settings(context.Context) ([]status.Setting, error) { return o.App.Settings() }

// browser is what is in the sources of this hub: status.Browser.
type browser struct{ *hubProcess }

// Pages implements status.Browser.
func (b browser) Pages(ctx context.Context, source string) (<-chan status.PageList, error) {
	pages, err := b.hub.Pages(ctx, source)
	return pages, callError(err)
}

// Page implements status.Browser.
func (b browser) Page(ctx context.Context, source, name string) (status.PageText, error) {
	p, err := b.hub.Page(ctx, source, name)
	return p, callError(err)
}

// Search implements status.Browser.
func (b browser) Search(ctx context.Context, source, query string) (status.Search, error) {
	found, err := b.hub.Search(ctx, source, query)
	return found, callError(err)
}

// callError is err as it travels to another process; nil stays nil.
func callError(err error) error {
	e := tools.AsError(err)
	if e == nil {
		return nil
	}
	out := &status.CallError{Code: string(e.Code), Msg: e.Message, Hint: e.Hint}
	if data, err := json.Marshal(e.Data); err == nil && e.Data != nil {
		out.Data = data
	}
	return out
}
