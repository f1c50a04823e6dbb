package journal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// An Own says which Changes are an agent's own. A name that a client merely
// gives itself is nothing to go by.
type Own struct {
	Client  string    // that has proved its name; empty: it has not
	Session string    // that nobody else can be in; empty: there is none
	Since   time.Time // when the session began
}

// condition is o for a WHERE.
func (o Own) condition() (string, []any) {
	switch {
	case o.Client == "" && o.Session == "":
		return "0", nil
	case o.Client == "":
		return "session = ? AND time >= ?", []any{o.Session, o.Since.UnixNano()}
	case o.Session == "":
		return "client = ? AND proven = 1", []any{o.Client}
	}
	return "(client = ? AND proven = 1 OR session = ? AND time >= ?)", []any{o.Client, o.Session, o.Since.UnixNano()}
}

// A Past is that of one source as far as one agent may know it.
type Past struct {
	Source string
	Own    Own
	// Shows says whether an agent may know of all Changes of one call; whole
	// is false where their contents are no longer kept. Nil: it may.
	Shows func(ctx context.Context, changes []tools.Change, whole bool) (bool, error)
}

// OwnChanges answers an agent's Changes in a source, newest first: at most limit
// of those before the one of that ID, or the one of id alone, with its diff. Of
// a call of which one Change must not be known, none is.
func (j *Journal) OwnChanges(ctx context.Context, see Past, id, before string, limit int) (status.Changes, error) {
	all, more, err := j.ownRows(ctx, see, id, before, limit)
	if err != nil {
		return status.Changes{}, err
	}
	answer := status.Changes{Changes: []status.Change{}, More: more}
	for _, v := range all {
		answer.Changes = append(answer.Changes, v.status())
	}
	if id == "" {
		return answer, nil
	}
	if len(all) == 0 {
		return status.Changes{}, noChange(id)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	err = j.openUnless() // it may have been closed meanwhile
	if err == nil {
		err = j.fill(&all[0])
	}
	if err != nil {
		return status.Changes{}, fmt.Errorf("list changes: %w", err)
	}
	answer.Diffs = map[string]string{id: all[0].diff(mostOwnDiff)}
	return answer, nil
}

// mostOwnDiff bounds the diffs of one answer to an agent, in bytes.
const mostOwnDiff = 64 << 10

// noChange is the answer for an ID that is none of the agent's, whatever else it
// may be.
func noChange(id string) error {
	return tools.Errorf(tools.NotFound, "you have made no change %.40q in this source", id).WithHint("List your changes first.")
}

// ownBatch is how many rows are looked at together.
const ownBatch = 128

func (j *Journal) ownRows(ctx context.Context, see Past, id, before string, limit int) (found []row, more bool, err error) {
	p := status.Filter{Source: see.Source, Before: before}
	if id != "" {
		p.IDs = []string{id}
	}
	shown := map[int64]bool{} // by call
	for {
		batch, err := j.ownBatch(ctx, see.Own, p)
		if err != nil {
			return nil, false, err
		}
		for _, v := range batch {
			if err := j.look(ctx, see, v.call, shown); err != nil {
				return nil, false, err
			}
			switch {
			case !shown[v.call]:
			case len(found) == limit:
				return found, true, nil
			default:
				found = append(found, v)
			}
		}
		if len(batch) < ownBatch {
			return found, false, nil
		}
		p.Before = idOf(batch[len(batch)-1].seq)
	}
}

func (j *Journal) ownBatch(ctx context.Context, own Own, p status.Filter) ([]row, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, id := range append(slices.Clone(p.IDs), p.Before) {
		if _, err := seqOf(id); id != "" && err != nil {
			return nil, noChange(id)
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.ready(); err != nil {
		return nil, fmt.Errorf("list changes: %w", err)
	}
	where, args, err := j.where(p)
	if err != nil {
		return nil, err
	}
	mine, more := own.condition()
	all, err := j.rows(where+" AND "+mine+" ORDER BY seq DESC LIMIT ?", append(append(args, more...), ownBatch)...)
	if err != nil {
		return nil, fmt.Errorf("list changes: %w", err)
	}
	return all, nil
}

// look notes in shown whether all of a call may be known.
func (j *Journal) look(ctx context.Context, see Past, call int64, shown map[int64]bool) error {
	if _, known := shown[call]; known {
		return nil
	}
	if see.Shows == nil {
		shown[call] = true
		return nil
	}
	changes, whole, err := j.changesOf(call)
	if err != nil {
		return fmt.Errorf("list changes: %w", err)
	}
	shown[call], err = see.Shows(ctx, changes, whole)
	return err
}

func (j *Journal) changesOf(call int64) (changes []tools.Change, whole bool, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.openUnless(); err != nil {
		return nil, false, err
	}
	rows, err := j.rows("call = ?", call)
	if err != nil {
		return nil, false, err
	}
	whole = true
	for i := range rows {
		v := &rows[i]
		if v.fixed != "" { // of what it held, nothing is known
			changes, whole = append(changes, tools.Change{Target: v.Target}), false
			continue
		}
		if err := j.fill(v); err != nil {
			return nil, false, err
		}
		changes = append(changes, v.Change)
	}
	return changes, whole, nil
}

// A Retraction is an undo by the agent itself: of the whole call that one of
// its Changes belongs to.
type Retraction struct {
	Past

	ID     string
	Merge  bool
	Keeper tools.Restorer
}

// Retracting is what a Retraction does.
type Retracting struct {
	Changes []tools.Change
	Merged  []string // targets whose later edits stay
}

// Diff of one of the changes, at most about most bytes.
func (r Retracting) Diff(c tools.Change, most int) string {
	return diffOf(c.Target, c.Before, c.After, most)
}

// Removes says whether taking the call back removes something that it made. An
// ID that is none of the agent's is NotFound.
func (j *Journal) Removes(ctx context.Context, r Retraction) (bool, error) {
	s, err := j.retracted(ctx, r)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(s.rows, func(v row) bool { return v.After.Exists && !v.Before.Exists && !holdsOthers(v.Target) }), nil
}

// PlanRetraction says what Retract would do.
func (j *Journal) PlanRetraction(ctx context.Context, r Retraction) (Retracting, error) {
	j.undoing.Lock()
	defer j.undoing.Unlock()
	s, err := j.prepareRetraction(ctx, r)
	return Retracting{s.changes, s.merged}, err
}

// Retract takes the call back as Undo does. What it is about to change is told
// to c first, whose error stops it; what is told to by is recorded. A nil by
// is for a c that lets nothing through, and then nothing is noted down either.
func (j *Journal) Retract(ctx context.Context, r Retraction, c tools.CallContext, by *Recorder) (Retracting, error) {
	j.undoing.Lock()
	defer j.undoing.Unlock()
	s, err := j.prepareRetraction(ctx, r)
	if err != nil {
		return Retracting{}, err
	}
	if by == nil {
		return Retracting{}, r.Keeper.Restore(ctx, c, s.changes)
	}
	if err := j.intend([]step{s}, r.Merge, by.origin); err != nil {
		return Retracting{}, stopped(err)
	}
	ctx = context.WithoutCancel(ctx) // what is begun is seen through
	if err := j.restore(ctx, s, by, c, r.Keeper); err != nil {
		j.giveUp([]step{s})
		return Retracting{}, err
	}
	return Retracting{s.changes, s.merged}, nil
}

func (j *Journal) prepareRetraction(ctx context.Context, r Retraction) (step, error) {
	s, err := j.retracted(ctx, r)
	if err != nil {
		return step{}, err
	}
	if r.Keeper == nil {
		return step{}, tools.Errorf(tools.Unavailable, "%s cannot take changes back", r.Source)
	}
	if err := s.against(ctx, r.Keeper, r.Merge, &ahead{left: map[string]tools.State{}}); err != nil {
		return step{}, err
	}
	return s, nil
}

// retracted is the call to take back, as it stands.
func (j *Journal) retracted(ctx context.Context, r Retraction) (step, error) {
	found, _, err := j.ownRows(ctx, r.Past, r.ID, "", 1)
	if err != nil {
		return step{}, err
	}
	if len(found) == 0 {
		return step{}, noChange(r.ID)
	}
	if found[0].outcome == status.Undone {
		return step{}, tools.Errorf(tools.Conflict, "%s was taken back already", r.ID)
	}
	s, err := j.standing(found[0].call, r.Source)
	if stands, ok := errors.AsType[*standsError](err); ok {
		return step{}, tools.Errorf(tools.Conflict, "%s", stands.why)
	}
	return s, err
}
