package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/status"
)

// lookAtJournal says which damaged journals were moved aside until somebody
// acknowledges that, whichever hub found them. It returns those it has shown,
// and is told what it showed before.
func (h *host) lookAtJournal(shown []string) []string {
	files, err := journal.Quarantined(h.journalDir())
	switch {
	case err != nil || slices.Equal(files, shown):
		return shown // a folder that cannot be read stops writes, which says why
	case len(files) == 0:
		h.clear(journalDamaged)
	default:
		h.raise(damagedJournal(files, h.now()))
	}
	return files
}

// damagedJournal is the Problem of journals that were moved to files.
func damagedJournal(files []string, now time.Time) status.Problem {
	p := journalDamaged.New(hubPart, status.Args{"files": strings.Join(files, ", ")})
	p.Since, p.Action = now, &status.Action{Verb: status.Acknowledge, Target: journalDamaged.Code}
	return p
}

// acknowledge ends a Problem that was only to be read.
func (a asked) acknowledge(code string) error {
	if code != journalDamaged.Code {
		return fmt.Errorf("acknowledge: %q ends when it is mended", code)
	}
	files, err := journal.Quarantined(a.journalDir())
	if err != nil {
		return err
	}
	if err := journal.Acknowledge(a.journalDir()); err != nil {
		return fmt.Errorf("acknowledge: %w", err)
	}
	a.lookAtJournal(files)
	return nil
}
