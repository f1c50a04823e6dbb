package hub

import (
	"context"
	"fmt"
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

// A source is one entry of the configuration with the opened source behind it,
// if it could be opened. One goroutine, maintain, opens, checks and closes it.
type source struct {
	hub     *Hub
	conf    Source
	kind    tools.Kind // nil: the configuration names an unknown System
	effects []tools.Effect
	calls   atomic.Uint64
	writes  atomic.Uint64 // of these, calls of tools that may change something

	life           context.Context // ends with the hub or when a Reload drops it
	end            context.CancelFunc
	firstAttempt   chan struct{} // closed after the first attempt to open
	reopenRequests chan chan error

	mu       sync.Mutex
	open     *sourceRef   // nil: not open
	failure  *tools.Error // why it does not serve; nil: it serves
	state    status.State
	since    time.Time
	closeErr error // of the last Close
}

// A sourceRef is an opened source with a count of the calls that use it: it is
// closed when the last of them has ended.
type sourceRef struct {
	*tools.OpenedSource
	users sync.WaitGroup
}

func (h *Hub) newSource(conf Source) *source {
	s := &source{
		hub: h, conf: conf, kind: h.kinds[conf.Kind], effects: grantedEffects(conf),
		firstAttempt: make(chan struct{}), reopenRequests: make(chan chan error),
		state: status.Starting, since: h.now(),
	}
	s.life, s.end = context.WithCancel(h.life)
	return s
}

// grantedEffects is what agents may do with a source, in the order of
// tools.Effects.
func grantedEffects(conf Source) []tools.Effect {
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

// maintain opens the source, checks and reopens it, and closes it at the end.
func (s *source) maintain() {
	tick := time.NewTicker(checkEvery)
	defer tick.Stop()
	_ = s.reopen()
	last := s.hub.now()
	close(s.firstAttempt)
	recovered := s.serves() && s.recoverWrites()
	for {
		select {
		case <-s.life.Done():
			s.setState(status.Stopped, nil)
			s.replace(nil)
			return
		case answer := <-s.reopenRequests:
			answer <- s.reopen()
			last, recovered = s.hub.now(), false
		case <-tick.C:
			err := s.check()
			if err == nil && (!recovered || s.needsRecovery()) {
				recovered = s.recoverWrites()
			}
			if err == nil || s.hub.now().Sub(last) < retryEvery-checkEvery/2 { // a tick comes early or late
				continue
			}
			_ = s.reopen()
			last = s.hub.now()
		}
	}
}

// check asks an opened source whether it can serve.
func (s *source) check() error {
	s.mu.Lock()
	open, failure := s.open, s.failure
	s.mu.Unlock()
	if open == nil {
		return failure
	}
	ctx, cancel := context.WithTimeout(s.life, checkEvery)
	defer cancel()
	_, err := catchPanic(func() (struct{}, error) { return struct{}{}, open.Check(ctx) })
	if s.life.Err() != nil {
		return nil
	}
	s.setOutcome(err)
	return err
}

// reopen opens the source again. The former one stays in use until then, and
// stays if that fails.
func (s *source) reopen() error {
	if s.kind == nil {
		err := tools.Errorf(tools.Invalid, "kind: unknown System %q", s.conf.Kind)
		s.setOutcome(err)
		return err
	}
	ctx, cancel := context.WithTimeout(s.life, openWithin)
	defer cancel()
	opened, err := catchPanic(func() (*tools.OpenedSource, error) {
		peer, err := s.hub.openPeer(s.kind, s.conf)
		if err != nil {
			return nil, err
		}
		return s.kind.Open(ctx, s.conf.Options, tools.Env{
			Name:            s.conf.Name,
			Log:             s.hub.log.With("part", s.conf.Name),
			Now:             s.hub.now,
			Peer:            peer,
			Privacy:         s.conf.Privacy,
			Reveal:          s.hub.reveal,
			ResourceChanged: s.resourceChanged,
		})
	})
	switch {
	case s.life.Err() != nil && err == nil:
		return opened.Close()
	case err != nil:
		s.setOutcome(err)
		return err
	}
	s.replace(&sourceRef{OpenedSource: opened})
	s.setOutcome(nil)
	return nil
}

// resourceChanged tells those subscribers of uri who could read it from s.
func (s *source) resourceChanged(uri string) {
	s.hub.mcp.ResourceChanged(uri, func(scope string, who policy.Client) bool {
		cache, _ := s.hub.toolsets(scope)
		v := cache.forClient(who)
		return v.covers(s) && v.granted(s, tools.Reads) && s.hub.checkRead(who, s, "resources/read", uri) == nil
	})
}

func (s *source) requestReopen(ctx context.Context) error {
	answer := make(chan error, 1)
	select {
	case s.reopenRequests <- answer:
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

// replace installs another opened source and closes the former when its last
// call has ended, or after the grace.
func (s *source) replace(next *sourceRef) {
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
	_, err := catchPanic(func() (struct{}, error) { return struct{}{}, former.Close() })
	if err != nil {
		s.hub.log.Warn("close source", "part", s.conf.Name, "err", err)
	}
	s.mu.Lock()
	s.closeErr = err
	s.mu.Unlock()
}

func (s *source) lastCloseError() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closeErr
}

// acquire returns the opened source, which stays open until release is called.
// It waits for a first attempt to open that is still under way.
func (s *source) acquire(ctx context.Context) (open *sourceRef, release func(), err error) {
	select {
	case <-s.firstAttempt:
	case <-s.life.Done():
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.life.Err() != nil || s.open == nil && s.failure == nil:
		return nil, nil, tools.Errorf(tools.Unavailable, "source %s is closed", s.conf.Name)
	case s.failure != nil:
		e := *s.failure
		e.Code, e.SpecCode = tools.Unavailable, ""
		e.Message = fmt.Sprintf("source %s cannot serve now: %s", s.conf.Name, s.failure.Message)
		return nil, nil, &e
	}
	s.open.users.Add(1)
	return s.open, s.open.users.Done, nil
}

// serves reports whether the source is open and well.
func (s *source) serves() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open != nil && s.failure == nil
}
