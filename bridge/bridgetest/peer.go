// Package bridgetest is the far end of a bridge for tests: a raw [Wire], a
// well-behaved [Peer], and [Replay], which plays the transcripts in
// bridge/testdata against a bridge. The plugin's own tests play the same
// transcripts from the other end, which keeps fake, plugin and bridge alike.
//
// It sends frames and knows no method. Tests of bridge, hub and the Systems
// with a Peer import it. Start reading at [Connect].
package bridgetest

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"sync"

	"github.com/lectern-mcp/lectern/bridge"
	"github.com/lectern-mcp/lectern/internal/loopnet"
)

// Options configure a [Peer]. Dial.URL and Token are required.
type Options struct {
	Dial
	Token loopnet.Token
	// Hello overrides members of the default hello; nil values remove them.
	Hello map[string]any
	// Answer answers requests, each on a goroutine of its own; ctx ends when the
	// bridge cancels. Its error may be a [Fault]. Nil answers {}.
	Answer func(ctx context.Context, method string, params json.RawMessage) (any, error)
}

// A Fault is an error that a Peer answers.
type Fault struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// Error implements error.
func (f *Fault) Error() string { return f.Code + ": " + f.Message }

// A Peer is connected and answers until it is closed.
type Peer struct {
	*Wire
	options Options
	ack     json.RawMessage
	ctx     context.Context
	cancel  context.CancelFunc
	work    sync.WaitGroup

	mu            sync.Mutex
	calls         map[string]context.CancelFunc
	notifications []string // methods of the bridge's notifications
}

// Kind is the kind of the Peers that [Describe] describes.
const Kind = "test"

// Hello is the hello of a Peer that has something called name open.
func Hello(name string) map[string]any {
	return map[string]any{
		"api_capabilities": []string{"pages.list", "pages.read", "blocks.read"},
		"graph":            map[string]any{"name": name, "url": "db_" + name}, "session": rand.Text(),
	}
}

// Describe reads the hellos of [Hello] and of the transcripts, for a
// [bridge.Config].
func Describe(hello json.RawMessage) (bridge.Description, error) {
	var h struct {
		Capabilities []string `json:"api_capabilities"`
		Graph        struct{ Name, URL string }
	}
	if err := json.Unmarshal(hello, &h); err != nil {
		return bridge.Description{}, err
	}
	return bridge.Description{
		Kind: Kind, Key: cmp.Or(h.Graph.URL, h.Graph.Name), Names: []string{h.Graph.Name, h.Graph.URL}, Capabilities: h.Capabilities,
	}, nil
}

// Connect connects, proves the token, and checks the bridge's proof.
func Connect(ctx context.Context, o Options) (*Peer, error) {
	w, ack, err := Handshake(ctx, o)
	if err != nil {
		return nil, err
	}
	p := &Peer{Wire: w, options: o, ack: ack, calls: map[string]context.CancelFunc{}}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.work.Go(p.serve)
	return p, nil
}

// Handshake is the first part of [Connect]: the caller continues on the Wire.
// It returns the bridge's answer to the hello.
func Handshake(ctx context.Context, o Options) (*Wire, json.RawMessage, error) {
	w, err := o.Open(ctx)
	if err != nil {
		return nil, nil, err
	}
	ack, err := w.handshake(ctx, o)
	if err != nil {
		w.Close()
		return nil, nil, err
	}
	return w, ack, nil
}

// A message is any frame.
type message struct {
	ID     string          `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *Fault          `json:"error,omitempty"`
}

func (w *Wire) handshake(ctx context.Context, o Options) (json.RawMessage, error) {
	var challenge struct{ Nonce string }
	m, err := w.receive(ctx)
	if err != nil {
		return nil, err
	}
	if m.Method != "challenge" || json.Unmarshal(m.Params, &challenge) != nil {
		return nil, errors.New("the first frame is not a challenge")
	}
	nonce := NewNonce()
	hello := Hello("graph")
	maps.Copy(hello, o.Hello)
	hello["nonce"], hello["proof"] = nonce, PluginProof(o.Token, challenge.Nonce, nonce)
	maps.DeleteFunc(hello, func(_ string, v any) bool { return v == nil })
	if err := w.sendJSON(map[string]any{"id": "h1", "method": "hello", "params": hello}); err != nil {
		return nil, err
	}
	if m, err = w.receive(ctx); err != nil {
		return nil, err
	}
	if m.Error != nil {
		_, err := w.Receive(ctx) // the close has the reason
		return nil, errors.Join(m.Error, err)
	}
	var ack struct{ Proof string }
	if json.Unmarshal(m.Result, &ack) != nil || ack.Proof != ServerProof(o.Token, nonce, challenge.Nonce) {
		return nil, errors.New("the server does not have the token")
	}
	return m.Result, nil
}

// Ack returns the bridge's answer to the hello.
func (p *Peer) Ack() json.RawMessage { return p.ack }

// Notify sends a notification.
func (p *Peer) Notify(method string, params any) error {
	return p.sendJSON(map[string]any{"method": method, "params": params})
}

// Notifications lists the methods of the bridge's notifications so far.
func (p *Peer) Notifications() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string{}, p.notifications...)
}

// Wait waits until the bridge has ended the connection and returns how.
func (p *Peer) Wait() *Closed {
	<-p.closed
	p.cancel()
	p.work.Wait()
	return p.reason
}

// Close disconnects politely and waits for the answers in progress.
func (p *Peer) Close() {
	p.cancel()
	p.Wire.Close()
	p.work.Wait()
}

// Cut breaks the connection without a word.
func (p *Peer) Cut() {
	p.cancel()
	p.Wire.Cut()
	p.work.Wait()
}

func (w *Wire) receive(ctx context.Context) (m message, err error) {
	frame, err := w.Receive(ctx)
	if err != nil {
		return m, err
	}
	return m, json.Unmarshal(frame, &m)
}

func (w *Wire) sendJSON(v any) error {
	frame, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return w.Send(frame)
}

func (p *Peer) serve() {
	for {
		m, err := p.receive(p.ctx)
		switch {
		case err != nil:
			p.cancel()
			return
		case m.Method == "ping":
			_ = p.sendJSON(map[string]any{"id": m.ID, "result": map[string]any{}}) // else it ends
		case m.ID != "":
			ctx, cancel := context.WithCancel(p.ctx)
			p.mu.Lock()
			p.calls[m.ID] = cancel
			p.mu.Unlock()
			p.work.Go(func() { p.answer(ctx, m) })
		default:
			p.handleNotification(m)
		}
	}
}

func (p *Peer) handleNotification(m message) {
	var cancel struct{ ID string }
	_ = json.Unmarshal(m.Params, &cancel) // other notifications have no id
	p.mu.Lock()
	defer p.mu.Unlock()
	p.notifications = append(p.notifications, m.Method)
	if stop := p.calls[cancel.ID]; stop != nil && m.Method == "cancel" {
		stop()
	}
}

func (p *Peer) answer(ctx context.Context, m message) {
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.calls[m.ID]()
		delete(p.calls, m.ID)
	}()
	var result any = map[string]any{}
	var err error
	if p.options.Answer != nil {
		result, err = p.options.Answer(ctx, m.Method, m.Params)
	}
	if ctx.Err() != nil {
		return // the bridge no longer waits
	}
	reply := map[string]any{"id": m.ID, "result": result}
	if err != nil {
		fault, ok := errors.AsType[*Fault](err)
		if !ok {
			fault = &Fault{Code: "INTERNAL", Message: err.Error()}
		}
		reply = map[string]any{"id": m.ID, "error": fault}
	}
	_ = p.sendJSON(reply) // else it ends
}

// NewNonce creates a nonce as a plugin does.
func NewNonce() string {
	var bits [16]byte
	_, _ = rand.Read(bits[:]) // never fails (crypto/rand)
	return hex.EncodeToString(bits[:])
}

// PluginProof returns what a plugin proves the token with.
func PluginProof(token loopnet.Token, server, plugin string) string {
	return hex.EncodeToString(token.MAC([]byte("lectern plugin v1\n" + server + "\n" + plugin)))
}

// ServerProof returns what a plugin expects from a bridge that has the token.
func ServerProof(token loopnet.Token, plugin, server string) string {
	return hex.EncodeToString(token.MAC([]byte("lectern server v1\n" + plugin + "\n" + server)))
}
