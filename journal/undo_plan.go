package journal

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// SourceProvider lends opened sources. The caller calls release when it is done.
type SourceProvider func(ctx context.Context, name string) (k tools.Restorer, release func(), err error)

// An undoStep undoes one call, or what all calls of a group did to one source.
// Both are undone as a whole, because half a move would be worse than none.
type undoStep struct {
	call      int64 // 0: a group
	group     int64 // 0: a call by itself
	undoGroup int64 // of what the step writes; 0: none
	source    string
	rows      []changeRow // newest first
	changes   []tools.Change
	merged    []string               // targets whose later edits are kept
	after     map[string]tools.State // what it leaves behind, by target
	cannot    error                  // why it cannot be undone; nil: it can
	notice    *Notice                // of what people have to be told when it is done; nil: nothing
}

// PlanUndo returns what Undo would do: a step for every target, with the diff.
func (j *Journal) PlanUndo(ctx context.Context, p status.Filter, from SourceProvider) (status.Plan, error) {
	j.undoLock.Lock()
	defer j.undoLock.Unlock()
	steps, err := j.planUndo(ctx, p, from)
	if err != nil {
		return status.Plan{}, fmt.Errorf("undo: %w", err)
	}
	plan := status.Plan{Steps: []status.Step{}, Risks: []string{}}
	count, room := 0, maxDiffBytes
	for _, s := range steps {
		for _, c := range s.changes {
			count++
			diff := unifiedDiff(c.Target, c.Before, c.After, room)
			room -= len(diff)
			plan.Steps = append(plan.Steps, status.Step{Description: fmt.Sprintf("%s %s in %s", UndoActionName(c), c.Target, s.source), Diff: diff})
		}
		if s.cannot != nil {
			plan.Risks = append(plan.Risks, s.describe()+" is not undone: "+firstLine(s.cannot))
			continue
		}
		if others := s.changeIDsExcept(p.IDs); len(p.IDs) > 0 && len(others) > 0 {
			plan.Risks = append(plan.Risks, fmt.Sprintf("the same call also made %s; a call is undone as a whole", strings.Join(others, ", ")))
		}
		for _, target := range s.merged {
			plan.Risks = append(plan.Risks, target+" was edited later; that edit is kept, so check the result")
		}
	}
	plan.Title = fmt.Sprintf("Undo %s of %s%s", english.Plural(count, "change", ""),
		english.Plural(countCalls(steps), "call", ""), byClients(steps))
	return plan, nil
}

// byClients says whose calls are undone: " by codex", " by codex and cursor", " by 3 agents"; empty
// if one of them has no name, or nothing can be undone.
func byClients(steps []undoStep) string {
	var clients []string
	for _, s := range steps {
		for _, row := range s.rows {
			if s.cannot == nil && !slices.Contains(clients, row.origin.Client) {
				clients = append(clients, row.origin.Client)
			}
		}
	}
	slices.Sort(clients)
	switch {
	case len(clients) == 0 || slices.Contains(clients, ""):
		return ""
	case len(clients) > 2:
		return fmt.Sprintf(" by %d agents", len(clients))
	default:
		return " by " + strings.Join(clients, " and ")
	}
}

// countCalls counts a group as the one call that made the others.
func countCalls(steps []undoStep) int {
	calls := map[[2]int64]bool{}
	for _, s := range steps {
		if s.cannot != nil {
			continue
		}
		calls[[2]int64{s.call, s.group}] = true
	}
	return len(calls)
}

// changeIDsExcept returns the Changes of s that ids do not name, oldest first.
func (s *undoStep) changeIDsExcept(ids []string) []string {
	var others []string
	for _, v := range slices.Backward(s.rows) {
		if !slices.Contains(ids, v.id) {
			others = append(others, v.id)
		}
	}
	return others
}

// UndoActionName says in one word what an undo does to a target.
func UndoActionName(c tools.Change) string {
	switch {
	case !c.Before.Exists && c.After.Exists:
		return "create"
	case c.Before.Exists && !c.After.Exists:
		return "delete"
	}
	return "restore"
}

// planUndo finds the calls that p selects and what undoing them changes,
// newest first. If it returns an error, nothing must be changed. Steps that cannot
// be undone are among them only if p says that they are skipped.
func (j *Journal) planUndo(ctx context.Context, p status.Filter, from SourceProvider) ([]undoStep, error) {
	steps, err := j.selectUndoSteps(p)
	if err != nil {
		return nil, err
	}
	if len(steps) == 0 {
		return nil, errors.New("no matching change to undo")
	}
	preceding := map[string]*precedingUndos{} // by source
	var skipped []*undoStep
	units := 0
	for rest := steps; len(rest) > 0; units++ {
		unit := rest[:undoUnitLength(rest)]
		rest = rest[len(unit):]
		if err := j.planUndoUnit(ctx, unit, p.Merge, from, preceding); ctx.Err() != nil {
			return nil, ctx.Err()
		} else if err != nil {
			for i := range unit {
				unit[i].changes, unit[i].cannot = nil, err
			}
			skipped = append(skipped, &unit[0])
		}
	}
	if len(skipped) == units && (units == 1 || p.Skip) || len(skipped) > 0 && !p.Skip {
		return nil, newCannotUndoCallsError(skipped, units)
	}
	return steps, nil
}

// undoUnitLength is how many of the first steps are undone together or not at all: one
// for each source of a group.
func undoUnitLength(steps []undoStep) int {
	n := 1
	for n < len(steps) && steps[0].group != 0 && steps[n].group == steps[0].group {
		n++
	}
	return n
}

// planUndoUnit plans steps that are undone together, and adds them to those that
// precede the next.
func (j *Journal) planUndoUnit(
	ctx context.Context, unit []undoStep, merging bool, from SourceProvider, preceding map[string]*precedingUndos,
) error {
	for i := range unit {
		s := &unit[i]
		if s.cannot != nil {
			return s.cannot
		}
		if preceding[s.source] == nil {
			preceding[s.source] = newPrecedingUndos()
		}
		if err := j.planStep(ctx, s, merging, from, preceding[s.source]); err != nil {
			return err
		}
	}
	for _, s := range unit {
		preceding[s.source].add(s)
	}
	return nil
}

// newCannotUndoCallsError says which of several calls cannot be undone.
func newCannotUndoCallsError(skipped []*undoStep, units int) error {
	first := skipped[0]
	if units == 1 {
		return first.cannot
	}
	var others strings.Builder
	for i, s := range skipped[1:] {
		if i == 10 {
			fmt.Fprintf(&others, "\nand %d more", len(skipped)-1-i)
			break
		}
		fmt.Fprintf(&others, "\n%s: %s", s.describe(), firstLine(s.cannot))
	}
	advice := "\nNothing was changed. To undo the other " + english.Plural(units-len(skipped), "call", "") + ", repeat it with --skip."
	if len(skipped) == units {
		advice = "\nNothing was changed."
	}
	return fmt.Errorf("%d of %d calls cannot be undone:\n%s: %w%s%s",
		len(skipped), units, first.describe(), first.cannot, others.String(), advice)
}

// describe names a step for people.
func (s *undoStep) describe() string {
	if len(s.rows) == 0 {
		return s.source
	}
	v := s.rows[len(s.rows)-1]
	return fmt.Sprintf("%s (%s %s in %s)", v.id, v.origin.Tool, v.Target, s.source)
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return strings.TrimSuffix(line, ":")
}

// precedingUndos are the steps that are undone before another one.
type precedingUndos struct {
	states  map[string]tools.State // what they leave behind, by target
	changes []tools.Change         // what they change
}

func newPrecedingUndos() *precedingUndos { return &precedingUndos{states: map[string]tools.State{}} }

func (a *precedingUndos) add(s undoStep) {
	maps.Copy(a.states, s.after)
	a.changes = append(a.changes, s.changes...)
}

// explainsDifference reports whether these steps alone are why a target holds now
// instead of was, which is checked again when the step's turn comes. Changes
// of the same target explain nothing, because what they leave behind is now.
func (a *precedingUndos) explainsDifference(k tools.Restorer, target string, now, was tools.State) bool {
	n, ok := k.(tools.NestedTargets)
	if !ok {
		return false
	}
	others := slices.DeleteFunc(slices.Clone(a.changes), func(c tools.Change) bool { return c.Target == target })
	return len(others) > 0 && n.DifferOnlyWithin(target, now, was, others)
}

func (j *Journal) planStep(ctx context.Context, s *undoStep, merging bool, from SourceProvider, before *precedingUndos) error {
	k, release, err := from(ctx, s.source)
	if err != nil {
		return err
	}
	defer release()
	return s.planChanges(ctx, k, merging, before)
}

// planChanges fills in the changes that undo s, if the steps before it
// leave behind what they say and nothing else was edited.
func (s *undoStep) planChanges(ctx context.Context, k tools.Restorer, merging bool, before *precedingUndos) error {
	if k == nil {
		return fmt.Errorf("%s does not support undo", s.source)
	}
	s.changes, s.merged, s.after = nil, nil, map[string]tools.State{}
	var conflicting []changeRow // targets that do not hold the bytes that the Change left
	for _, v := range s.rows {
		want, fits, err := s.planChange(ctx, k, v, merging, before)
		if err != nil {
			return err
		}
		if !fits {
			conflicting = append(conflicting, v)
		}
		s.after[v.Target] = want.After
		s.addChange(want)
	}
	for _, c := range s.changes {
		if err := checkUndo(k, c); err != nil {
			return err
		}
	}
	return s.checkConflictsWithRestorer(ctx, k, conflicting)
}

// planChange returns the change that takes v back. It fits if its target holds what v
// left, or something that can be merged with it.
func (s *undoStep) planChange(
	ctx context.Context, k tools.Restorer, v changeRow, merging bool, before *precedingUndos,
) (want tools.Change, fits bool, err error) {
	want = tools.Change{Target: v.Target, Before: v.After, After: v.Before}
	want.Before.Revision = "" // another write of the same contents is no edit
	now, undoneBefore, err := s.stateBefore(ctx, k, v.Target, before)
	if err != nil {
		return want, false, err
	}
	if sameState(v.Target, now, v.After) || before.explainsDifference(k, v.Target, now, v.After) {
		return want, true, nil
	}
	if merging {
		if merged, ok := mergeStates(v.After, now, v.Before); ok {
			want.Before, want.After = now, merged
			s.merged = append(s.merged, v.Target)
			return want, true, nil
		}
	}
	if undoneBefore {
		return want, false, newEditedBetweenError(v, now)
	}
	return want, false, nil
}

// stateBefore is what a target holds when its turn comes: what was undone before leaves it
// behind, or it is there now.
func (s *undoStep) stateBefore(
	ctx context.Context, k tools.Restorer, target string, before *precedingUndos,
) (state tools.State, undoneBefore bool, err error) {
	for _, states := range []map[string]tools.State{s.after, before.states} {
		if state, undoneBefore = states[target]; undoneBefore {
			return state, true, nil
		}
	}
	state, err = k.State(ctx, target)
	return state, false, err
}

// checkUndo returns why the System itself refuses to take a target back.
func checkUndo(k tools.Restorer, c tools.Change) error {
	if filter, ok := k.(tools.UndoFilter); ok {
		return filter.CheckUndo(c)
	}
	return nil
}

// addChange adds a change, combined with an earlier one of the same target.
func (s *undoStep) addChange(c tools.Change) {
	for i := range s.changes {
		if s.changes[i].Target == c.Target {
			s.changes[i].After = c.After
			return
		}
	}
	s.changes = append(s.changes, c)
}

// checkConflictsWithRestorer asks the System itself whether conflicting targets prevent the
// undo: a State may contain what does not matter, such as a time.
func (s *undoStep) checkConflictsWithRestorer(ctx context.Context, k tools.Restorer, conflicting []changeRow) error {
	if len(conflicting) == 0 {
		return nil
	}
	var back []tools.Change
	for _, v := range conflicting {
		back = append(back, tools.Change{Target: v.Target, Before: v.After, After: v.Before})
	}
	var dryRun tools.DryRun
	err := k.Restore(ctx, tools.CallContext{Writes: &dryRun}, back)
	if _, writes := dryRun.Changes(); err == nil || writes { // no error: all targets may hold the wanted state already
		return nil
	}
	if e := tools.AsError(err); e.Code != tools.Conflict {
		return err
	}
	var why, edited []string
	for _, v := range conflicting {
		now, err := k.State(ctx, v.Target)
		if err != nil {
			return err
		}
		if sameState(v.Target, now, v.After) {
			continue
		}
		edited = append(edited, v.Target)
		why = append(why, fmt.Sprintf("%s in %s was edited after %s:\n%s", v.Target, s.source, v.id, unifiedDiff(v.Target, v.After, now, 8<<10)))
	}
	if len(why) == 0 {
		return err
	}
	return &ConflictError{Reason: strings.TrimRight(strings.Join(why, ""), "\n"), targets: edited}
}

// A ConflictError means that something that an undo would overwrite was edited
// since by somebody else. Reason holds the diff, which only a person may see.
type ConflictError struct {
	Reason string

	targets []string // that were edited
}

// Error implements error.
func (e *ConflictError) Error() string {
	return e.Reason + "\nNothing was changed. Undo the later edit first, or use --merge, which keeps it if it is in other lines."
}

func newEditedBetweenError(v changeRow, now tools.State) error {
	return &ConflictError{targets: []string{v.Target}, Reason: fmt.Sprintf("%s in %s was edited between the changes to undo:\n%s",
		v.Target, v.origin.Source, strings.TrimRight(unifiedDiff(v.Target, v.After, now, 8<<10), "\n"))}
}

// selectUndoSteps returns the calls that p selects, newest first. Without IDs it
// skips undos and Changes that are not written.
func (d *database) selectUndoSteps(p status.Filter) ([]undoStep, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.openAndFlush(); err != nil {
		return nil, err
	}
	var err error
	if p.IDs, err = expandScriptRunIDs(d, p.IDs); err != nil {
		return nil, err
	}
	where, args, err := d.filterCondition(p)
	if err != nil {
		return nil, err
	}
	if len(p.IDs) == 0 {
		if p.Source == "" && p.Client == "" && p.Session == "" && p.Group == "" && p.Since.IsZero() {
			return nil, errors.New("nothing selected to undo; give IDs, a source, a client, a session or a time")
		}
		where += " AND outcome = 'written' AND undoes = 0"
	}
	all, err := d.readChangeRows(where+" ORDER BY seq DESC", args...)
	if err != nil {
		return nil, err
	}
	if err := d.checkSelectedIDs(p.IDs, all); err != nil {
		return nil, err
	}
	return d.stepsOfWholeCalls(all)
}

// checkSelectedIDs checks Changes that were selected by ID.
func (d *database) checkSelectedIDs(ids []string, all []changeRow) error {
	for _, id := range ids {
		i := slices.IndexFunc(all, func(v changeRow) bool { return v.id == id })
		switch {
		case i < 0:
			return fmt.Errorf("change %.40s not found; `lectern changes` lists the changes", id)
		case all[i].outcome == status.Undone:
			return fmt.Errorf("%s has been undone already", id)
		}
	}
	return nil
}

// stepsOfWholeCalls returns the complete calls and groups of rows, in their order.
func (d *database) stepsOfWholeCalls(rows []changeRow) ([]undoStep, error) {
	var steps []undoStep
	for _, v := range rows {
		if slices.ContainsFunc(steps, func(s undoStep) bool { return s.includes(v) }) {
			continue
		}
		whole, err := d.stepsOfWholeCall(v)
		if cannot, ok := errors.AsType[*cannotUndoError](err); ok {
			whole = []undoStep{{call: v.call, group: v.group, source: v.origin.Source, rows: []changeRow{v}, cannot: cannot}}
		} else if err != nil {
			return nil, err
		}
		steps = append(steps, whole...)
	}
	return steps, nil
}

// includes reports whether v belongs to the call or group of s.
func (s *undoStep) includes(v changeRow) bool {
	return s.group != 0 && s.group == v.group || s.group == 0 && s.call == v.call
}

// stepsOfWholeCall returns what undoes the call or the group of a Change: a step for
// every source.
func (d *database) stepsOfWholeCall(v changeRow) ([]undoStep, error) {
	steps, err := d.unloadedSteps(v)
	if err != nil {
		return nil, err
	}
	var left []undoStep
	for _, s := range steps {
		s, err := d.loadStep(s)
		if err != nil {
			return nil, err
		}
		if len(s.rows) > 0 {
			left = append(left, s)
		}
	}
	return left, nil
}

// unloadedSteps are the steps of stepsOfWholeCall without their Changes.
func (d *database) unloadedSteps(v changeRow) ([]undoStep, error) {
	if v.group == 0 {
		return []undoStep{{call: v.call, source: v.origin.Source}}, nil
	}
	sources, err := d.sourcesOfGroup(v.group)
	steps := make([]undoStep, len(sources))
	for i, source := range sources {
		steps[i] = undoStep{group: v.group, source: source}
	}
	return steps, err
}

// sqlCondition selects the Changes of s.
func (s *undoStep) sqlCondition() (string, []any) {
	if s.group != 0 {
		return "group_id = ? AND source = ?", []any{s.group, s.source}
	}
	return "call = ?", []any{s.call}
}

// loadStep fills in those Changes of s that are not undone, with their contents.
func (d *database) loadStep(s undoStep) (undoStep, error) {
	where, args := s.sqlCondition()
	rows, err := d.readChangeRows(where+" AND outcome <> 'undone' ORDER BY seq DESC", args...)
	if err != nil {
		return s, err
	}
	for i := range rows {
		v := &rows[i]
		switch {
		case v.cannotUndo != "":
			return s, &cannotUndoError{reason: fmt.Sprintf("%s (%s in %s) cannot be undone: %s", v.id, v.Target, s.source, v.cannotUndo)}
		case v.outcome == "":
			return s, &cannotUndoError{
				fmt.Sprintf("the outcome of %s (%s in %s) is not known yet: open the source first", v.id, v.Target, s.source),
				true,
			}
		}
		if err := d.loadContents(v); err != nil {
			return s, err
		}
	}
	s.rows = rows
	return s, nil
}

// A cannotUndoError is why a call cannot be undone.
type cannotUndoError struct {
	reason  string
	pending bool // it can when its source has been reconciled
}

func (e *cannotUndoError) Error() string { return e.reason }
