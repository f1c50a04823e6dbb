package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/lectern-mcp/lectern/status/loopback"
	"github.com/lectern-mcp/lectern/supervisor"
	"github.com/lectern-mcp/lectern/tools"
)

// pathCall is the route of `lectern call` on the control socket. Both its ends
// are in this file.
const pathCall = "/call"

// callMax bounds the arguments of one call in bytes.
const callMax = 4 << 20

type callRequest struct {
	Source string          `json:"source"`
	Tool   string          `json:"tool"`
	Args   json.RawMessage `json:"args,omitempty"`
}

// A callAnswer holds a result or an error.
type callAnswer struct {
	Result json.RawMessage `json:"result,omitempty"`
	Error  *callError      `json:"error,omitempty"`
}

type callError struct {
	Code tools.Code      `json:"code"`
	Msg  string          `json:"message"`
	Hint string          `json:"hint,omitempty"`
	Data json.RawMessage `json:"data,omitempty"`
}

// control serves the control socket: status, and calls for `lectern call`.
func (h *host) control() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", loopback.Handler(supervisor.Local{State: h.state, Log: h.logs, Actions: asked{h}}))
	mux.HandleFunc("POST "+pathCall, h.serveCall)
	mux.HandleFunc("POST "+pathDiagnose, h.serveDiagnose)
	return mux
}

func (h *host) serveCall(w http.ResponseWriter, r *http.Request) {
	var req callRequest
	if err := json.NewDecoder(io.LimitReader(r.Body, callMax+4096)).Decode(&req); err != nil {
		http.Error(w, "read call: "+err.Error(), http.StatusBadRequest)
		return
	}
	var a callAnswer
	res, err := h.hub.Call(r.Context(), req.Source, req.Tool, req.Args)
	if e := tools.AsError(err); e != nil {
		a.Error = &callError{Code: e.Code, Msg: e.Msg, Hint: e.Hint}
		if data, err := json.Marshal(e.Data); err == nil && e.Data != nil {
			a.Error.Data = data
		}
	} else {
		a.Result = res.JSON
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(a) // the other end went away
}

// callHub asks the running hub for one call.
func (w *world) callHub(ctx context.Context, req callRequest) (json.RawMessage, error) {
	body, err := json.Marshal(req)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://lectern"+pathCall, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	res, err := w.controlClient().Do(r)
	if err != nil {
		return nil, fmt.Errorf("call: %w", err)
	}
	defer res.Body.Close() //nolint:errcheck // read to its end or given up
	if res.StatusCode != http.StatusOK {
		return nil, errors.New("call: the hub answers " + res.Status)
	}
	var a callAnswer
	if err := json.NewDecoder(res.Body).Decode(&a); err != nil {
		return nil, fmt.Errorf("read answer: %w", err)
	}
	if e := a.Error; e != nil {
		return nil, &tools.Error{Code: e.Code, Msg: e.Msg, Hint: e.Hint, Data: e.Data}
	}
	return a.Result, nil
}
