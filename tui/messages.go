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
	// retryWatchMsg: it is time to watch again.
	retryWatchMsg struct{}
	// streamBatchMsg: lines or calls came, at least one; more come from next.
	streamBatchMsg[T any] struct {
		batch []T
		next  <-chan T
	}
	// tickMsg: a second has passed while calls wait.
	tickMsg struct{}
	// keyGuardOverMsg: the keys that answer approvals may be taken again.
	keyGuardOverMsg struct{}
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
		want   pane.ConfirmActions
		plan   status.Plan
		failed status.Action
		err    error
	}
	// actionsDoneMsg: so many of the actions are done; the next one failed, if there is
	// an error.
	actionsDoneMsg struct {
		want pane.DoActions
		done int
		err  error
	}
	// pageFileMsg: the file of a page is known and can be edited, or the editor ended.
	pageFileMsg struct {
		tab   int
		page  pane.PageEditResultID
		file  string
		ended bool
		err   error
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
