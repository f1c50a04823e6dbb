// Package loopback carries a status.Client over HTTP on a control socket. Both
// ends are here, [Handler] and [Dial], so no other package knows the wire.
//
// It neither listens nor decides who may connect: internal/loopnet does. The
// hub process serves the Handler; programs that look at a hub from another
// process dial.
//
// The wire: POST /v1/QUERY with the input as JSON; the answer is a stream of JSON
// messages, one a line. Either side may be of another build, so a reader ignores
// fields that it does not know in an answer, while status.HandleQuery refuses
// them in a request: the hub must not do half of what was asked.
package loopback

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/lectern-mcp/lectern/internal/frame"
	"github.com/lectern-mcp/lectern/status"
)

// The hub writes an empty line every beat while it has nothing else to send. A
// peer that neither sends nor takes anything for the length of silence is given
// up.
const (
	beat    = 10 * time.Second
	silence = 25 * time.Second
)

// Limits in bytes: a request, which may hold the arguments of a tool, and one
// message of an answer.
const (
	maxRequest = 4<<20 + 4<<10
	maxMessage = 4 << 20
)

const pathPrefix = "/v1/"

// The other methods of status.Client travel as queries too.
var (
	watchQuery   = status.Stream[struct{}, status.Snapshot]{Name: "watch"}
	previewQuery = status.Query[status.Action, status.Plan]{Name: "preview"}
	doQuery      = status.Query[status.Action, struct{}]{Name: "do"}
)

// ErrGone says that the hub went away before it had answered: what was asked of
// it may have been done or not.
var ErrGone = errors.New("the hub went away before it answered")

// errSilent is the cause when a peer is given up.
var errSilent = errors.New("the hub has been silent for " + silence.String())

// message is one line of an answer; one of its fields is set.
type message struct {
	Value   json.RawMessage   `json:"value,omitempty"`
	Refused *status.CallError `json:"refused,omitempty"`
	Error   string            `json:"error,omitempty"`
	Done    bool              `json:"done,omitempty"` // nothing follows
}

// failure is the error that m is, or nil.
func (m message) failure() error {
	switch {
	case m.Refused != nil:
		return m.Refused
	case m.Error != "":
		return errors.New(m.Error)
	}
	return nil
}

// Dial returns a Client of the [Handler] that dial connects to. It connects for
// each request and keeps no connection, so there is nothing to close. An error
// of dial is returned as it is.
func Dial(dial func(context.Context) (net.Conn, error)) status.Client {
	return client{&http.Client{Transport: &http.Transport{
		DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) },
		DisableKeepAlives: true, // a hub that was replaced must not be asked again
	}}}
}

type client struct {
	http *http.Client
}

// Watch implements status.Client. It reads ahead of a slow reader, so that the
// hub is not held up and the reader gets the newest snapshot.
func (c client) Watch(ctx context.Context) (<-chan status.Snapshot, error) {
	snaps, err := status.Open(ctx, c, watchQuery, struct{}{})
	if err != nil {
		return nil, err
	}
	newest := make(chan status.Snapshot, 1)
	go func() {
		defer close(newest)
		for s := range snaps {
			status.Offer(newest, s)
		}
	}()
	return newest, nil
}

// Preview implements status.Client.
func (c client) Preview(ctx context.Context, a status.Action) (status.Plan, error) {
	return status.Ask(ctx, c, previewQuery, a)
}

// Do implements status.Client.
func (c client) Do(ctx context.Context, a status.Action) error {
	_, err := status.Ask(ctx, c, doQuery, a)
	return err
}

// Query implements status.Client. The hub ends the answers to a reader that takes
// none for half a minute while it has many.
func (c client) Query(ctx context.Context, r status.Request) (<-chan status.Response, error) {
	a, err := c.send(ctx, r)
	if err != nil {
		return nil, err
	}
	ch := make(chan status.Response)
	go func() {
		defer close(ch)
		defer a.close()
		for {
			m, err := a.next()
			if err == nil && m.Done {
				return
			}
			select {
			case ch <- status.Response{Value: m.Value, Err: err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	return ch, nil
}

// send sends a request and returns the answer, of which nothing is read yet.
func (c client) send(ctx context.Context, r status.Request) (*answer, error) {
	asking, cancel := context.WithCancelCause(ctx)
	req, err := http.NewRequestWithContext(asking, http.MethodPost, "http://lectern"+pathPrefix+url.PathEscape(r.Query),
		bytes.NewReader(r.Input))
	if err != nil {
		cancel(nil)
		return nil, fmt.Errorf("make request: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	a := &answer{ctx: asking, cancel: cancel, watchdog: time.AfterFunc(silence, func() { cancel(errSilent) })}
	a.resp, err = c.http.Do(req) //nolint:bodyclose // answer.close closes it
	a.watchdog.Stop()
	if err != nil {
		cancel(nil)
		return nil, a.reason(err)
	}
	a.frames = frame.NewReader(a, maxMessage)
	if a.resp.StatusCode != http.StatusOK {
		defer a.close()
		return nil, a.refusal()
	}
	return a, nil
}

// answer reads the messages that the hub answers with.
type answer struct {
	ctx      context.Context //nolint:containedctx // an answer lives as long as its request
	cancel   context.CancelCauseFunc
	watchdog *time.Timer
	resp     *http.Response
	frames   *frame.Reader
}

// Read reads the body. The watchdog runs only here: a reader that takes its time
// is not the hub's fault.
func (a *answer) Read(p []byte) (int, error) {
	a.watchdog.Reset(silence)
	defer a.watchdog.Stop()
	return a.resp.Body.Read(p)
}

func (a *answer) close() {
	a.cancel(nil)
	_ = a.resp.Body.Close() // it was only read
}

// next returns the next message. One that is an error comes as an error.
func (a *answer) next() (message, error) {
	b, err := a.frames.Next()
	if err != nil {
		return message{}, a.reason(err)
	}
	var m message
	if err := json.Unmarshal(b, &m); err != nil {
		return message{}, fmt.Errorf("read answer of the hub: %w", err)
	}
	return m, m.failure()
}

// refusal returns the error in an answer whose status is not OK.
func (a *answer) refusal() error {
	b, err := a.frames.Next()
	if err != nil {
		return fmt.Errorf("the hub answered %s", a.resp.Status)
	}
	var m message
	if json.Unmarshal(b, &m) == nil {
		if err := m.failure(); err != nil {
			return err
		}
	}
	return fmt.Errorf("the hub answered %s: %s; it may be of another version: run `lectern hub restart`", a.resp.Status,
		strings.TrimSpace(string(b)))
}

// reason returns the cause of err, without the address that net/http adds.
func (a *answer) reason(err error) error {
	if cause := context.Cause(a.ctx); errors.Is(cause, errSilent) {
		return cause
	}
	if outer, ok := errors.AsType[*url.Error](err); ok {
		err = outer.Err
	}
	for _, gone := range []error{io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(err, gone) {
			return ErrGone
		}
	}
	return err
}

// Handler serves c. It answers requests until their peers are gone; a server
// that shuts down ends them by closing their connections.
func Handler(c status.Client) http.Handler {
	queries := status.QueryHandlers{}
	status.HandleStream(queries, watchQuery, func(ctx context.Context, _ struct{}) (<-chan status.Snapshot, error) { return c.Watch(ctx) })
	status.HandleQuery(queries, previewQuery, c.Preview)
	status.HandleQuery(queries, doQuery, func(ctx context.Context, a status.Action) (struct{}, error) { return struct{}{}, c.Do(ctx, a) })
	router := status.Router{Client: c, Queries: queries}
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+pathPrefix+"{query}", func(w http.ResponseWriter, r *http.Request) {
		out := &stream{w: w, control: http.NewResponseController(w)}
		input, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
		if err != nil {
			out.fail(fmt.Errorf("read request: %w", err))
			return
		}
		stop := out.keepAlive()
		defer stop()
		if err := out.answer(r.Context(), router, status.Request{Query: r.PathValue("query"), Input: input}); err != nil {
			out.fail(err)
		}
	})
	return mux
}

// errPeer is for a peer that does not take what is sent.
var errPeer = errors.New("write answer")

// answer sends the answers of c to req.
func (s *stream) answer(ctx context.Context, c status.Client, req status.Request) error {
	responses, err := c.Query(ctx, req)
	if err != nil {
		return err
	}
	if err := s.write([]byte("\n")); err != nil { // the peer learns at once that it may read
		return err
	}
	for r := range responses {
		if r.Err != nil {
			return r.Err
		}
		if err := s.send(message{Value: r.Value}); err != nil {
			return err
		}
	}
	return s.send(message{Done: true})
}

// stream writes messages, and beats in between.
type stream struct {
	mu      sync.Mutex
	w       http.ResponseWriter
	control *http.ResponseController
	begun   bool // the status line is out
}

func (s *stream) send(m message) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(m); err != nil {
		return fmt.Errorf("encode answer: %w", err)
	}
	return s.write(b.Bytes())
}

func (s *stream) write(b []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.writeLocked(b)
}

func (s *stream) writeLocked(b []byte) error {
	if !s.begun {
		s.w.Header().Set("Content-Type", "application/x-ndjson")
		s.begun = true
	}
	_ = s.control.SetWriteDeadline(time.Now().Add(silence)) // where it cannot, writing waits
	if _, err := s.w.Write(b); err != nil {
		return errors.Join(errPeer, err)
	}
	if err := s.control.Flush(); err != nil {
		return errors.Join(errPeer, err)
	}
	return nil
}

// fail sends err to the peer, as the status of the response if that is still open.
func (s *stream) fail(err error) {
	if errors.Is(err, errPeer) {
		return
	}
	m := message{Error: err.Error()}
	if refused, ok := errors.AsType[*status.CallError](err); ok {
		m = message{Refused: refused}
	}
	b, encErr := json.Marshal(m)
	if encErr != nil {
		return // cannot be: a string has a JSON form
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.begun {
		s.w.Header().Set("Content-Type", "application/x-ndjson")
		s.w.WriteHeader(http.StatusConflict)
		s.begun = true
	}
	_ = s.writeLocked(append(b, '\n')) // a peer that is gone does not want it
}

// keepAlive beats until stop is called, or the peer takes no more. Then net/http
// ends the context of the request.
func (s *stream) keepAlive() (stop func()) {
	quit := make(chan struct{})
	var beating sync.WaitGroup
	beating.Go(func() {
		tick := time.NewTicker(beat)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if !s.mu.TryLock() {
					continue // something is being written, which is as good
				}
				err := s.writeLocked([]byte("\n"))
				s.mu.Unlock()
				if err != nil {
					return
				}
			case <-quit:
				return
			}
		}
	})
	return func() {
		close(quit)
		beating.Wait()
	}
}
