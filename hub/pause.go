package hub

import (
	"cmp"
	"context"
	"maps"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/internal/pauses"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// PauseWrites stops the writes of the clients with this name from now on, or of
// all: "". Calls that were on their way cannot write any more either, whatever was
// approved. It holds for every process that serves agents, and after a restart.
func (l *ClientLimiter) PauseWrites(client string) error {
	if l.pauses == nil {
		return errNoPauses
	}
	err := l.pauses.Pause(client)
	l.raisePauseProblems()
	return err
}

// ResumeWrites lets the clients with this name write again, or all: "".
func (l *ClientLimiter) ResumeWrites(client string) error {
	if l.pauses == nil {
		return errNoPauses
	}
	err := l.pauses.Resume(client)
	l.raisePauseProblems()
	return err
}

var errNoPauses = tools.Errorf(tools.Internal, "this hub keeps no pauses")

// checkPause refuses what a client that was stopped wants to change. A person who
// calls a tool is not an agent.
func (l *ClientLimiter) checkPause(c *call) error {
	if l.pauses == nil || c.via == tools.ViaPerson {
		return nil
	}
	s, err := l.pauses.State()
	if err != nil {
		l.snapshot.raiseProblem(pauseUnreadableProblem.New("", status.Args{"why": err.Error()}))
		return tools.Errorf(tools.Denied, "no agent may write now: the file that says whose writes the user has paused cannot be read").
			WithHint("Nothing was changed. Tell the user: `lectern resume` creates the file again and lets all agents write.")
	}
	since := s.Since(c.client.Name)
	if since.IsZero() {
		return nil
	}
	whose := "your writes"
	if !s.All.IsZero() {
		whose = "all writes"
	}
	return tools.Errorf(tools.Denied, "the user has paused %s since %s", whose, since.Local().Format("15:04")).
		WithHint("Nothing was changed. Go on reading, or ask the user, who lets agents write again with `lectern resume`.")
}

// checkPauseBeforeApproval is checkPause for a call that is sure to write, so that nobody is
// asked about it, and for its dry run. Of others each write is checked.
func (l *ClientLimiter) checkPauseBeforeApproval(c *call) error {
	switch effect := cmp.Or(c.decided.effect, c.tool.info.Effect); {
	case effect == tools.Reads, effect == tools.Runs:
		return nil
	default:
		return l.checkPause(c)
	}
}

// addTargetsByDryRun has the record of a call that a pause refuses name what it would have
// changed, as far as a dry run tells.
func addTargetsByDryRun(ctx context.Context, h *Hub, c *call) {
	if c.outer != nil || c.tool.info.Calls || len(c.decided.others) > 0 { // its writes are known only when it makes its calls
		return
	}
	changes, _, _ := h.dryRun(ctx, c, c.raw) // the call is refused, whatever it is
	c.record.targets.add(changes)
}

// raisePauseProblems makes a Problem of every pause, which a person ends with one key.
func (l *ClientLimiter) raisePauseProblems() {
	s := pauses.State{}
	if l.pauses != nil {
		var err error
		if s, err = l.pauses.State(); err != nil {
			l.snapshot.raiseProblem(pauseUnreadableProblem.New("", status.Args{"why": err.Error()}))
			return
		}
	}
	l.snapshot.clearProblem(pauseUnreadableProblem.Code, "")
	paused := maps.Clone(s.Clients)
	if paused == nil {
		paused = map[string]time.Time{}
	}
	if !s.All.IsZero() {
		paused[""] = s.All
	}
	l.pauseMu.Lock()
	defer l.pauseMu.Unlock()
	for client := range l.shown {
		if _, still := paused[client]; !still {
			l.snapshot.clearProblem(writesPausedProblem.Code, client)
		}
	}
	for client, since := range paused {
		p := writesPausedProblem.New(client, status.Args{
			"who": cmp.Or(client, "all agents"), "since": since.Local().Format("2 Jan 15:04"),
			"command": strings.TrimSpace("lectern resume " + client),
		})
		p.Action = &status.Action{Verb: status.ResumeWrites, Target: client}
		l.snapshot.raiseProblem(p)
	}
	l.shown = paused
	l.snapshot.requestUpdate()
}

// addPausesToSnapshot shows in a snapshot who may not write.
func (l *ClientLimiter) addPausesToSnapshot(s *status.Snapshot) {
	l.pauseMu.Lock()
	defer l.pauseMu.Unlock()
	s.Hub.WritesPaused = l.shown[""]
	for i, session := range s.Sessions {
		since := l.shown[""]
		if since.IsZero() {
			since = l.shown[strings.ToLower(session.Client)]
		}
		s.Sessions[i].WritesPaused = since
	}
}
