package cardstore

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardname"
)

// A StateChange is what becomes of the live card of a name; nil: there is none.
type StateChange struct {
	Name          cardname.Name
	Before, After *State
	BeforeAct     int64 // the act that must have made Before; 0: any
	Act           int64 // that makes After; 0: it is not known, or nothing is written
}

// A StateError is for a card that is not as it must be to be restored.
type StateError struct {
	Name    cardname.Name
	Message string // completes "the card X"
}

// Error implements error.
func (e *StateError) Error() string { return fmt.Sprintf("the card %s %s", e.Name, e.Message) }

var errTriedOut = errors.New("tried out")

// RestoreStates takes cards from what they are to what they were, all or none, by
// revisions and names of their own: a card keeps its id, and comes out of the trash
// or goes into it. It returns a [StateError] if one is not as its Before says. A try
// finds that out and changes nothing. The changes get their Act, for one seed the same.
func (s *Store) RestoreStates(ctx context.Context, by Caller, changes []StateChange, seed uint64, try bool) error {
	err := s.write(ctx, func(q *sqlstore.Conn) error {
		within, record := s.RecordWrites(q, seed)
		if err := (restoration{within, q, by}).run(ctx, changes, record); err != nil {
			return err
		}
		for i, c := range changes {
			changes[i].Act = record.Act(c.Name)
		}
		if try {
			return errTriedOut
		}
		return nil
	})
	if errors.Is(err, errTriedOut) {
		return nil
	}
	return err
}

// A restoration takes cards back in one transaction.
type restoration struct {
	*Store
	q  *sqlstore.Conn
	by Caller
}

func (s restoration) run(ctx context.Context, changes []StateChange, record *Record) error {
	if err := s.checkStates(ctx, changes, func(c StateChange) *State { return c.Before }, "was changed later"); err != nil {
		return err
	}
	for _, c := range changes {
		if c.BeforeAct == 0 {
			continue
		}
		if act, err := LastAct(ctx, s.Store, c.Name); err != nil || act != c.BeforeAct {
			return cmpOr(err, &StateError{c.Name, "was changed later"})
		}
	}
	from, to := statesByID(changes)
	gone := statesIn(from, to, false)
	slices.Reverse(gone) // what is below goes first
	for _, old := range gone {
		if err := s.discard(ctx, old); err != nil {
			return err
		}
	}
	for _, new := range statesIn(to, nil, false) {
		if err := s.giveState(ctx, from[new.ID], new); err != nil {
			return err
		}
	}
	// Only now, when the others have their old names and types, is it known who still
	// needs a card that has gone.
	if err := s.checkUnused(ctx, gone); err != nil {
		return err
	}
	if err := checkOnlyNamed(changes, record); err != nil {
		return err
	}
	return s.checkStates(ctx, changes, func(c StateChange) *State { return c.After }, "cannot be restored")
}

// statesByID are the cards that changes begin with, and those that they end with.
func statesByID(changes []StateChange) (from, to map[int64]State) {
	from, to = map[int64]State{}, map[int64]State{}
	for _, c := range changes {
		if c.Before != nil {
			from[c.Before.ID] = *c.Before
		}
		if c.After != nil {
			to[c.After.ID] = *c.After
		}
	}
	return from, to
}

// checkUnused returns a StateError for the first card in the trash without which a live
// one has no name or no type.
func (s restoration) checkUnused(ctx context.Context, gone []State) error {
	for _, old := range gone {
		var uses int
		if err := s.q.QueryRow(ctx, "SELECT count(*) FROM card WHERE trash = 0 AND (left_id = ? OR right_id = ? OR type_id = ?)", old.ID, old.ID,
			old.ID).Scan(&uses); err != nil {
			return err
		}
		if uses > 0 {
			return &StateError{old.Name, "is part of the names of other cards, or their type"}
		}
	}
	return nil
}

// checkOnlyNamed returns a StateError for a card that was written although no change
// names it: one that had to be made because others are below it.
func checkOnlyNamed(changes []StateChange, record *Record) error {
	for _, n := range record.Names() {
		if !slices.ContainsFunc(changes, func(c StateChange) bool { return c.Name.Key() == n.Key() }) {
			return &StateError{n, "is missing, and others are below it"}
		}
	}
	return nil
}

// checkStates returns a StateError for the first card that is not so.
func (s restoration) checkStates(ctx context.Context, changes []StateChange, want func(StateChange) *State, why string) error {
	names := make([]cardname.Name, len(changes))
	for i, c := range changes {
		names[i] = c.Name
	}
	states, err := s.States(ctx, names)
	if err != nil {
		return err
	}
	for i, is := range states {
		if must := want(changes[i]); (is == nil) != (must == nil) || is != nil && *is != *must {
			return &StateError{names[i], why}
		}
	}
	return nil
}

// statesIn are the states whose ids are in other, or are not, simple names first.
func statesIn(states, other map[int64]State, in bool) (all []State) {
	for id, s := range states {
		if _, is := other[id]; is == in {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b State) int {
		if d := len(a.Name.Parts()) - len(b.Name.Parts()); d != 0 {
			return d
		}
		return int(min(max(a.ID-b.ID, -1), 1))
	})
	return all
}

// discard puts one card into the trash.
func (s restoration) discard(ctx context.Context, old State) error {
	c, found, err := cardBy(ctx, s.q, "c.id = ? AND c.trash = 0", old.ID)
	if err != nil || !found {
		return err
	}
	return trashCard(ctx, s.Store, s.q, s.by, c, s.newID())
}

// giveState makes a card what it was. old is what it is; its id is 0 if it is not
// there.
func (s restoration) giveState(ctx context.Context, old, new State) error {
	q, by := s.q, s.by
	kind, err := resolveType(ctx, q, itself, string(new.Type))
	if err != nil {
		return &StateError{new.Name, "was of a type that is gone"}
	}
	c, found, err := cardBy(ctx, q, "c.id = ?", new.ID)
	switch {
	case err != nil:
		return err
	case !found:
		if err := vacate(ctx, q, new.Name, new.ID); err != nil {
			return err
		}
		_, err = s.insertAs(ctx, q, by, new.ID, new.Name, kind, new.Content)
		return err
	case c.trash:
		if err := vacate(ctx, q, new.Name, new.ID); err != nil {
			return err
		}
		c.Name, c.key = new.Name, new.Name.Key()
		if _, err := q.Exec(ctx, "UPDATE card SET name = ?, key = ?, words = ?, title = ? WHERE id = ?", string(c.Name), c.key,
			searchedWords(c.Name), searchedTitle(c.Name),
			c.ID); err != nil {
			return err
		}
		if c, err = takeOut(ctx, s.Store, q, by, c); err != nil {
			return err
		}
	case old.Name != new.Name:
		if err := (renaming{s.Store, q, by}).giveName(ctx, c, new.Name, s.newID()); err != nil {
			return err
		}
		if c, _, err = cardBy(ctx, q, "c.id = ?", new.ID); err != nil {
			return err
		}
	}
	var changes []string
	if c.TypeID != kind.ID {
		changes = append(changes, "type_id")
	}
	if c.Content != new.Content {
		changes = append(changes, "db_content")
	}
	if len(changes) == 0 {
		return nil
	}
	c.TypeID, c.Type, c.Content = kind.ID, kind.Name, new.Content
	_, err = changeCard(ctx, s.Store, q, by, c, changes)
	return err
}
