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

func checkJournal(_ context.Context, r *run) status.Check {
	files, err := journal.Quarantined(r.Paths.Journal())
	switch {
	case err != nil:
		return fail(err.Error(), readPermission)
	case len(files) > 0:
		return fromProblem(problems.DamagedJournal(files, r.Now()))
	case journal.IsLost(r.Paths.Journal()):
		return warn("the journal in "+r.Paths.Journal()+" is empty or missing although there was one: earlier changes by agents cannot be undone",
			"If you have a backup of journal.db, end Lectern and put it back. Otherwise the next start of Lectern begins a new one.")
	}
	return ok("no damaged journal in %s", r.Paths.Journal())
}

func checkJournalKey(_ context.Context, r *run) status.Check {
	if err := journal.CheckKey(r.Paths.Journal()); err != nil {
		return fail("agents cannot change anything: "+err.Error(), "Do what the message says.")
	}
	return ok("%s contains it, or will when an agent first writes", r.Paths.Journal())
}
