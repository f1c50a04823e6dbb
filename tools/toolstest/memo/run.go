package memo

import (
	"context"
	"strconv"
	"strings"

	"github.com/lectern-mcp/lectern/status"
)

// emptyNotes is a Problem that the background work raises and clears.
var emptyNotes = status.ProblemType{
	Code: "memo.empty", Severity: status.Notice,
	Description: "Some notes of a memo source have no words. This kind of source exists in tests only.",
	Title:       "{count} notes in {source} have no words",
	Fix:         "Write something in them, or delete them.",
}

// Run implements [tools.Runner]: whenever a note has changed it counts the notes
// without words. A System of files would watch its folder and keep an index.
// What fails is returned: the hub shows it and calls Run again.
func (m *Memo) Run(ctx context.Context) error {
	for {
		changed, err := m.watch()
		if err != nil {
			return err
		}
		if err := m.countEmpty(ctx); err != nil {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil
		}
	}
}

// countEmpty keeps the hub from leaving until it is done, and shows how far it is.
func (m *Memo) countEmpty(ctx context.Context) error {
	release := m.report.BlockIdleExit("looks for empty notes")
	defer release()
	titles, empty := m.visibleTitles(), 0
	for i, t := range titles {
		if err := ctx.Err(); err != nil {
			return err
		}
		if n, _ := m.note(t); strings.TrimSpace(n.text) == "" {
			empty++
		}
		m.report.Progress("look for empty notes", int64(i+1), int64(len(titles)))
	}
	if empty > 0 {
		m.report.Raise(emptyNotes, status.Args{"count": strconv.Itoa(empty)})
	} else {
		m.report.Clear(emptyNotes)
	}
	return nil
}
