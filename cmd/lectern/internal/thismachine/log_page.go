package thismachine

import (
	"cmp"
	"context"
	"errors"
	"io/fs"

	"github.com/lectern-mcp/lectern/internal/logs"
	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/supervisor"
)

// Bounds of a page of the log.
const (
	defaultLogPageLines = 1000
	maxLogPageLines     = 5000
)

// logPage reads the log on disk itself: it is there when no hub is running, and
// holds what a hub has forgotten.
func (m *Machine) logPage(_ context.Context, f status.LogPageFilter) (status.LogPage, error) {
	limit := min(cmp.Or(max(0, f.Limit), defaultLogPageLines), maxLogPageLines)
	page, err := logs.ReadPage(m.conf.Paths.Log(), logs.PageQuery{Before: f.Before, Until: f.Until, Limit: limit})
	if errors.Is(err, fs.ErrNotExist) { // no hub has run yet
		return status.LogPage{Lines: []status.Line{}}, nil
	}
	out := status.LogPage{Lines: make([]status.Line, len(page.Lines)), Next: page.Next}
	for i, l := range page.Lines {
		out.Lines[i] = supervisor.LogLineToStatus(l)
		out.Lines[i].Component, out.Lines[i].Text = string(safetext.Line(l.Component)), string(safetext.Line(l.Text))
	}
	return out, err
}
