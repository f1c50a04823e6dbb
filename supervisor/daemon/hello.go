package daemon

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"time"
)

// The values of the first field of a line.
const (
	lineTypeHello   = "hello"
	lineTypeWelcome = "welcome"
	lineTypeRefuse  = "refuse"
)

const (
	maxHelloBytes = 4 << 10         // bytes of one line
	helloTimeout  = 5 * time.Second // for either end to send its line
)

// Hello is the first line on the MCP socket, sent by the client. After the
// answer the stream is plain MCP.
type Hello struct {
	Lectern string `json:"lectern"` // "hello"
	Wire    int    `json:"wire"`
	BuildInfo
	PID   int    `json:"pid"`             // of the `lectern serve` process: shown, never trusted
	Scope string `json:"scope,omitempty"` // the sources wanted, separated by commas; empty: all
	// Token is the client's, to prove its name; empty: it is not proven.
	Token string `json:"token,omitempty"`
	// Probe says that no agent is behind the connection: it only finds out whether
	// the hub answers, and keeps it from leaving while it is open.
	Probe bool `json:"probe,omitempty"`
	// Relay says that the client is a relay (supervisor/shim), which hears the notifications
	// of package frame.
	Relay bool `json:"relay,omitempty"`
	// Replace asks an older hub to shut down for a new one, which the client
	// starts: at once when the hub is idle, else as soon as it is quiet.
	Replace bool `json:"replace,omitempty"`
}

// HelloAnswer is the hub's answer to Hello, whether it welcomes or refuses.
type HelloAnswer struct {
	Lectern string `json:"lectern"` // "welcome" or "refuse"
	Wire    int    `json:"wire"`    // the version used from here on
	BuildInfo
	PID      int    `json:"pid"`
	Instance string `json:"instance"`
	Reason   string `json:"reason,omitempty"` // of a refusal: what is wrong and what to do
	Retry    bool   `json:"retry,omitempty"`  // the hub is shutting down; another may be started
}

// RefusedError is a refusal that trying again does not cure.
type RefusedError struct{ Reason string }

func (e *RefusedError) Error() string { return "connect to hub: " + e.Reason }

// Final reports that trying again is useless until a person acts.
func (e *RefusedError) Final() bool { return true }

// errShuttingDown is a refusal by a hub that is about to end.
var errShuttingDown = errors.New("the hub is shutting down")

// supportsWire reports whether this build understands a wire version.
func supportsWire(wire int) bool { return wire > 0 && (wire == WireVersion || wire == WireVersion-1) }

func writeJSONLine(w io.Writer, v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

// readJSONLine reads one line of JSON into v, byte by byte: what follows the line
// belongs to MCP and must stay in the stream. It happens once per
// connection.
func readJSONLine(r io.Reader, v any) error {
	var line []byte
	one := make([]byte, 1)
	for {
		if _, err := io.ReadFull(r, one); err != nil {
			return err
		}
		if one[0] == '\n' {
			break
		}
		if line = append(line, one[0]); len(line) > maxHelloBytes {
			return fmt.Errorf("line is longer than %d bytes", maxHelloBytes)
		}
	}
	return json.Unmarshal(bytes.TrimSpace(line), v)
}

// handshake sends h on conn and returns the hub's answer. A refusal is an
// error: errShuttingDown, or a *RefusedError.
func handshake(conn net.Conn, h Hello) (HelloAnswer, error) {
	h.Lectern, h.Wire = lineTypeHello, WireVersion
	var w HelloAnswer
	if err := conn.SetDeadline(time.Now().Add(helloTimeout)); err != nil {
		return w, err
	}
	if err := writeJSONLine(conn, h); err != nil {
		return w, err
	}
	if err := readJSONLine(conn, &w); err != nil {
		return w, err
	}
	switch {
	case w.Lectern == lineTypeRefuse && w.Retry:
		return w, errShuttingDown
	case w.Lectern == lineTypeRefuse:
		return w, &RefusedError{w.Reason}
	case w.Lectern != lineTypeWelcome || !supportsWire(w.Wire):
		return w, &RefusedError{fmt.Sprintf("the hub (version %q, pid %d) does not support wire version %d; run `lectern hub restart`", w.Version,
			w.PID, WireVersion)}
	}
	return w, conn.SetDeadline(time.Time{})
}
