package cards

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardauth"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardname"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
)

// stateOf is any state as JSON; nil: nothing is there.
func stateOf[T any](s *T) tools.State {
	if s == nil {
		return tools.State{}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(s); err != nil {
		panic(fmt.Sprintf("cards: encode state: %v", err)) // strings and numbers
	}
	return tools.State{Exists: true, Data: b.Bytes()}
}

// readState is the opposite of stateOf.
func readState[T any](s tools.State) (*T, error) {
	if !s.Exists {
		return nil, nil //nolint:nilnil // absence is no error
	}
	v := new(T)
	if err := json.Unmarshal(s.Data, v); err != nil {
		return nil, tools.Errorf(tools.Invalid, "the state of a card cannot be read")
	}
	return v, nil
}

// State implements [tools.Restorer]. A target is the name of a card, or an API key.
func (l *local) State(ctx context.Context, target string) (tools.State, error) {
	if id, ok := keyOf(target); ok {
		k, err := l.auth.KeyState(ctx, id)
		return stateOf(k), err
	}
	name := cardname.Parse(target)
	act, err := cardstore.LastAct(ctx, l.store, name)
	if err != nil {
		return tools.State{}, err
	}
	states, err := l.store.States(ctx, []cardname.Name{name})
	if err != nil {
		return tools.State{}, err
	}
	state := stateOf(states[0])
	state.Revision = actText(act)
	return state, nil
}

// HasRevision implements [tools.RevisionRestorer]. Only wikis of our own say which act they
// will make.
func (w *Wiki) HasRevision(ctx context.Context, _, revision string) (bool, error) {
	act, err := strconv.ParseInt(revision, 10, 64)
	if err != nil || w.local == nil {
		return false, nil //nolint:nilerr // it is no act
	}
	return cardstore.HasAct(ctx, w.local.store, act)
}

// keyOf is the API key that a target is; false: it is a card.
func keyOf(target string) (id int64, ok bool) {
	text, ok := strings.CutPrefix(target, keyTargetPrefix)
	if !ok {
		return 0, false
	}
	id, err := strconv.ParseInt(text, 10, 64)
	return id, err == nil
}

// CheckUndo implements [tools.UndoFilter]: no undo gives a key back what was taken from
// it. Who has it may be why it was revoked.
func (w *Wiki) CheckUndo(c tools.Change) error {
	if w.local == nil {
		return nil // keys of another's wiki are no Changes here
	}
	return checkKeyUndo(c)
}

func checkKeyUndo(c tools.Change) error {
	if _, ok := keyOf(c.Target); !ok {
		return nil
	}
	now, after, err := keyStates(c)
	if err != nil || !after.AllowsMore(now) {
		return err
	}
	return tools.Errorf(tools.Denied, "the API key %.100q was revoked or restricted, and no undo gives it back what it allowed; "+
		"make a new one, by `lectern cards key add`", after.Name)
}

// keyStates are the states of the API key that a change is about.
func keyStates(c tools.Change) (before, after *cardauth.KeyState, err error) {
	if before, err = readState[cardauth.KeyState](c.Before); err == nil {
		after, err = readState[cardauth.KeyState](c.After)
	}
	return before, after, err
}

// Restore implements [tools.Restorer]: each card gets a new revision that equals the
// old one.
func (l *local) Restore(ctx context.Context, c tools.CallContext, changes []tools.Change) error {
	keys, others := splitKeys(changes)
	cards, err := cardChanges(others)
	if err != nil {
		return err
	}
	by := cardstore.Caller{Account: cardstore.ServiceAccount(cardstore.Admin), Role: cardstore.Admin}
	seed := c.Seed
	if seed == 0 {
		seed = rand.Uint64() //nolint:gosec // it makes ids, which keep nothing secret
	}
	if err := l.store.RestoreStates(ctx, by, cards, seed, true); err != nil {
		return restoreError(err)
	}
	if keys, err = l.unrestoredKeys(ctx, keys); err != nil {
		return err
	}
	restored := make([]tools.Change, len(cards))
	for i, one := range cards {
		restored[i] = toolChange(one)
	}
	if err := c.BeforeWrite(ctx, slices.Concat(restored, keys)...); err != nil {
		return err
	}
	err = l.store.RestoreStates(ctx, by, cards, seed, false)
	if reportCommit(c, err, restored...); err != nil {
		return restoreError(err)
	}
	for _, k := range keys {
		err := l.restoreKey(ctx, k)
		if reportCommit(c, err, k); err != nil {
			return restoreError(err)
		}
	}
	return nil
}

// splitKeys separates the changes of API keys from those of cards.
func splitKeys(changes []tools.Change) (keys, cards []tools.Change) {
	for _, c := range changes {
		if _, ok := keyOf(c.Target); ok {
			keys = append(keys, c)
		} else {
			cards = append(cards, c)
		}
	}
	return keys, cards
}

// cardChanges are changes of cards as the store has them.
func cardChanges(changes []tools.Change) (cards []cardstore.StateChange, err error) {
	for _, c := range changes {
		one := cardstore.StateChange{Name: cardname.Parse(c.Target)}
		if c.Before.Exists {
			one.BeforeAct, _ = strconv.ParseInt(c.Before.Revision, 10, 64) // mostly there is none
		}
		if one.Before, err = readState[cardstore.State](c.Before); err != nil {
			return nil, err
		}
		if one.After, err = readState[cardstore.State](c.After); err != nil {
			return nil, err
		}
		cards = append(cards, one)
	}
	return cards, nil
}

// unrestoredKeys checks that keys can be restored, and returns those that are not restored already.
func (l *local) unrestoredKeys(ctx context.Context, keys []tools.Change) (unrestored []tools.Change, err error) {
	for _, k := range keys {
		now, err := l.State(ctx, k.Target)
		if err != nil {
			return nil, err
		}
		if err := checkKeyUndo(k); err != nil {
			return nil, err
		}
		switch {
		case sameState(now, k.After):
		case sameState(now, k.Before):
			unrestored = append(unrestored, k)
		default:
			return nil, tools.Errorf(tools.Conflict, "the API key %q was changed later", k.Target)
		}
	}
	return unrestored, nil
}

func sameState(a, b tools.State) bool { return a.Exists == b.Exists && bytes.Equal(a.Data, b.Data) }

func (l *local) restoreKey(ctx context.Context, change tools.Change) error {
	before, after, err := keyStates(change)
	if err != nil {
		return err
	}
	id, _ := keyOf(change.Target)
	fits, err := l.auth.SetKeyState(ctx, id, before, after)
	if err == nil && !fits {
		err = tools.Errorf(tools.Conflict, "the API key %q was changed later", change.Target)
	}
	return err
}

// restoreError is an error of the store in words of tools.
func restoreError(err error) error {
	if wrong, ok := errors.AsType[*cardstore.StateError](err); ok {
		return tools.Errorf(tools.Conflict, "the card %.200q %s", wrong.Name, wrong.Message)
	}
	if taken, ok := errors.AsType[*cardstore.TakenError](err); ok {
		return tools.Errorf(tools.Conflict, "the card %.200q has taken the name", taken.Card.Name)
	}
	return commitError(err)
}
