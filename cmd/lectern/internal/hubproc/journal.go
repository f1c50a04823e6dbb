package hubproc

import (
	"fmt"
	"log/slog"
	"slices"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/problems"
	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/journal"
)

// newJournal touches nothing on disk until the first change.
func newJournal(a *app.App, conf config.Config, log *slog.Logger) *journal.Journal {
	return journal.New(journal.Options{
		Dir: a.Paths.Journal(), Now: a.Now, Log: log, Keep: conf.Journal.Keep, MaxBytes: int64(conf.Journal.Max) << 20,
	})
}

// refreshJournalProblem shows which damaged journals were moved aside, whichever hub
// found them, until someone acknowledges that. It takes and returns the files
// that are shown.
func (h *hubProcess) refreshJournalProblem(shown []string) []string {
	files, err := journal.QuarantinedFiles(h.Paths.Journal())
	switch {
	case err != nil || slices.Equal(files, shown):
		return shown // an unreadable folder makes writes fail with the reason
	case len(files) == 0:
		h.clearProblem(problems.JournalDamaged)
	default:
		h.raiseProblem(problems.NewJournalDamaged(files, h.Now()))
	}
	return files
}

// acknowledgeProblem dismisses a problem that needs nothing but to be read.
func (a actions) acknowledgeProblem(code string) error {
	if known, err := a.hub.Changes().AcknowledgeNotices(code); known {
		return err
	}
	if code != problems.JournalDamaged.Code {
		return fmt.Errorf("acknowledge: %q cannot be dismissed; it disappears when it is fixed", code)
	}
	files, err := journal.QuarantinedFiles(a.Paths.Journal())
	if err != nil {
		return err
	}
	if err := journal.AcknowledgeQuarantined(a.Paths.Journal()); err != nil {
		return fmt.Errorf("acknowledge: %w", err)
	}
	a.refreshJournalProblem(files)
	return nil
}
