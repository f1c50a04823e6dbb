package hub

import (
	"context"
	"fmt"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

const (
	healthCheckInterval = 5 * time.Second
	openTimeout         = 30 * time.Second
	// A source that does not open is tried at every check for a minute, then
	// every openRetryInterval; one that is open and cannot serve is opened again every
	// openRetryInterval.
	openRetryInterval = 30 * time.Second
	maxQuickRetries   = 12
)

// runLifecycle opens the source, checks and reopens it, and closes it at the end.
func (s *source) runLifecycle() {
	defer close(s.closed)
	if s.former != nil {
		<-s.former.closed
		s.former = nil
	}
	tick := time.NewTicker(healthCheckInterval)
	defer tick.Stop()
	_ = s.reopen()
	last, attempts := s.hub.now(), 1
	close(s.firstAttempt)
	for {
		select {
		case <-s.life.Done():
			s.setState(status.Stopped, nil)
			s.close()
			return
		case answer := <-s.reopenRequests:
			answer <- s.reopen()
			last, attempts = s.hub.now(), 1
		case <-tick.C:
			err := s.checkHealth()
			if err == nil {
				if attempts = 0; !s.recovered || s.needsRecovery() {
					s.recovered = s.recoverWrites(s.openedRef())
				}
				continue
			}
			quick := !s.isOpen() && attempts <= maxQuickRetries
			if !quick && s.hub.now().Sub(last) < openRetryInterval-healthCheckInterval/2 { // a tick comes early or late
				continue
			}
			_ = s.reopen()
			last = s.hub.now()
			attempts++
		}
	}
}

// checkHealth asks an opened source whether it can serve.
func (s *source) checkHealth() error {
	s.mu.Lock()
	open, failure := s.open, s.failure
	s.mu.Unlock()
	if open == nil {
		return failure
	}
	ctx, cancel := context.WithTimeout(s.life, healthCheckInterval)
	defer cancel()
	_, err := catchPanic(func() (struct{}, error) { return struct{}{}, open.Check(ctx) })
	if s.life.Err() != nil {
		return nil
	}
	s.setHealth(err)
	return err
}

// reopen closes the opened source, if there is one, and opens it again.
func (s *source) reopen() error {
	if s.kind == nil {
		err := tools.Errorf(tools.Invalid, "kind: unknown System %q", s.conf.Kind)
		s.setHealth(err)
		return err
	}
	done := make(chan struct{})
	s.mu.Lock()
	s.reopened = done
	s.mu.Unlock()
	s.close()
	ref, err := s.openSource()
	s.recovered = err == nil && s.recoverWrites(ref) // before calls find half of a write
	s.mu.Lock()
	s.open, s.reopened = ref, nil
	s.mu.Unlock()
	if s.life.Err() == nil {
		s.setHealth(err)
	}
	close(done)
	return err
}

// openSource opens the source and starts its background work.
func (s *source) openSource() (*sourceRef, error) {
	ctx, cancel := context.WithTimeout(s.life, openTimeout)
	defer cancel()
	report := newReporter(s)
	opened, err := catchPanic(func() (*tools.OpenedSource, error) {
		env, err := s.newToolsEnv(report)
		if err != nil {
			return nil, err
		}
		return s.kind.Open(ctx, s.conf.Options, env)
	})
	if err != nil {
		report.close()
		return nil, err
	}
	run, end := context.WithCancel(s.life)
	ref := &sourceRef{OpenedSource: opened, report: report, endRun: end}
	if r, ok := tools.As[tools.Runner](opened); ok {
		ref.background.Go(func() { s.runBackground(run, r, report) })
	}
	if _, ok := tools.As[tools.HiddenPageCounter](opened); ok && s.conf.Privacy.Any() {
		ref.background.Go(func() {
			if _, err := ref.countHiddenPages(run); err != nil && run.Err() == nil {
				s.hub.log.Warn("cannot count what is hidden", "component", s.conf.Name, "err", err)
			}
		})
	}
	return ref, nil
}

func (s *source) newToolsEnv(report *reporter) (tools.Env, error) {
	peer, err := peerForSource(s.hub.bridge, s.kind, s.conf)
	if err != nil {
		return tools.Env{}, err
	}
	env := tools.Env{
		Name:            s.conf.Name,
		Log:             s.hub.log.With("component", s.conf.Name),
		Now:             s.hub.now,
		Version:         s.hub.version,
		Peer:            peer,
		Privacy:         s.conf.Privacy,
		Reveal:          s.hub.reveal,
		Getenv:          s.hub.getenv,
		ResourceChanged: s.notifyResourceChanged,
		Subscribed:      s.hub.mcp.SubscribedURIs,
		Calls:           sourceClientCaller{s},
		Report:          report,
	}
	if s.kind.Manifest().Folders && s.hub.folders != nil {
		env.Cache, env.Data, err = s.hub.folders(s.conf.Kind, s.conf.Name)
	}
	return env, err
}

func (s *source) requestReopenAndWait(ctx context.Context) error {
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

// close ends the background work and closes the opened source when its last call
// has ended, or after the grace. It does not return before Run has: the next
// source of the name must not run beside it. Only a hub that ends does not wait.
func (s *source) close() {
	s.mu.Lock()
	ref := s.open
	s.open = nil
	s.mu.Unlock()
	if ref == nil {
		return
	}
	ref.endRun()
	ended := make(chan struct{})
	go func() { ref.background.Wait(); close(ended) }()
	idle := make(chan struct{})
	go func() { ref.users.Wait(); <-ended; close(idle) }()
	grace := time.NewTimer(s.hub.limits.Grace)
	defer grace.Stop()
	select {
	case <-idle:
	case <-grace.C:
	}
	ref.report.close()
	_, err := catchPanic(func() (struct{}, error) { return struct{}{}, ref.Close() })
	if err != nil {
		s.hub.log.Warn("close source", "component", s.conf.Name, "err", err)
	}
	s.mu.Lock()
	s.closeErr = err
	s.mu.Unlock()
	select {
	case <-ended:
	case <-s.hub.life.Done():
	}
}

func (s *source) lastCloseError() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closeErr
}

func (s *source) isOpen() bool { return s.openedRef() != nil }

// openedRef is only for runLifecycle, which closes it.
func (s *source) openedRef() *sourceRef {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open
}
