package doctor

import (
	"context"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/problems"
	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/status"
)

var journalChecks = []check{
	{name: "journal.whole", title: "Changes by agents can be undone", look: checkJournal},
	{name: "journal.key", title: "The key of the journal is in its file", look: checkJournalKey},
}

func checkJournal(_ context.Context, r *checkRun) status.Check {
	files, err := journal.QuarantinedFiles(r.Paths.Journal())
	switch {
	case err != nil:
		return failResult(err.Error(), readPermissionFix)
	case len(files) > 0:
		return fromProblem(problems.NewJournalDamaged(files, r.Now()))
	case journal.HasLostDatabase(r.Paths.Journal()):
		return warnResult("the journal in "+r.Paths.Journal()+" is empty or missing although there was one: earlier changes by agents cannot "+
			"be undone",
			"If you have a backup of journal.db, stop Lectern and put it back. Otherwise the next start of Lectern begins a new one.")
	}
	return okResult("no damaged journal in %s", r.Paths.Journal())
}

func checkJournalKey(_ context.Context, r *checkRun) status.Check {
	if err := journal.CheckKey(r.Paths.Journal()); err != nil {
		return failResult("agents cannot change anything: "+err.Error(), "Do what the message says.")
	}
	return okResult("%s contains it, or will when an agent first writes", r.Paths.Journal())
}
