package hub

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"sync"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// SourceCheckRunner carries out the Checks that Systems declare, on open sources.
type SourceCheckRunner struct {
	hub *Hub

	mu        sync.Mutex
	questions map[string]chan bool // by ID, without an answer so far
}

// StartCheck answers [status.SourceCheckQuery]. A check that panics or runs out of
// time has failed.
func (s *SourceCheckRunner) StartCheck(ctx context.Context, r status.SourceCheckRequest) (<-chan status.SourceCheckUpdate, error) {
	src, ok := s.hub.sources.named(r.Source)
	if !ok || src.kind == nil {
		return nil, fmt.Errorf("check source: no source named %q", r.Source)
	}
	checks := src.kind.Manifest().Checks
	i := slices.IndexFunc(checks, func(c tools.CheckInfo) bool { return c.Name == r.Check })
	if i < 0 {
		return nil, fmt.Errorf("check source: %s has no check named %q", src.kind.Manifest().Name, r.Check)
	}
	updates := make(chan status.SourceCheckUpdate)
	go func() {
		defer close(updates)
		s.sendCheckUpdates(ctx, src, checks[i], r, updates)
	}()
	return updates, nil
}

// sendCheckUpdates sends what it has to say until ctx or the hub ends.
func (s *SourceCheckRunner) sendCheckUpdates(
	ctx context.Context, src *source, info tools.CheckInfo, r status.SourceCheckRequest, updates chan<- status.SourceCheckUpdate,
) {
	within, cancel := context.WithTimeout(ctx, info.Timeout)
	defer cancel()
	defer context.AfterFunc(s.hub.life, cancel)() // a person who takes their time does not keep the source open
	q := &checkQuestioner{checks: s, request: r, asked: make(chan status.Question), over: within.Done()}
	found := make(chan status.Check, 1)
	go func() { found <- s.runCheck(within, src, info, q) }()
	for {
		var u status.SourceCheckUpdate
		select {
		case asked := <-q.asked:
			u.Question = &asked
		case check := <-found:
			u.Check = &check
		}
		select {
		case updates <- u:
		case <-s.hub.life.Done():
			return
		case <-ctx.Done():
			return
		}
		if u.Check != nil {
			return
		}
	}
}

// runCheck returns when ctx ends, even if the check does not.
func (s *SourceCheckRunner) runCheck(ctx context.Context, src *source, info tools.CheckInfo, d tools.Doctor) status.Check {
	found, err := runWithDeadline(ctx, nil, func() (status.Check, error) {
		return withSourceRef(ctx, src, func(ctx context.Context, open *sourceRef) (status.Check, error) {
			return open.Look(ctx, info.Name, d)
		})
	})
	if err == nil {
		return found
	}
	failed := status.Check{Name: info.Name, Title: info.Title, Result: status.CheckFail}
	switch {
	case ctx.Err() != nil:
		failed.Detail = fmt.Sprintf("timed out after %s", info.Timeout)
		failed.Fix = "Check whether the program behind the source still responds."
	case panicStack(err) != "":
		s.hub.log.Error("check panicked", "component", src.conf.Name, "check", info.Name, "err", err, "stack", panicStack(err))
		failed.Detail, failed.Fix = "the check crashed; the log has the details", "Report this with the lines of `lectern logs`."
	default:
		failed.Result, failed.Detail = status.CheckSkipped, tools.AsError(err).Message
	}
	return failed
}

// AnswerQuestion answers [status.AnswerQuestionQuery].
func (s *SourceCheckRunner) AnswerQuestion(_ context.Context, a status.QuestionAnswer) (struct{}, error) {
	s.mu.Lock()
	answered, waits := s.questions[a.ID]
	delete(s.questions, a.ID)
	s.mu.Unlock()
	if !waits {
		return struct{}{}, fmt.Errorf("answer question: the check no longer waits for an answer")
	}
	answered <- a.Done
	return struct{}{}, nil
}

// A checkQuestioner passes the questions of one check to who asked for it.
type checkQuestioner struct {
	checks  *SourceCheckRunner
	request status.SourceCheckRequest
	asked   chan status.Question
	over    <-chan struct{} // closed when nobody listens any more
}

// MayWrite implements [tools.Doctor].
func (q *checkQuestioner) MayWrite() bool { return q.request.MayWrite }

// Interactive implements [tools.Doctor].
func (q *checkQuestioner) Interactive() bool { return q.request.Interactive }

// Ask implements [tools.Doctor].
func (q *checkQuestioner) Ask(ctx context.Context, request string) bool {
	if !q.request.Interactive {
		return false
	}
	id, answered := rand.Text(), make(chan bool, 1)
	q.checks.mu.Lock()
	q.checks.questions[id] = answered
	q.checks.mu.Unlock()
	defer func() {
		q.checks.mu.Lock()
		defer q.checks.mu.Unlock()
		delete(q.checks.questions, id)
	}()
	select {
	case q.asked <- status.Question{ID: id, Text: request}:
	case <-q.over:
		return false
	case <-ctx.Done():
		return false
	}
	select {
	case done := <-answered:
		return done
	case <-q.over:
		return false
	case <-ctx.Done():
		return false
	}
}
