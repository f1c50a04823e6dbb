package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/pane"
)

// Messages say what has happened. Commands in effects.go bring them.
type (
	// snapshotMsg: the picture changed; the next one comes from next.
	snapshotMsg struct {
		snap status.Snapshot
		next <-chan status.Snapshot
	}
	// disconnectedMsg: the stream of pictures ended, or did not begin.
	disconnectedMsg struct{ err error }
	// retryMsg: it is time to watch again.
	retryMsg struct{}
	// linesMsg: lines came, at least one; more come from next.
	linesMsg struct {
		lines []status.Line
		next  <-chan status.Line
	}
	// logEndedMsg: the stream of lines ended, or did not begin.
	logEndedMsg struct{}
	// retryLogsMsg: it is time to read the log again.
	retryLogsMsg struct{}
	// callsMsg: agents did something; more comes from next.
	callsMsg struct {
		calls []status.Call
		next  <-chan status.Call
	}
	// callsEndedMsg: the stream of calls ended, or did not begin.
	callsEndedMsg struct{}
	// retryCallsMsg: it is time to read the calls again.
	retryCallsMsg struct{}
	// resultMsg: what the pane of a tab wanted to know is known, or cannot be.
	resultMsg struct {
		tab    int
		result pane.Result
		next   tea.Cmd // brings the next, where more come
	}
	// planMsg: what an action would change is known.
	planMsg struct {
		action status.Action
		plan   status.Plan
		err    error
	}
	// plansMsg: what several actions would change together is known; of at it is
	// not, if there is an error.
	plansMsg struct {
		actions []status.Action
		plan    status.Plan
		at      status.Action
		err     error
	}
	// actionsDoneMsg: n actions were carried out; at was not, if there is an error.
	actionsDoneMsg struct {
		n   int
		at  status.Action
		err error
	}
	// actionDoneMsg: an action was carried out, or was not.
	actionDoneMsg struct {
		action status.Action
		err    error
	}
	// noticeMsg: something else came out as the notice says.
	noticeMsg struct{ notice notice }
)
