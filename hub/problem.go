package hub

import (
	"fmt"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// The codes of Problems about sources, each documented in docs/problems.md.
const (
	sourceGone   = "source.gone"   // what the configuration names is not there
	sourceConfig = "source.config" // its entry in the configuration is wrong
	sourceKind   = "source.kind"   // its kind is not one of ours
	sourceBroken = "source.broken" // anything else that keeps it from opening
)

func problemCodes() []string { return []string{sourceGone, sourceConfig, sourceKind, sourceBroken} }

// became takes over the outcome of opening or checking the source: nil when it
// serves.
func (s *source) became(err error) {
	if err == nil {
		s.become(status.Ready, nil)
		return
	}
	e := tools.AsError(err)
	if e.Code == tools.Internal || e.Code == tools.Timeout {
		s.hub.log.Error("open source", "part", s.conf.Name, "err", err, "stack", stackOf(err))
	}
	s.become(status.Failed, e)
}

func (s *source) become(state status.State, why *tools.Error) {
	s.mu.Lock()
	changed := s.state != state || (why == nil) != (s.why == nil) || why != nil && why.Msg != s.why.Msg
	if s.state != state {
		s.since = s.hub.now()
	}
	s.state, s.why = state, why
	s.mu.Unlock()
	if !changed {
		return
	}
	for _, code := range problemCodes() {
		s.hub.picture.clear(code, s.conf.Name)
	}
	if why != nil {
		s.hub.picture.raise(s.problem(why))
		s.hub.log.Warn("source cannot serve", "part", s.conf.Name, "code", string(why.Code), "err", why.Msg)
	} else {
		s.hub.log.Info("source", "part", s.conf.Name, "state", string(state))
	}
	s.hub.picture.touch()
}

// problem says what is wrong with a source so that a person can mend it.
func (s *source) problem(why *tools.Error) status.Problem {
	p := status.Problem{
		Part: s.conf.Name, Severity: status.Error, Since: s.hub.now(),
		Title:  fmt.Sprintf("source %s: %s", s.conf.Name, why.Msg),
		Action: &status.Action{Verb: status.ReopenSource, Part: s.conf.Name},
	}
	switch {
	case s.kind == nil:
		p.Code, p.Action = sourceKind, nil
		p.Fix = "Correct kind in the configuration file and reload it."
	case why.Code == tools.Unavailable || why.Code == tools.NotFound:
		p.Code = sourceGone
		p.Fix = fmt.Sprintf("Bring %s back, or remove the source with `lectern source remove %s`. Lectern looks again every 30 s.", s.place(), s.conf.Name)
	case why.Code == tools.Invalid:
		p.Code = sourceConfig
		p.Fix = fmt.Sprintf("Correct the entry of %s in the configuration file and reload it.", s.conf.Name)
	default:
		p.Code = sourceBroken
		p.Fix = fmt.Sprintf("See `lectern logs` for the reason; Lectern tries again every 30 s. `lectern source show %s` says what it opens.", s.conf.Name)
	}
	if why.Hint != "" && p.Code != sourceBroken {
		p.Fix = why.Hint
	}
	return p
}

func (s *source) place() string {
	if s.conf.Place == "" {
		return "it"
	}
	return s.conf.Place
}
