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

// api is the status.Client of this hub: every action and query that it knows.
func (h *host) api() supervisor.HubAPI {
	queries := status.QueryHandlers{}
	status.HandleStream(queries, status.LogsQuery, supervisor.LogLines(h.logs))
	status.HandleStream(queries, status.CallsQuery, h.hub.Calls)
	status.HandleQuery(queries, status.ChangesQuery, h.hub.Changes)
	status.HandleQuery(queries, status.ToolsQuery, func(ctx context.Context, f status.ToolFilter) ([]status.Tool, error) {
		return h.hub.Tools(ctx, f.Source, f.Client)
	})
	status.HandleQuery(queries, status.RunToolQuery, asAgent(func(ctx context.Context, c status.ToolCall) (json.RawMessage, error) {
		res, err := h.hub.Call(ctx, c.Source, c.Tool, c.Args)
		return res.JSON, err
	}))
	status.HandleStream(queries, status.ChecksQuery, doctor{world: h.world}.Check)
	status.HandleQuery(queries, status.SettingsQuery, func(context.Context, struct{}) ([]status.Setting, error) { return h.keys() })
	status.HandleStream(queries, status.PagesQuery, asAgent(h.hub.Pages))
	status.HandleQuery(queries, status.PageQuery, asAgent(func(ctx context.Context, p status.PageRef) (status.PageText, error) {
		return h.hub.Page(ctx, p.Source, p.Name)
	}))
	status.HandleQuery(queries, status.SearchQuery, asAgent(func(ctx context.Context, s status.SearchText) (status.Search, error) {
		return h.hub.Search(ctx, s.Source, s.Text)
	}))
	return supervisor.HubAPI{
		State: h.state, BeforeWatch: h.hub.Draw, Router: status.Router{Actions: asked{h}.handlers(), Queries: queries},
	}
}

// asAgent is ask with the errors that agents get.
func asAgent[In, Out any](ask func(context.Context, In) (Out, error)) func(context.Context, In) (Out, error) {
	return func(ctx context.Context, in In) (Out, error) {
		out, err := ask(ctx, in)
		if e := tools.AsError(err); e != nil {
			return out, callError(e)
		}
		return out, nil
	}
}

// control serves the control socket: all that a hub can be asked, and what
// `lectern doctor` asks a plugin.
func (h *host) control() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", loopback.Handler(h.api()))
	mux.HandleFunc("POST "+pathDiagnose, h.serveDiagnose)
	return mux
}

func callError(e *tools.Error) *status.CallError {
	out := &status.CallError{Code: string(e.Code), Msg: e.Message, Hint: e.Hint}
	if data, err := json.Marshal(e.Data); err == nil && e.Data != nil {
		out.Data = data
	}
	return out
}
