package hub

import (
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// What can be wrong with a source.
var (
	sourceGone = status.ProblemType{
		Code: "source.gone", Severity: status.Error,
		Description: "What the configuration names is not there or cannot be read. Its tools stay listed and answer that it is unavailable; other sources are not affected.",
		Title:       "source {source}: {why}",
		Fix:         "Bring {place} back, or remove the source with `lectern source remove {source}`. Lectern looks again every 30 s.",
	}
	sourceConfig = status.ProblemType{
		Code: "source.config", Severity: status.Error,
		Description: "The source's entry in the configuration asks for something that its kind cannot do.",
		Title:       "source {source}: {why}",
		Fix:         "Correct the entry of {source} in the configuration file and reload it.",
	}
	sourceKind = status.ProblemType{
		Code: "source.kind", Severity: status.Error,
		Description: "The kind in the source's entry is none that this build opens.",
		Title:       "source {source}: {why}",
		Fix:         "Correct kind in the configuration file and reload it.",
	}
	sourceBroken = status.ProblemType{
		Code: "source.broken", Severity: status.Error,
		Description: "The source does not open for a reason that is a fault of Lectern's or of the system's. Other sources are not affected.",
		Title:       "source {source}: {why}",
		Fix:         "See `lectern logs` for the reason; Lectern tries again every 30 s. `lectern source show {source}` says what it opens.",
	}
)

// fuseBlown is of a client that changes too much at once.
var fuseBlown = status.ProblemType{
	Code: "fuse.blown", Severity: status.Error,
	Description: "A client was about to delete or rewrite far more in a minute than is usual, so it was stopped, and you are asked before each change it wants to make. Reads go on.",
	Title:       "{client} was stopped: {why}",
	Fix:         "See `lectern calls --client {client}` for what it did. If it was meant, reset the fuse; else end that agent.",
}

func troubles() []status.ProblemType {
	return []status.ProblemType{sourceGone, sourceConfig, sourceKind, sourceBroken}
}

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
	changed := s.state != state || (why == nil) != (s.why == nil) || why != nil && why.Message != s.why.Message
	if s.state != state {
		s.since = s.hub.now()
	}
	s.state, s.why = state, why
	s.mu.Unlock()
	if !changed {
		return
	}
	for _, t := range troubles() {
		s.hub.picture.clear(t.Code, s.conf.Name)
	}
	if why != nil {
		s.hub.picture.raise(s.problem(why))
		s.hub.log.Warn("source cannot serve", "part", s.conf.Name, "code", string(why.Code), "err", why.Message)
	} else {
		s.hub.log.Info("source", "part", s.conf.Name, "state", string(state))
	}
	s.hub.picture.touch()
}

// problem says what is wrong with a source so that a person can mend it. What
// the source itself says to do is nearer than what is declared here.
func (s *source) problem(why *tools.Error) status.Problem {
	kind := s.trouble(why)
	p := kind.New(s.conf.Name, status.Args{"source": s.conf.Name, "why": why.Message, "place": s.place()})
	p.Since = s.hub.now()
	if kind != sourceKind {
		p.Action = &status.Action{Verb: status.ReopenSource, Target: s.conf.Name}
	}
	if why.Hint != "" && kind != sourceBroken {
		p.Fix = why.Hint
	}
	return p
}

func (s *source) trouble(why *tools.Error) status.ProblemType {
	switch {
	case s.kind == nil:
		return sourceKind
	case why.Code == tools.Unavailable || why.Code == tools.NotFound:
		return sourceGone
	case why.Code == tools.Invalid:
		return sourceConfig
	default:
		return sourceBroken
	}
}

func (s *source) place() string {
	if s.conf.Place == "" {
		return "it"
	}
	return s.conf.Place
}
