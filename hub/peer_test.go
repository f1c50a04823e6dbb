package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/lectern-mcp/lectern/bridge"
	"github.com/lectern-mcp/lectern/bridge/bridgetest"
	"github.com/lectern-mcp/lectern/hub/hubtest"
	"github.com/lectern-mcp/lectern/internal/loopnet"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// A far is a source whose every call goes to its Peer.
type (
	textIn struct {
		Text string `json:"text" jsonschema:"what to say"`
	}
	textOut struct {
		Text string `json:"text" jsonschema:"what was said"`
		From string `json:"from" jsonschema:"the source"`
	}
)

type peerSource struct{ peer tools.Peer }

func (peerSource) Close() error                { return nil }
func (peerSource) Check(context.Context) error { return nil }

func (f peerSource) Ask(ctx context.Context, in textIn) (out textOut, err error) {
	return out, f.peer.Call(ctx, in.Text, nil, &out, true)
}

type peerSourceConfig struct {
	Graph string `json:"graph,omitempty" jsonschema:"the graph"`
}

// describeFar knows the hellos of bridgetest that have a graph.
func describeFar(hello json.RawMessage) (info tools.PeerInfo, mine bool, err error) {
	d, _ := bridgetest.Describe(hello) // no Key with an error
	switch d.Key {
	case "":
		return info, false, nil
	case "db_refused":
		return info, true, errors.New("not this one")
	}
	info = tools.PeerInfo{Key: d.Key, Names: d.Names, Facts: []status.Fact{{Name: "at", Value: d.Key}}}
	for _, key := range d.Capabilities {
		info.Capabilities = append(info.Capabilities, status.Capability{Key: key, Title: key})
	}
	info.Capabilities = append(info.Capabilities, status.Capability{Key: "fly", Title: "fly", Reason: "it has no wings"})
	return info, true, nil
}

func codeFar(code string) tools.Code {
	return map[string]tools.Code{"CAPABILITY_MISSING": tools.Unavailable, "TIMEOUT": tools.Timeout}[code]
}

func peerKind() tools.Kind {
	return tools.Erase(tools.System[peerSource, peerSourceConfig]{
		Name: "far", Title: "Far", Doc: "Far away.",
		Open: func(_ context.Context, _ peerSourceConfig, env tools.Env) (peerSource, error) {
			return peerSource{env.Peer}, nil
		},
		Peer: &tools.PeerSpec[peerSourceConfig]{
			Name: func(c peerSourceConfig) string { return c.Graph }, Describe: describeFar, Code: codeFar,
			Origins: []string{"far://away"},
		},
		Tools: []tools.Tool[peerSource]{tools.Define(tools.Spec[textIn, textOut]{
			Name: "ask", Effect: tools.Reads, Doc: "Asks.", Errors: tools.Codes(),
		}, peerSource.Ask)},
	})
}

// Sources reach the Peer that they name, and people see who is connected.
func TestPeers(t *testing.T) {
	token := bridgetest.NewToken(t)
	var h *Hub
	log := slog.New(slog.DiscardHandler)
	b := bridge.New(bridge.Config{
		Token: func() loopnet.Token { return token }, Version: "1", Log: log, Now: time.Now, Changed: func() { h.RequestSnapshotUpdate() },
		Limits: bridge.Limits{StartupWait: time.Nanosecond}, Describe: NewPeerDescriber([]tools.Kind{peerKind()}),
	})
	board := hubtest.NewFakeSnapshotStore()
	h = New(Config{
		Systems: []tools.Kind{peerKind()}, Bridge: b, State: board, Log: log, Now: time.Now,
		Sources: []Source{
			{Name: "one", Kind: "far", Options: json.RawMessage(`{"graph":"one"}`)},
			{Name: "two", Kind: "far", Options: json.RawMessage(`{"graph":"two"}`)},
		},
	})
	client := bridgetest.Serve(t, bridgetest.Guarded(b, 12740))
	t.Cleanup(func() {
		if err := errors.Join(h.Close(), b.Close()); err != nil {
			t.Error(err)
		}
	})
	if err := h.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := h.PersonAPI().Call(t.Context(), "one", "ask", json.RawMessage(`{"text":"m"}`)); tools.AsError(err).Code != tools.Unavailable {
		t.Errorf("without a peer: %v", err)
	}
	board.WaitFor(t, func(s status.Snapshot) bool {
		return s.Sources[0].State == status.Waiting && s.Sources[0].Note == "waiting for Far"
	})
	for _, graph := range []string{"one", "two"} {
		p, err := bridgetest.Connect(t.Context(), bridgetest.Options{
			Dial: bridgetest.Dial{URL: bridgetest.URL, Client: client}, Token: token, Hello: bridgetest.Hello(graph),
			Answer: func(_ context.Context, method string, _ json.RawMessage) (any, error) {
				if method == "fail" {
					return nil, &bridgetest.Fault{Code: "CAPABILITY_MISSING", Message: "cannot"}
				}
				return textOut{method, graph}, nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
	}
	board.WaitFor(t, func(s status.Snapshot) bool {
		return len(s.Peers) == 2 && s.Sources[0].State == status.Ready && s.Sources[1].State == status.Ready
	})
	res, err := h.PersonAPI().Call(t.Context(), "two", "ask", json.RawMessage(`{"text":"hello"}`))
	if err != nil || string(res.JSON) != `{"text":"hello","from":"two"}` {
		t.Errorf("got %s, %v", res.JSON, err)
	}
	_, err = h.PersonAPI().Call(t.Context(), "one", "ask", json.RawMessage(`{"text":"fail"}`))
	if e := tools.AsError(err); e.Code != tools.Unavailable || e.SpecCode != "CAPABILITY_MISSING" || e.Message != "cannot" {
		t.Errorf("got %+v", e)
	}
	want := status.Peer{
		Component: status.Component{Name: "one", State: status.Ready}, System: "far", Application: "Far",
		Facts: []status.Fact{{Name: "at", Value: "db_one"}}, Transport: "websocket",
		Capabilities: []status.Capability{
			{Key: "pages.list", Title: "pages.list"},
			{Key: "pages.read", Title: "pages.read"},
			{Key: "blocks.read", Title: "blocks.read"},
			{Key: "fly", Title: "fly", Reason: "it has no wings"},
		},
	}
	got := board.LastSnapshot().Peers[0]
	if d := cmp.Diff(want, got, cmpopts.IgnoreFields(status.Component{}, "Since"), cmpopts.IgnoreFields(status.Peer{}, "Calls", "Failures", "LastError")); d != "" {
		t.Error(d)
	}
}

// What a caller may not know, it is told; what it does know, too.
func TestTranslate(t *testing.T) {
	for _, c := range []struct {
		e      bridge.Error
		again  bool
		code   tools.Code
		unsure bool
	}{
		{bridge.Error{Code: bridge.Unavailable}, false, tools.Unavailable, false},
		{bridge.Error{Code: bridge.Unavailable, OutcomeUnknown: true}, false, tools.Unavailable, true},
		{bridge.Error{Code: bridge.Timeout}, false, tools.Timeout, false},
		{bridge.Error{Code: bridge.PeerError, PeerCode: "TIMEOUT"}, false, tools.Timeout, true},
		{bridge.Error{Code: bridge.PeerError, PeerCode: "TIMEOUT"}, true, tools.Timeout, false},
		{bridge.Error{Code: bridge.PeerError, PeerCode: "CAPABILITY_MISSING"}, false, tools.Unavailable, false},
		{bridge.Error{Code: bridge.TooLarge}, true, tools.Limited, false},
		{bridge.Error{Code: bridge.Limited}, true, tools.Limited, false},
		{bridge.Error{Code: bridge.InvalidAnswer}, true, tools.Internal, false},
	} {
		got := bridgePeer{code: codeFar}.convertError(&c.e, c.again)
		if got.Code != c.code || got.SpecCode != c.e.PeerCode || errors.Is(got, tools.ErrOutcomeUnknown{}) != c.unsure {
			t.Errorf("%+v: got %+v, unsure %v", c.e, got, errors.Is(got, tools.ErrOutcomeUnknown{}))
		}
	}
}

// The first System that knows a hello describes its Peer; a hello that none
// knows is refused, and the refusal names those that have Peers.
func TestDescribePeer(t *testing.T) {
	describe := NewPeerDescriber([]tools.Kind{checkedKind(), peerKind()})
	for hello, want := range map[string]string{
		`{"graph":{"name":"one"},"api_capabilities":["a"]}`: "far one [one ] [a]",
		`{"graph":{"name":"x","url":"db_refused"}}`:         "not this one",
		`{"version":1}`: "no plugin of an application that this Lectern works with (Far)",
		`{"graph":7}`:   "no plugin of an application that this Lectern works with (Far)",
	} {
		d, err := describe(json.RawMessage(hello))
		got := fmt.Sprint(d.Kind, " ", d.Key, " ", d.Names, " ", d.Capabilities)
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", hello, got, want)
		}
	}
	if got := PeerWebOrigins([]tools.Kind{checkedKind(), peerKind()}); !slices.Equal(got, []string{"far://away"}) {
		t.Errorf("origins %v", got)
	}
}

// A source whose System wants a Peer has one even when no bridge is there.
func TestNoBridge(t *testing.T) {
	h := New(Config{Systems: []tools.Kind{peerKind()}, Log: slog.New(slog.DiscardHandler), Now: time.Now, Sources: []Source{{Name: "one", Kind: "far"}}})
	defer func() { _ = h.Close() }()
	if err := h.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := h.PersonAPI().Call(t.Context(), "one", "ask", json.RawMessage(`{"text":"m"}`))
	if e := tools.AsError(err); e.Code != tools.Unavailable {
		t.Errorf("got %+v", e)
	}
}
