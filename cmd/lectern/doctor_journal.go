package main

import (
	"context"
	"errors"
	"slices"

	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

func journalChecks() []check {
	return []check{
		{name: "journal.whole", title: "What agents changed can be undone", look: lookAtDamage},
		{name: "journal.key", title: "The key of the journal can be had", look: lookAtKeys},
	}
}

func lookAtDamage(_ context.Context, v *visit) status.Check {
	files, err := journal.Aside(v.journalDir())
	switch {
	case err != nil:
		return bad(err.Error(), "Give yourself the right to read it.")
	case len(files) > 0:
		return from(damagedJournal(files, v.now()))
	}
	return good("no journal was damaged in %s", v.journalDir())
}

// lookAtKeys says where the keys are, and asks the hub whether it has them: a
// keyring may give them to the one and not to the other.
func lookAtKeys(_ context.Context, v *visit) status.Check {
	kept, err := journal.Keys(v.journalDir())
	if err != nil {
		return bad(err.Error(), "Do what the message says; agents cannot write meanwhile.")
	}
	if snap, err := v.picture(); err == nil && slices.ContainsFunc(snap.Problems, func(p status.Problem) bool { return p.Code == journalLocked.Code }) {
		return from(v.lockedJournal())
	}
	inKeyring := slices.ContainsFunc(kept, func(k journal.Kept) bool { return k.Place == journal.InKeyring })
	inFile := slices.ContainsFunc(kept, func(k journal.Kept) bool { return k.Place == journal.InFile })
	switch {
	case inKeyring && inFile:
		return doubt("one key is in the keyring and one in a file", "It moves into the keyring when the hub starts and can use that; see journal.key in the configuration.")
	case inKeyring:
		return good("it is in the keyring")
	case inFile:
		return good("it is in a file in %s, readable by you alone", v.journalDir())
	}
	return good("it is made when an agent first writes")
}

// acknowledgeDamage has the hub do it, which then shows it no more at once.
func (w *world) acknowledgeDamage(ctx context.Context) error {
	files, err := journal.Aside(w.journalDir())
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
		w.say("kept as %s\n", line(file+journal.Seen))
	}
	return nil
}
