// Package statustest has a status.Client for tests, [Fake], and the suite that
// every status.Client passes, [Run].
//
// It is not a mock: a Fake keeps the promises of the interface, and passes the
// suite itself. Tests of the panel, of cmd and of the other Clients import it.
package statustest

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/status"
)

// LinesKept is how many lines and calls a Fake keeps. In [Run] the Client under test
// keeps as many.
const LinesKept = 100

// Fake is a status.Client that a test fills. The zero value is ready: it has an
// empty snapshot, no lines and no calls. It is safe for concurrent use.
type Fake struct {
	mu    sync.Mutex
	wake  chan struct{} // closed and set to nil at the next change; nil: nothing waits
	ended int           // how often End was called

	snap  status.Snapshot
	sets  int // how often Set was called
	lines feed[status.Line]
	calls feed[status.Call]
	plan  status.Plan
	err   error

	answers   map[string][]json.RawMessage // by query
	requests  []status.Request
	previewed []status.Action
	did       []status.Action

	onSet  func(status.Snapshot)
	onLine func(status.Line)
	onCall func(status.Call)
}

// Set makes snap the current snapshot. A Seq of 0 counts on from the one before.
func (f *Fake) Set(snap status.Snapshot) {
	snap = clone(snap)
	f.mu.Lock()
	defer f.mu.Unlock()
	if snap.Seq == 0 {
		snap.Seq = f.snap.Seq + 1
	}
	f.snap = snap
	f.sets++
	f.changed()
	if f.onSet != nil {
		f.onSet(clone(snap))
	}
}

// AddLine adds l to the log and returns its Seq, which AddLine sets. Without a
// Level it is Info, without a Time one second after the line before.
func (f *Fake) AddLine(l status.Line) uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	if l.Level == "" {
		l.Level = status.Info
	}
	l = f.lines.add(l, lineFields)
	f.changed()
	if f.onLine != nil {
		f.onLine(l)
	}
	return l.Seq
}

// AddCall adds a call and returns its Seq, which AddCall sets. Without a Time it
// is one second after the call before.
func (f *Fake) AddCall(c status.Call) uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	c = f.calls.add(c, callFields)
	f.changed()
	if f.onCall != nil {
		f.onCall(c)
	}
	return c.Seq
}

// SetAnswer makes out the answer to q, whatever the input. Without it a Fake
// answers the zero value.
func SetAnswer[In, Out any](f *Fake, q status.Query[In, Out], out Out) {
	f.setAnswers(q.Name, mustMarshal(out))
}

// SetStream makes outs the answers to s, whatever the input. Without it a Fake
// has what AddLine and AddCall added, and no answers to other streams.
func SetStream[In, Out any](f *Fake, s status.Stream[In, Out], outs ...Out) {
	values := []json.RawMessage{}
	for _, out := range outs {
		values = append(values, mustMarshal(out))
	}
	f.setAnswers(s.Name, values...)
}

func (f *Fake) setAnswers(query string, values ...json.RawMessage) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.answers == nil {
		f.answers = map[string][]json.RawMessage{}
	}
	f.answers[query] = values
}

// SetPlan makes p the answer of Preview.
func (f *Fake) SetPlan(p status.Plan) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.plan = p
}

// SetErr makes every method of the interface return err, until it is nil again.
func (f *Fake) SetErr(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = err
}

// Actions returns the actions that Do was called with, failed ones too.
func (f *Fake) Actions() []status.Action {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.did)
}

// Previewed returns the actions that Preview was called with.
func (f *Fake) Previewed() []status.Action {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.previewed)
}

// Requests returns the requests that Query was called with, failed ones too.
func (f *Fake) Requests() []status.Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.requests)
}

// End closes every channel handed out so far, as when the hub is gone. Asking
// again works, as when it is back.
func (f *Fake) End() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended++
	f.changed()
}

// Tee has set and line called with everything that Set and AddLine add from now
// on, before they return. It fills a Client in [Run] that has a store of its
// own, rather than another Client behind it.
func (f *Fake) Tee(set func(status.Snapshot), line func(status.Line)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.onSet, f.onLine = set, line
}

// Watch implements status.Client.
func (f *Fake) Watch(ctx context.Context) (<-chan status.Snapshot, error) {
	f.mu.Lock()
	ended, err := f.ended, f.err
	f.mu.Unlock()
	if err != nil {
		return nil, err
	}
	ch := make(chan status.Snapshot, 1)
	go f.watch(ctx, ended, ch)
	return ch, nil
}

func (f *Fake) watch(ctx context.Context, ended int, ch chan status.Snapshot) {
	defer close(ch)
	sent := -1 // the Set that the reader has
	for ctx.Err() == nil {
		f.mu.Lock()
		snap, sets, wake, over := clone(f.snap), f.sets, f.wait(), f.ended != ended
		f.mu.Unlock()
		if over {
			return
		}
		if sent != sets {
			status.Offer(ch, snap)
			sent = sets
		}
		select {
		case <-wake:
		case <-ctx.Done():
		}
	}
}

// Query implements status.Client.
func (f *Fake) Query(ctx context.Context, r status.Request) (<-chan status.Response, error) {
	f.mu.Lock()
	f.requests = append(f.requests, r)
	err := f.err
	values, set := f.answers[r.Query]
	f.mu.Unlock()
	queries := status.Queries()
	i := slices.IndexFunc(queries, func(q status.QueryInfo) bool { return q.Name == r.Query })
	switch {
	case err != nil:
		return nil, err
	case !set && i >= 0 && !queries[i].Stream:
		values = []json.RawMessage{mustMarshal(queries[i].Out)}
	case !set:
		return status.Router{Queries: f.feeds()}.Query(ctx, r)
	}
	ch := make(chan status.Response)
	go func() {
		defer close(ch)
		for _, v := range values {
			if !sendAll(ctx, ch, []status.Response{{Value: v}}) {
				return
			}
		}
	}()
	return ch, nil
}

// feeds answers the streams, which are empty except for lines and calls.
func (f *Fake) feeds() status.QueryHandlers {
	handlers := status.QueryHandlers{}
	for _, q := range status.Queries() {
		handlers[q.Name] = func(context.Context, json.RawMessage) (<-chan status.Response, error) {
			none := make(chan status.Response)
			close(none)
			return none, nil
		}
	}
	status.HandleStream(handlers, status.LogsQuery, func(ctx context.Context, q status.LogFilter) (<-chan status.Line, error) {
		return read(ctx, f, &f.lines, lineFields, position{q.After, q.Last, q.Follow}, func(l status.Line) bool {
			return severity(l.Level) >= severity(q.Level) && (q.Component == "" || l.Component == q.Component)
		}), nil
	})
	status.HandleStream(handlers, status.CallsQuery, func(ctx context.Context, q status.CallFilter) (<-chan status.Call, error) {
		return read(ctx, f, &f.calls, callFields, position{after: q.After, follow: q.Follow}, func(status.Call) bool { return true }), nil
	})
	return handlers
}

// severity is the rank of l; no level means Info.
func severity(l status.Level) int {
	if l == "" {
		l = status.Info
	}
	return slices.Index([]status.Level{status.Debug, status.Info, status.Warn, status.Fail}, l)
}

// Preview implements status.Client.
func (f *Fake) Preview(_ context.Context, a status.Action) (status.Plan, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.previewed = append(f.previewed, a)
	return f.plan, f.err
}

// Do implements status.Client.
func (f *Fake) Do(_ context.Context, a status.Action) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.did = append(f.did, a)
	return f.err
}

// wait returns a channel that the next change closes. The lock is held.
func (f *Fake) wait() <-chan struct{} {
	if f.wake == nil {
		f.wake = make(chan struct{})
	}
	return f.wake
}

// changed wakes everything that waits. The lock is held.
func (f *Fake) changed() {
	if f.wake != nil {
		close(f.wake)
		f.wake = nil
	}
}

// clone copies s by its JSON, which also proves that it survives a wire.
func clone(s status.Snapshot) status.Snapshot {
	var c status.Snapshot
	if err := json.Unmarshal(mustMarshal(s), &c); err != nil {
		panic("statustest: a snapshot that does not survive JSON: " + err.Error())
	}
	return c
}

func mustMarshal(v any) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic("statustest: no JSON: " + err.Error())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// A feed numbers values and keeps the newest.
type feed[T any] struct {
	kept []T
	last uint64 // Seq of the newest
}

// fields are those that all values of feeds have.
type fields struct {
	seq, missed *uint64
	time        *time.Time
}

func lineFields(l *status.Line) fields { return fields{&l.Seq, &l.Missed, &l.Time} }
func callFields(c *status.Call) fields { return fields{&c.Seq, &c.Missed, &c.Time} }

func (f *feed[T]) add(v T, of func(*T) fields) T {
	f.last++
	has := of(&v)
	*has.seq, *has.missed = f.last, 0
	if has.time.IsZero() {
		*has.time = time.Date(2026, 1, 2, 15, 0, 0, 0, time.UTC).Add(time.Duration(f.last) * time.Second)
	}
	f.kept = append(f.kept, v)
	f.kept = slices.Clone(f.kept[max(0, len(f.kept)-LinesKept):])
	return v
}

// after returns the kept values that follow number seq and match.
func (f *feed[T]) after(seq uint64, of func(*T) fields, match func(T) bool) []T {
	var missed uint64
	if oldest := f.last - uint64(len(f.kept)) + 1; seq > 0 && seq+1 < oldest {
		missed = oldest - seq - 1
	}
	var found []T
	for _, v := range f.kept {
		if has := of(&v); *has.seq > seq && match(v) {
			*has.missed, missed = missed, 0
			found = append(found, v)
		}
	}
	return found
}

// position is where a reader of a feed begins, and whether it goes on.
type position struct {
	after  uint64
	last   int
	follow bool
}

// read delivers the values of a feed that match.
func read[T any](ctx context.Context, f *Fake, from *feed[T], of func(*T) fields, at position, match func(T) bool) <-chan T {
	f.mu.Lock()
	defer f.mu.Unlock()
	if at.after > from.last {
		at.after = 0 // a number of another hub
	}
	if all := from.after(at.after, of, match); at.last > 0 && len(all) > at.last {
		at.after = *of(&all[len(all)-at.last-1]).seq
	}
	ch, ended := make(chan T), f.ended
	go func() {
		defer close(ch)
		for {
			f.mu.Lock()
			found, wake, over := from.after(at.after, of, match), f.wait(), f.ended != ended
			at.after = from.last
			f.mu.Unlock()
			if over {
				return
			}
			if !sendAll(ctx, ch, found) || !at.follow {
				return
			}
			select {
			case <-wake:
			case <-ctx.Done():
				return
			}
		}
	}()
	return ch
}

// sendAll sends values to ch, and reports false if ctx ended before.
func sendAll[T any](ctx context.Context, ch chan<- T, values []T) bool {
	for _, v := range values {
		select {
		case ch <- v:
		case <-ctx.Done():
			return false
		}
	}
	return true
}
