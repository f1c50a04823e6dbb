package bridgetest

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/bridge"
	"github.com/lectern-mcp/lectern/internal/loopnet"
)

// Replay plays a transcript against b, in the role of the plugin, and fails
// the test where b deviates. It runs in a synctest bubble; b has the token,
// and dial says how to reach it. It stops before what is only for plugins.
func Replay(t *testing.T, file string, b *bridge.Bridge, token loopnet.Token, dial Dial) {
	t.Helper()
	r := &replay{T: t, bridge: b, token: token, dial: dial, ends: map[string]*connEnd{}, shared: names{}, calls: map[string]*pendingCall{}}
	for _, s := range readTranscript(t, file) {
		if s.verb == "played-by" {
			return
		}
		r.play(s)
		synctest.Wait()
	}
	for conn, e := range r.ends {
		e.wire.Cut()
		for {
			frame, err := e.wire.Receive(t.Context())
			if err != nil {
				break
			}
			t.Errorf("%s: connection %s also got %s", file, conn, frame)
		}
	}
}

type replay struct {
	*testing.T
	bridge *bridge.Bridge
	token  loopnet.Token
	dial   Dial
	ends   map[string]*connEnd
	shared names
	calls  map[string]*pendingCall
}

// An connEnd is our end of one connection.
type connEnd struct {
	wire  *Wire
	names names
}

// perConnNames are the names that each connection has for itself.
var perConnNames = []string{"$server_nonce", "$plugin_nonce", "$server_proof", "$plugin_proof", "$wrong_proof"}

func (r *replay) play(s step) {
	r.Helper()
	switch s.verb {
	case "wait":
		d, err := time.ParseDuration(s.lines[0])
		if err != nil {
			r.Fatal(err)
		}
		<-time.After(d)
	case "cut":
		if r.dial.Poll {
			r.end(s.conn).wire.Close() // else only a ping would notice
		} else {
			r.end(s.conn).wire.Cut()
		}
	case "call", "give-up", "outcome":
		for _, line := range s.lines {
			r.caller(s.verb, line)
			synctest.Wait()
		}
	default:
		for _, line := range s.lines {
			r.frame(s, line)
		}
	}
}

func (r *replay) end(conn string) *connEnd {
	r.Helper()
	if e := r.ends[conn]; e != nil {
		return e
	}
	w, err := r.dial.Open(r.Context())
	if err != nil {
		r.Fatal(err)
	}
	r.ends[conn] = &connEnd{w, names{"$plugin_nonce": NewNonce(), "$wrong_proof": NewNonce() + NewNonce()}}
	return r.ends[conn]
}

func (r *replay) frame(s step, line string) {
	r.Helper()
	e, want := r.end(s.conn), decode(r.T, line)
	all := maps.Clone(r.shared)
	maps.Copy(all, e.names)
	switch s.verb {
	case "plugin":
		filled, err := all.fill(want)
		if err != nil {
			r.Fatalf("%s: %v", s, err)
		}
		frame, _ := json.Marshal(filled) // it came from JSON
		if err := e.wire.Send(frame); err != nil {
			r.Fatalf("%s: %v", s, err)
		}
	case "close":
		_, err := e.wire.Receive(r.Context())
		closed, _ := errors.AsType[*Closed](err)
		if code := want.(map[string]any)["code"]; closed == nil || code != float64(closed.Code) {
			r.Fatalf("%s: want %v, got %v", s, code, err)
		}
	case "server":
		ctx, cancel := context.WithTimeout(r.Context(), time.Second)
		defer cancel()
		frame, err := e.wire.Receive(ctx)
		if err != nil {
			r.Fatalf("%s: want %s, got %v", s, line, err)
		}
		got, _ := decode(r.T, string(frame)).(map[string]any)
		delete(got, "jsonrpc")
		if d := cmp.Diff(all.learn(want, got), any(got)); d != "" {
			r.Fatalf("%s: (-want +got)\n%s", s, d)
		}
		r.recordNames(e, all)
	}
}

// recordNames stores the values that a frame gave to names, and computes the
// proofs.
func (r *replay) recordNames(e *connEnd, all names) {
	maps.Copy(r.shared, all)
	for _, name := range perConnNames {
		if value, ok := all[name]; ok {
			e.names[name] = value
		}
		delete(r.shared, name)
	}
	server, plugin := e.names["$server_nonce"], e.names["$plugin_nonce"]
	e.names["$plugin_proof"] = PluginProof(r.token, server, plugin)
	e.names["$server_proof"] = ServerProof(r.token, plugin, server)
}

// A pendingCall is a call of the transcript.
type pendingCall struct {
	giveUp context.CancelFunc
	done   chan struct{}
	out    any
	err    error
}

// A callerLine is a line of the sections about callers.
type callerLine struct {
	Call    string          `json:"call"`
	Method  string          `json:"method"`
	In      json.RawMessage `json:"in"`
	Again   bool            `json:"again"`
	Graph   string          `json:"graph"`
	Timeout int64           `json:"timeout_ms"`
	Out     any             `json:"out"`
	Code    bridge.Code     `json:"code"`
	Word    string          `json:"word"`
	Unsure  bool            `json:"unsure"`
}

func (r *replay) caller(verb, text string) {
	r.Helper()
	var l callerLine
	if err := json.Unmarshal([]byte(text), &l); err != nil {
		r.Fatalf("transcript: %v in %s", err, text)
	}
	if verb == "call" {
		r.begin(l)
		return
	}
	p := r.calls[l.Call]
	if p == nil {
		r.Fatalf("%s: there is no call %q", verb, l.Call)
	}
	p.giveUp()
	if verb == "outcome" {
		r.compare(l, p)
	}
}

func (r *replay) begin(l callerLine) {
	ctx, cancel := context.WithCancel(r.Context())
	if l.Timeout > 0 {
		ctx, cancel = context.WithTimeout(r.Context(), time.Duration(l.Timeout)*time.Millisecond)
	}
	p := &pendingCall{giveUp: cancel, done: make(chan struct{})}
	r.calls[l.Call] = p
	go func() {
		defer close(p.done)
		p.err = r.bridge.Peer(Kind, l.Graph).Call(ctx, l.Method, l.In, &p.out, l.Again)
	}()
}

func (r *replay) compare(l callerLine, p *pendingCall) {
	r.Helper()
	<-p.done
	got := callerLine{Call: l.Call, Out: p.out}
	if e, ok := errors.AsType[*bridge.Error](p.err); ok {
		got.Code, got.Word, got.Unsure = e.Code, e.PeerCode, e.OutcomeUnknown
	}
	if d := cmp.Diff(l, got); d != "" {
		r.Fatalf("outcome: %v (-want +got)\n%s", p.err, d)
	}
}
