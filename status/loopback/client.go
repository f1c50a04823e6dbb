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
	"syscall"
	"time"

	"github.com/lectern-mcp/lectern/internal/frame"
	"github.com/lectern-mcp/lectern/status"
)

// Dial returns the Access of the [Handler] that dial connects to. It connects
// for each request and keeps no connection, so there is nothing to close. An
// error of dial is returned as it is.
func Dial(dial func(context.Context) (net.Conn, error)) status.API {
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
	a, err := c.ask(ctx, watchPath, struct{}{})
	if err != nil {
		return nil, err
	}
	newest := make(chan status.Snapshot, 1)
	go func() {
		defer a.close()
		defer close(newest)
		for m, err := a.next(); err == nil && m.Snapshot != nil; m, err = a.next() {
			select {
			case <-newest: // nobody has come for the one before
			default:
			}
			newest <- *m.Snapshot
		}
	}()
	ch := make(chan status.Snapshot)
	go func() {
		defer close(ch)
		var snap status.Snapshot
		var offer chan<- status.Snapshot // nil while the reader has the newest
		for {
			select {
			case s, open := <-newest:
				if !open {
					return
				}
				snap, offer = s, ch
			case offer <- snap:
				offer = nil
			case <-ctx.Done():
				return
			}
		}
	}()
	return ch, nil
}

// Logs implements status.Client. The channel of a reader that takes nothing
// while the hub has many lines for it is closed after half a minute.
func (c client) Logs(ctx context.Context, q status.LogQuery) (<-chan status.Line, error) {
	return follow(ctx, c, logsPath, q, func(m message) *status.Line { return m.Line })
}

// Preview implements status.Client.
func (c client) Preview(ctx context.Context, action status.Action) (status.Plan, error) {
	m, err := c.askOnce(ctx, previewPath, action)
	if err != nil {
		return status.Plan{}, err
	}
	if m.Plan == nil {
		return status.Plan{}, fmt.Errorf("preview %s: the hub answered no plan", action.Verb)
	}
	return *m.Plan, nil
}

// Do implements status.Client.
func (c client) Do(ctx context.Context, action status.Action) error {
	_, err := c.askOnce(ctx, doPath, action)
	return err
}

func (c client) askOnce(ctx context.Context, path string, in any) (message, error) {
	a, err := c.ask(ctx, path, in)
	if err != nil {
		return message{}, err
	}
	defer a.close()
	return a.next()
}

// ask sends a request and returns the answer, of which nothing is read yet.
func (c client) ask(ctx context.Context, path string, in any) (*answer, error) {
	body, err := json.Marshal(in)
	if err != nil {
		return nil, fmt.Errorf("encode request: %w", err)
	}
	asking, cancel := context.WithCancelCause(ctx)
	req, err := http.NewRequestWithContext(asking, http.MethodPost, "http://lectern"+path, bytes.NewReader(body))
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
		return nil, a.why(err)
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

// Read reads the body. Only here does the watchdog run: a reader that takes its
// time is no fault of the hub.
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
		return message{}, a.why(err)
	}
	var m message
	if err := json.Unmarshal(b, &m); err != nil {
		return message{}, fmt.Errorf("read answer of the hub: %w", err)
	}
	return m, m.failure()
}

// refusal returns what an answer that is not OK says.
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
	return fmt.Errorf("the hub answered %s: %s; it may be of another version: run `lectern hub restart`", a.resp.Status, strings.TrimSpace(string(b)))
}

// why returns the reason behind err, without the address that net/http adds:
// there is only one.
func (a *answer) why(err error) error {
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
