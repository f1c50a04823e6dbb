package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/pane"
)

// Messages say what has happened. They come from the commands of effects.go.
type (
	// snapshotMsg: a snapshot arrived; the next one comes from next.
	snapshotMsg struct {
		snap status.Snapshot
		next <-chan status.Snapshot
	}
	// disconnectedMsg: the stream of snapshots ended, or did not begin.
	disconnectedMsg struct{ err error }
	// retryMsg: it is time to watch again.
	retryMsg struct{}
	// batchMsg: lines or calls came, at least one; more come from next.
	batchMsg[T any] struct {
		batch []T
		next  <-chan T
	}
	// tickMsg: a second has passed while calls wait.
	tickMsg struct{}
	// guardOverMsg: the keys that answer approvals may be taken again.
	guardOverMsg struct{}
	// streamEndedMsg: the stream of lines or calls ended, or did not begin.
	streamEndedMsg[T any] struct{}
	// retryStreamsMsg: it is time to open the streams that ended.
	retryStreamsMsg struct{}
	// resultMsg: the query of a pane was answered.
	resultMsg struct {
		tab    int
		result pane.Result
		next   tea.Cmd // brings the next Result, if more follow
	}
	// planMsg: the plan of what is wanted is known, or failed has none.
	planMsg struct {
		want   pane.Preview
		plan   status.Plan
		failed status.Action
		err    error
	}
	// doneMsg: so many of the actions are done; the next one failed, if there is
	// an error.
	doneMsg struct {
		want pane.Do
		done int
		err  error
	}
	// proposedTextMsg: the text that a person is to edit is loaded.
	proposedTextMsg struct {
		want     pane.EditText
		proposed string // by the call
		err      error
	}
	// editedTextMsg: a person's editor has ended.
	editedTextMsg struct {
		approval               status.Approval
		proposed, before, text string // by the call; as it was opened; as it is now
		err                    error
	}
	// noticeMsg: something ended as the notice says.
	noticeMsg struct{ notice notice }
)
