package doctor

import (
	"context"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/problems"
	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/status"
)

var journalChecks = []check{
	{name: "journal.whole", title: "Changes by agents can be undone", look: checkJournal},
}

func checkJournal(_ context.Context, r *run) status.Check {
	files, err := journal.Aside(r.Paths.Journal())
	switch {
	case err != nil:
		return fail(err.Error(), readPermission)
	case len(files) > 0:
		return fromProblem(problems.DamagedJournal(files, r.Now()))
	}
	return ok("no damaged journal in %s", r.Paths.Journal())
}
