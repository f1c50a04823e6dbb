package main

import (
	"context"
	"errors"

	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

func journalChecks() []check {
	return []check{
		{name: "journal.whole", title: "What agents changed can be undone", look: lookAtDamage},
		{name: "journal.key", title: "The key of the journal is in its file", look: lookAtKey},
	}
}

func lookAtDamage(_ context.Context, v *visit) status.Check {
	files, err := journal.Quarantined(v.journalDir())
	switch {
	case err != nil:
		return bad(err.Error(), "Give yourself the right to read it.")
	case len(files) > 0:
		return from(damagedJournal(files, v.now()))
	}
	return good("no journal was damaged in %s", v.journalDir())
}

func lookAtKey(_ context.Context, v *visit) status.Check {
	if err := journal.CheckKey(v.journalDir()); err != nil {
		return bad("agents cannot change anything: "+err.Error(), "Do what the message says.")
	}
	return good("%s holds it, or will when an agent first writes", v.journalDir())
}

// acknowledgeDamage has the hub do it, which then shows it no more at once.
func (w *world) acknowledgeDamage(ctx context.Context) error {
	files, err := journal.Quarantined(w.journalDir())
	if err != nil {
		return err
	}
	if len(files) == 0 {
		w.say("there is nothing to acknowledge\n")
		return nil
	}
	err = w.client(nil).Do(ctx, status.Action{Verb: status.Acknowledge, Target: journalDamaged.Code})
	if errors.Is(err, daemon.ErrNoHub) {
		err = journal.Acknowledge(w.journalDir())
	}
	if err != nil {
		return err
	}
	for _, file := range files {
		w.say("kept as %s\n", line(file+journal.AcknowledgedSuffix))
	}
	return nil
}
