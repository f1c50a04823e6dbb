package main

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/status/loopback"
	"github.com/lectern-mcp/lectern/supervisor"
	"github.com/lectern-mcp/lectern/tools"
)

// callMax bounds the arguments of one call in bytes.
const callMax = 4 << 20

// local is all that this hub can be asked.
func (h *host) local() supervisor.Local {
	return supervisor.Local{State: h.state, Log: h.logs, Actions: asked{h}, Operator: desk{h}, Browser: shelf{h}, Draw: h.hub.UpdateSnapshot, Recent: h.hub.Calls, History: h.hub.Changes}
}

// control serves the control socket: all that a hub can be asked, and what
// `lectern doctor` asks a plugin.
func (h *host) control() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", loopback.Handler(h.local()))
	mux.HandleFunc("POST "+pathDiagnose, h.serveDiagnose)
	return mux
}

// desk is what a person does by hand in this hub: status.Desk.
type desk struct{ *host }

// Tools implements status.Desk.
func (d desk) Tools(ctx context.Context, scope, client string) ([]status.Tool, error) {
	return d.hub.Tools(ctx, scope, client)
}

// Call implements status.Desk.
func (d desk) Call(ctx context.Context, source, tool string, args json.RawMessage) (json.RawMessage, error) {
	res, err := d.hub.Call(ctx, source, tool, args)
	if e := tools.AsError(err); e != nil {
		return nil, callError(e)
	}
	return res.JSON, nil
}

func callError(e *tools.Error) *status.CallError {
	out := &status.CallError{Code: string(e.Code), Msg: e.Message, Hint: e.Hint}
	if data, err := json.Marshal(e.Data); err == nil && e.Data != nil {
		out.Data = data
	}
	return out
}

// Check implements status.Desk.
func (d desk) Check(ctx context.Context, prefix string) (<-chan status.Check, error) {
	return doctor{world: d.world}.Check(ctx, prefix)
}

// Settings implements status.Desk.
func (d desk) Settings(context.Context) ([]status.Setting, error) { return d.keys() }
