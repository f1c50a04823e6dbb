package hub

import (
	"cmp"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// Problems of a source.
var (
	sourceGoneProblem = status.ProblemType{
		Code: "source.gone", Severity: status.Error,
		Description: "The folder or address in the configuration does not exist or cannot be read. Its tools stay listed and answer that the " +
			"source is unavailable; other sources are not affected.",
		Title: "source {source}: {why}",
		Fix:   "Bring {place} back, or remove the source with `lectern source remove {source}`. Lectern looks again every 30 s.",
	}
	sourceConfigProblem = status.ProblemType{
		Code: "source.config", Severity: status.Error,
		Description: "The source's entry in the configuration asks for something that its kind cannot do.",
		Title:       "source {source}: {why}",
		Fix:         "Correct the entry of {source} in the configuration file and reload it.",
	}
	sourceKindProblem = status.ProblemType{
		Code: "source.kind", Severity: status.Error,
		Description: "The source's entry names a kind of source that this build does not know.",
		Title:       "source {source}: {why}",
		Fix:         "Correct kind in the configuration file and reload it.",
	}
	sourceBrokenProblem = status.ProblemType{
		Code: "source.broken", Severity: status.Error,
		Description: "The source does not open because of a fault in Lectern or in the system. Other sources are not affected.",
		Title:       "source {source}: {why}",
		Fix:         "See `lectern logs` for the reason; Lectern tries again every 30 s. `lectern source show {source}` shows what it opens.",
	}
)

// breakerTrippedProblem is about a client that changes too much at once.
var breakerTrippedProblem = status.ProblemType{
	Code: "breaker.tripped", Severity: status.Error,
	Description: "A client was about to delete or rewrite far more in a minute than is usual, so it was stopped, and you are asked before " +
		"each change it wants to make. Reads go on.",
	Title: "{client} was stopped: {why}",
	Fix: "See `lectern calls --client {client}` for what it did. If that was intended, reset the circuit breaker; if not, disconnect " +
		"that agent.",
}

// privacyProbedProblem is about a client that may be looking for what is hidden.
var privacyProbedProblem = status.ProblemType{
	Code: "privacy.probed", Severity: status.Warning,
	Description: "A client tried again and again to write where the privacy rules of a source hide pages. Each attempt was refused, and so " +
		"is every other write of the client for the rest of the minute. The client may be looking for names of hidden pages: with a rule by " +
		"tag or property, a refusal reveals that a name is taken.",
	Title: "{client} tried {count} times within a minute to write to what is hidden in {source}; each write was refused",
	Fix: "See `lectern calls --client {client}` for what it tried, and disconnect that agent if that was not intended. If a name must " +
		"not be guessed, hide it by path. This notice disappears when the hub restarts.",
}

// Problems of pauses.
var (
	writesPausedProblem = status.ProblemType{
		Code: "writes.paused", Severity: status.Warning,
		Description: "A person has stopped the writes of one agent, or of all. Reading goes on; a write is refused with the reason, even where " +
			"it was allowed or approved before. The pause lasts until somebody ends it, even when the hub restarts.",
		Title: "the writes of {who} are paused since {since}",
		Fix:   "End the pause here, or run `{command}`.",
	}
	pauseUnreadableProblem = status.ProblemType{
		Code: "writes.unknown", Severity: status.Error,
		Description: "The file that says whose writes are paused cannot be read, so no agent may write until somebody decides.",
		Title:       "agents cannot write: {why}",
		Fix: "Let all agents write again with `lectern resume`, or stop them with `lectern pause`; either command " +
			"creates the file again.",
	}
)

// Problems of the journal of changes.
var (
	journalStoppedProblem = status.ProblemType{
		Code: "journal.stopped", Severity: status.Error,
		Description: "The journal of changes cannot be written, so agents cannot write either: a write that is not in the journal " +
			"could not be undone. Reading goes on.",
		Title: "agents cannot write: {why}",
		Fix:   "Free space on the disk, or do what the message says. Every write of an agent tries the journal again.",
	}
	journalInterruptedProblem = status.ProblemType{
		Code: "journal.interrupted", Severity: status.Warning,
		Description: "Lectern was interrupted in the middle of a call that writes. At the next start everything that the call had written was " +
			"taken back, except what somebody has edited since: that was left as it is, and `lectern changes` shows its Change with " +
			"an unknown outcome.",
		Title: "Lectern was interrupted in the middle of writes to {source}: {what}",
		Fix: "Check whether anything was left; the agent may have to repeat the change. Then dismiss this notice, here or with: lectern " +
			"changes acknowledge.",
	}
	journalLostProblem = status.ProblemType{
		Code: "journal.lost", Severity: status.Warning,
		Description: "The database of agents' changes was empty or missing although its key was there, so a new one was started: agents can " +
			"still write, and new changes can be undone, but earlier ones cannot. Your notes are not affected.",
		Title: "the journal of changes was empty or missing on {day}: earlier changes by agents cannot be undone",
		Fix: "If you have a backup of journal.db, stop Lectern and put it back. Then dismiss this notice, here or with: lectern changes " +
			"acknowledge.",
	}
	journalStuckProblem = status.ProblemType{
		Code: "journal.stuck", Severity: status.Warning,
		Description: "Lectern was interrupted in the middle of a write or an undo. It could not take the write back, or could not complete the " +
			"undo because something was edited since. The rest is as it was.",
		Title: "a write or an undo in {source} stopped half-way at {targets}",
		Fix: "Do what the message says and restart the hub. Run `lectern changes --source {source}` to see what was not undone, and undo " +
			"that with `lectern undo`. This notice disappears when the hub restarts.",
	}
)

// setHealth takes over the outcome of opening or checking the source: nil when
// it serves.
func (s *source) setHealth(err error) {
	if err == nil {
		s.setState(status.Ready, nil)
		return
	}
	e := tools.AsError(err)
	if e.Code == tools.Internal || e.Code == tools.Timeout {
		s.hub.log.Error("open source", "component", s.conf.Name, "err", err, "stack", panicStack(err))
	}
	s.setState(status.Failed, e)
}

func (s *source) setState(state status.State, why *tools.Error) {
	s.mu.Lock()
	changed := s.state != state || (why == nil) != (s.failure == nil) || why != nil && why.Message != s.failure.Message
	if s.state != state {
		s.since = s.hub.now()
	}
	s.state, s.failure = state, why
	s.mu.Unlock()
	if !changed {
		return
	}
	for _, t := range []status.ProblemType{sourceGoneProblem, sourceConfigProblem, sourceKindProblem, sourceBrokenProblem} {
		s.hub.snapshot.clearProblem(t.Code, s.conf.Name)
	}
	if why != nil {
		s.hub.snapshot.raiseProblem(s.problemFromError(why))
		s.hub.log.Warn("source cannot serve", "component", s.conf.Name, "code", string(why.Code), "err", why.Message)
	} else {
		s.hub.log.Info("source", "component", s.conf.Name, "state", string(state))
	}
	s.hub.snapshot.requestUpdate()
}

// problemFromError is why the source does not serve, as a person can fix it. The hint of
// the source itself is more exact than the fix that is declared here.
func (s *source) problemFromError(why *tools.Error) status.Problem {
	kind := s.problemTypeOfError(why)
	p := kind.New(s.conf.Name, status.Args{"source": s.conf.Name, "why": why.Message, "place": cmp.Or(s.conf.Location, "it")})
	if kind != sourceKindProblem {
		p.Action = &status.Action{Verb: status.ReopenSource, Target: s.conf.Name}
	}
	if why.Hint != "" && kind != sourceBrokenProblem {
		p.Fix = why.Hint
	}
	return p
}

func (s *source) problemTypeOfError(why *tools.Error) status.ProblemType {
	switch {
	case s.kind == nil:
		return sourceKindProblem
	case why.Code == tools.Unavailable || why.Code == tools.NotFound:
		return sourceGoneProblem
	case why.Code == tools.Invalid:
		return sourceConfigProblem
	default:
		return sourceBrokenProblem
	}
}

func (s *source) raiseProblem(t status.ProblemType, args status.Args) {
	args["source"] = s.conf.Name
	s.hub.snapshot.raiseProblem(t.New(s.conf.Name, args))
}
