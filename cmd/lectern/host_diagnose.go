package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/lectern-mcp/lectern/bridge"
)

// pathDiagnose is the route of `lectern doctor logseq` on the control socket.
// Both its ends are in this file.
const pathDiagnose = "/peer/diagnose"

// diagnoseWithin is longer than the plugin's own patience with Logseq, twice.
const diagnoseWithin = 25 * time.Second

// A diagnosis is what a plugin says of the Logseq it is in; see diagnose.ts.
type diagnosis struct {
	Hidden     bool           `json:"hidden"`             // its window cannot be seen
	Editor     *timed         `json:"editor,omitempty"`   // nil: no graph is open
	Database   *timed         `json:"database,omitempty"` // likewise
	Namespaces map[string]int `json:"namespaces"`         // how many properties each has
	Missing    []string       `json:"missing"`            // methods of Logseq's that are not there
	Settings   []string       `json:"settings"`           // of the plugin that take capabilities away
}

// timed is how one question to Logseq went.
type timed struct {
	Millis int    `json:"ms"`
	Error  string `json:"error"` // a code; empty: it was answered
}

// serveDiagnose has the plugin of a graph look around. The body is the graph's
// name or URL.
func (h *host) serveDiagnose(w http.ResponseWriter, r *http.Request) {
	graph, err := io.ReadAll(io.LimitReader(r.Body, 4<<10))
	if err != nil {
		http.Error(w, "read graph: "+err.Error(), http.StatusBadRequest)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), diagnoseWithin)
	defer cancel()
	var d diagnosis
	if err := h.plugins.Peer(string(graph)).Call(ctx, "diagnose", nil, &d, true); err != nil {
		status := http.StatusBadGateway
		if e, ok := errors.AsType[*bridge.Error](err); ok && e.PeerCode == "CAPABILITY_MISSING" {
			status = http.StatusNotImplemented
		}
		http.Error(w, err.Error(), status)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(d) // the other end went away
}

// errOldPlugin is for plugins that cannot diagnose.
var errOldPlugin = errors.New("the plugin is older than this Lectern and cannot tell")

// diagnose asks the running hub.
func (w *world) diagnose(ctx context.Context, graph string) (d diagnosis, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://lectern"+pathDiagnose, bytes.NewReader([]byte(graph)))
	if err != nil {
		return d, err
	}
	res, err := w.controlClient().Do(r)
	if err != nil {
		return d, fmt.Errorf("diagnose: %w", err)
	}
	defer res.Body.Close() //nolint:errcheck // read to its end or given up
	text, err := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	switch {
	case err != nil:
		return d, fmt.Errorf("read diagnosis: %w", err)
	case res.StatusCode == http.StatusNotImplemented:
		return d, errOldPlugin
	case res.StatusCode != http.StatusOK:
		return d, fmt.Errorf("diagnose: %s", bytes.TrimSpace(text))
	}
	if err := json.Unmarshal(text, &d); err != nil {
		return d, fmt.Errorf("read diagnosis: %w", err)
	}
	return d, nil
}
