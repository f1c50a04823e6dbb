package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/lectern-mcp/lectern/internal/loopnet"
)

// This file holds both ends of this package's own routes on the control
// socket. They are for the same user's lectern and may change with Wire.

const (
	hubHealthPath = "/daemon/hub"
	hubStopPath   = "/daemon/stop"
)

// Health is how a running hub is.
type Health struct {
	BuildInfo
	Wire         int        `json:"wire"`
	PID          int        `json:"pid"`
	Instance     string     `json:"instance"`
	InFlight     int        `json:"in_flight"`
	Waiting      int        `json:"waiting"` // calls that wait for a person
	Sessions     int        `json:"sessions"`
	ShuttingDown bool       `json:"shutting_down"`
	Successor    *BuildInfo `json:"next,omitempty"` // the newer build that waits to take over
}

// StopRequest asks a hub to shut down.
type StopRequest struct {
	IfIdle  bool `json:"if_idle"` // only when it is not in use
	Restart bool `json:"restart"` // another one is to take its place
}

// BusyError is the answer of a hub in use that was asked to stop if idle.
type BusyError struct{ Hub Health }

func (e *BusyError) Error() string {
	return fmt.Sprintf("stop hub: %d sessions are open, %d calls in flight", e.Hub.Sessions, e.Hub.InFlight)
}

func (h *hubServer) controlServer() *http.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+hubHealthPath, func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, h.health())
	})
	mux.HandleFunc("POST "+hubStopPath, h.handleStop)
	if h.Control != nil {
		mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
			h.lifecycle.adjustControlRequestCount(+1)
			defer h.lifecycle.adjustControlRequestCount(-1)
			h.Control.ServeHTTP(w, r)
		})
	}
	return loopnet.NewServer(mux, h.Log)
}

func (h *hubServer) health() Health {
	inFlight, sessions := h.Busy()
	return Health{
		BuildInfo: h.Self, Wire: WireVersion, PID: os.Getpid(), Instance: h.instance, InFlight: inFlight,
		Waiting:      h.Waiting(),
		Sessions:     max(sessions, h.lifecycle.countAttachedStreams()),
		ShuttingDown: h.lifecycle.decidedShutdown() != nil, Successor: h.lifecycle.pendingSuccessor(),
	}
}

func (h *hubServer) handleStop(w http.ResponseWriter, r *http.Request) {
	h.stopRequests.Add(1) // the shutdown begins before the answer is sent
	defer h.stopRequests.Done()
	var ask StopRequest
	if err := json.NewDecoder(io.LimitReader(r.Body, maxHelloBytes)).Decode(&ask); err != nil {
		http.Error(w, "read request: "+err.Error(), http.StatusBadRequest)
		return
	}
	status, waiting := http.StatusAccepted, h.Waiting() // which end when the shutdown begins
	if !h.lifecycle.stop(shutdownDecision{reason: "asked to stop", restart: ask.Restart}, ask.IfIdle) {
		status = http.StatusConflict
	}
	answer := h.health()
	answer.Waiting = waiting
	writeJSON(w, status, answer)
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	// On an error the other end is gone and needs no answer. The flush puts the
	// whole answer on the wire before the handler returns.
	_, _ = w.Write(body)
	_ = http.NewResponseController(w).Flush()
}

// GetHealth asks the running hub how it is, or returns ErrNoHub. A hub that runs
// and does not listen, because it starts, shuts down or has lost its sockets, gets a
// moment to do so or to be gone.
func GetHealth(ctx context.Context, p Paths) (h Health, err error) {
	waiting, cancel := context.WithTimeout(ctx, listenTimeout)
	defer cancel()
	waitErr := waitFor(waiting, func() (bool, error) {
		if h, err = requestHealth(ctx, p); !errors.Is(err, ErrNoHub) {
			return true, nil
		}
		held, lockErr := isLockHeld(p.hubLock())
		return !held || lockErr != nil, nil
	})
	if waitErr != nil && errors.Is(err, ErrNoHub) {
		err = fmt.Errorf("%w that can be reached: one is starting or shutting down, or hangs; it holds %s", err, p.hubLock())
	}
	return h, err
}

// listenTimeout is how long a hub that does not listen is waited for.
const listenTimeout = 3 * time.Second

// requestHealth is GetHealth without a wait.
func requestHealth(ctx context.Context, p Paths) (Health, error) {
	return requestHub(ctx, p, http.MethodGet, hubHealthPath, nil)
}

// StopHubAndWait asks the hub to shut down and returns when it is gone, or ctx ends,
// with what it was when it was asked. It returns ErrNoHub when there is none, and a
// *BusyError when it is in use and was to stop only if idle.
func StopHubAndWait(ctx context.Context, p Paths, ask StopRequest) (old Health, err error) {
	body, err := json.Marshal(ask)
	if err != nil {
		return old, err
	}
	if old, err = requestHub(ctx, p, http.MethodPost, hubStopPath, body); err != nil {
		return old, err
	}
	return old, waitFor(ctx, func() (bool, error) {
		if held, err := isLockHeld(p.hubLock()); err != nil || !held {
			return true, err
		}
		now, err := requestHealth(ctx, p) // a successor may hold the lock already
		return err == nil && now.Instance != old.Instance, nil
	})
}

func requestHub(ctx context.Context, p Paths, method, path string, body []byte) (Health, error) {
	ctx, cancel := context.WithTimeout(ctx, helloTimeout)
	defer cancel()
	transport := &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return p.dialSocket(ctx, controlSocket)
		},
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://lectern"+path, bytes.NewReader(body))
	if err != nil {
		return Health{}, err
	}
	res, err := (&http.Client{Transport: transport, Timeout: 2 * helloTimeout}).Do(req)
	if err != nil {
		if isNotListening(err) {
			return Health{}, p.noHubError()
		}
		return Health{}, fmt.Errorf("ask hub: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	var v Health
	if err := json.NewDecoder(io.LimitReader(res.Body, 64<<10)).Decode(&v); err != nil {
		return v, fmt.Errorf("ask hub: %w", err)
	}
	switch res.StatusCode {
	case http.StatusOK, http.StatusAccepted:
		return v, nil
	case http.StatusConflict:
		return v, &BusyError{v}
	}
	return v, errors.New("ask hub: it answers " + res.Status)
}

// stopTimeout is how long a hub may take to shut down.
const stopTimeout = 20 * time.Second
