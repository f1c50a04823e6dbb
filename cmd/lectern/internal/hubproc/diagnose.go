package hubproc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/lectern-mcp/lectern/bridge"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/doctor"
	"github.com/lectern-mcp/lectern/internal/loopnet"
)

// pathDiagnose is the route of `lectern doctor logseq` on the control socket.
// This file holds both its ends.
const pathDiagnose = "/peer/diagnose"

// diagnoseTimeout is longer than the plugin waits for Logseq, twice.
const diagnoseTimeout = 25 * time.Second

// serveDiagnose has the plugin of a graph examine its Logseq. The body is the
// graph's name or URL.
func (h *hubProcess) serveDiagnose(w http.ResponseWriter, r *http.Request) {
	graph, err := io.ReadAll(io.LimitReader(r.Body, 4<<10))
	if err != nil {
		http.Error(w, "read graph: "+err.Error(), http.StatusBadRequest)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), diagnoseTimeout)
	defer cancel()
	var d json.RawMessage
	if err := h.plugins.Peer("logseq", string(graph)).Call(ctx, "diagnose", nil, &d, true); err != nil {
		status := http.StatusBadGateway
		if e, ok := errors.AsType[*bridge.Error](err); ok && e.PeerCode == "CAPABILITY_MISSING" {
			status = http.StatusNotImplemented
		}
		http.Error(w, err.Error(), status)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(d) // an error: the client went away
}

// Diagnose asks the running hub behind a control socket for the diagnosis of a
// graph. The hub's own limits bound it.
func Diagnose(ctx context.Context, socket, graph string) (d doctor.Diagnosis, err error) {
	client := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return loopnet.DialSocket(ctx, socket)
		},
	}}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://lectern"+pathDiagnose, bytes.NewReader([]byte(graph)))
	if err != nil {
		return d, err
	}
	res, err := client.Do(r)
	if err != nil {
		return d, fmt.Errorf("diagnose: %w", err)
	}
	defer res.Body.Close() //nolint:errcheck // read to its end or given up
	text, err := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	switch {
	case err != nil:
		return d, fmt.Errorf("read diagnosis: %w", err)
	case res.StatusCode == http.StatusNotImplemented:
		return d, doctor.ErrOldPlugin
	case res.StatusCode != http.StatusOK:
		return d, fmt.Errorf("diagnose: %s", bytes.TrimSpace(text))
	}
	if err := json.Unmarshal(text, &d); err != nil {
		return d, fmt.Errorf("read diagnosis: %w", err)
	}
	return d, nil
}
