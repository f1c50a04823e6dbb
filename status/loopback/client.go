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
	req, err := http.NewRequestWithContext(asking, http.MethodPost, "http://lectern"+pathPrefix+url.PathEscape(r.Query), bytes.NewReader(r.Input))
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
	return fmt.Errorf("the hub answered %s: %s; it may be of another version: run `lectern hub restart`", a.resp.Status, strings.TrimSpace(string(b)))
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
