package hub

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

const (
	checkEvery = 5 * time.Second
	retryEvery = 30 * time.Second
	openWithin = 30 * time.Second
)

// A source is one entry of the configuration and, while all is well, the
// opened source behind it. One goroutine, keep, opens, checks and closes it.
type source struct {
	hub     *Hub
	conf    Source
	kind    tools.Kind // nil: the configuration names no System of ours
	effects []tools.Effect
	calls   atomic.Uint64
	writes  atomic.Uint64 // of these, calls of tools that may change something

	life  context.Context // ends with the hub or when a Reload drops it
	end   context.CancelFunc
	tried chan struct{} // closed after the first attempt to open
	again chan chan error

	mu    sync.Mutex
	open  *lease       // nil: not open
	why   *tools.Error // why it does not serve; nil: it serves
	state status.State
	since time.Time
	shut  error // what the last Close said
}

// A lease is an opened source that calls hold while they use it, so that it is
// closed only after them.
type lease struct {
	*tools.OpenedSource
	users sync.WaitGroup
}

func (h *Hub) newSource(conf Source) *source {
	s := &source{
		hub: h, conf: conf, kind: h.kinds[conf.Kind], effects: effectsOf(conf),
		tried: make(chan struct{}), again: make(chan chan error),
		state: status.Starting, since: h.now(),
	}
	s.life, s.end = context.WithCancel(h.life)
	return s
}

// effectsOf is what agents may do with a source, in the order of tools.Effects.
func effectsOf(conf Source) []tools.Effect {
	return slices.DeleteFunc(tools.Effects(), func(e tools.Effect) bool {
		switch {
		case conf.ReadOnly:
			return e != tools.Reads
		case conf.Effects == nil:
			return e == tools.Admin
		default:
			return !slices.Contains(conf.Effects, e)
		}
	})
}

func (s *source) grants(e tools.Effect) bool { return slices.Contains(s.effects, e) }

// keep opens the source, looks after it and closes it at the end.
func (s *source) keep() {
	tick := time.NewTicker(checkEvery)
	defer tick.Stop()
	_ = s.reopen()
	last := s.hub.now()
	close(s.tried)
	settled := s.serves() && s.settle()
	for {
		select {
		case <-s.life.Done():
			s.become(status.Stopped, nil)
			s.replace(nil)
			return
		case answer := <-s.again:
			answer <- s.reopen()
			last, settled = s.hub.now(), false
		case <-tick.C:
			err := s.check()
			if err == nil && (!settled || s.loose()) {
				settled = s.settle()
			}
			if err == nil || s.hub.now().Sub(last) < retryEvery-checkEvery/2 { // a tick comes early or late
				continue
			}
			_ = s.reopen()
			last = s.hub.now()
		}
	}
}

// check asks an opened source whether it can serve, and believes it.
func (s *source) check() error {
	s.mu.Lock()
	open, why := s.open, s.why
	s.mu.Unlock()
	if open == nil {
		return why
	}
	ctx, cancel := context.WithTimeout(s.life, checkEvery)
	defer cancel()
	_, err := protected(func() (struct{}, error) { return struct{}{}, open.Check(ctx) })
	if s.life.Err() != nil {
		return nil
	}
	s.became(err)
	return err
}

// reopen opens the source anew. The former one stays in use until then, and
// for good if that fails.
func (s *source) reopen() error {
	if s.kind == nil {
		err := tools.Errorf(tools.Invalid, "kind: no System is named %q", s.conf.Kind)
		s.became(err)
		return err
	}
	ctx, cancel := context.WithTimeout(s.life, openWithin)
	defer cancel()
	opened, err := protected(func() (*tools.OpenedSource, error) {
		peer, err := s.hub.peerFor(s.kind, s.conf)
		if err != nil {
			return nil, err
		}
		return s.kind.Open(ctx, s.conf.Options, tools.Env{
			Name:            s.conf.Name,
			Log:             s.hub.log.With("part", s.conf.Name),
			Now:             s.hub.now,
			Peer:            peer,
			Privacy:         s.conf.Privacy,
			ResourceChanged: s.resourceChanged,
		})
	})
	switch {
	case s.life.Err() != nil && err == nil:
		return opened.Close()
	case err != nil:
		s.became(err)
		return err
	}
	s.replace(&lease{OpenedSource: opened})
	s.became(nil)
	return nil
}

// resourceChanged tells those subscribers of uri who could read it from s.
func (s *source) resourceChanged(uri string) {
	s.hub.mcp.ResourceChanged(uri, func(scope string, who policy.Client) bool {
		cache, _ := s.hub.toolsets(scope)
		v := cache.of(who)
		return v.covers(s) && v.may(s, tools.Reads) && s.hub.mayRead(who, s, "resources/read", uri) == nil
	})
}

func (s *source) reopenNow(ctx context.Context) error {
	answer := make(chan error, 1)
	select {
	case s.again <- answer:
	case <-s.life.Done():
		return fmt.Errorf("reopen source: %s is closed", s.conf.Name)
	case <-ctx.Done():
		return fmt.Errorf("reopen source: %w", ctx.Err())
	}
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		return fmt.Errorf("reopen source: %w", ctx.Err())
	}
}

// replace puts another opened source in place and closes the former when its
// last call has ended, but waits no longer than the grace.
func (s *source) replace(next *lease) {
	s.mu.Lock()
	former := s.open
	s.open = next
	s.mu.Unlock()
	if former == nil {
		return
	}
	idle := make(chan struct{})
	go func() { former.users.Wait(); close(idle) }()
	grace := time.NewTimer(s.hub.limits.Grace)
	defer grace.Stop()
	select {
	case <-idle:
	case <-grace.C:
	}
	_, err := protected(func() (struct{}, error) { return struct{}{}, former.Close() })
	if err != nil {
		s.hub.log.Warn("close source", "part", s.conf.Name, "err", err)
	}
	s.mu.Lock()
	s.shut = err
	s.mu.Unlock()
}

func (s *source) closed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shut
}

// acquire lends the opened source until done is called. It waits for a first
// attempt to open that is still under way.
func (s *source) acquire(ctx context.Context) (open *lease, done func(), err error) {
	select {
	case <-s.tried:
	case <-s.life.Done():
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.life.Err() != nil || s.open == nil && s.why == nil:
		return nil, nil, tools.Errorf(tools.Unavailable, "source %s is closed", s.conf.Name)
	case s.why != nil:
		e := *s.why
		e.Code, e.SpecCode = tools.Unavailable, ""
		e.Message = fmt.Sprintf("source %s cannot serve now: %s", s.conf.Name, s.why.Message)
		return nil, nil, &e
	}
	s.open.users.Add(1)
	return s.open, s.open.users.Done, nil
}

// protected runs f and turns a panic into an error that carries the stack.
func protected[T any](f func() (T, error)) (v T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &panicError{value: p, stack: debug.Stack()}
		}
	}()
	return f()
}

// A panicError reaches the log with its stack and an agent as Internal.
type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v", e.value) }

// stackOf is the stack of the panic behind err, if there was one.
func stackOf(err error) string {
	if p, ok := errors.AsType[*panicError](err); ok {
		return string(p.stack)
	}
	return ""
}
