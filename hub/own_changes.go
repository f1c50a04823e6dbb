package hub

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/tools"
)

// ownChanges are the Changes that one agent made to one source. It is the
// receiver, for one call, of the tools that the hub adds to those of Systems: see
// [tools.OwnChanges].
type ownChanges struct {
	changes *ChangeLog
	call    *call
	open    *sourceRef // of the call's source
}

// maxUndoDiffBytes bounds the diffs of one undo's answer, in bytes.
const maxUndoDiffBytes = 64 << 10

func (l *ChangeLog) newOwnChanges(c *call, open *sourceRef) *ownChanges {
	return &ownChanges{l, c, open}
}

// addOwnChangesTools adds the tools of ownChanges for the sources that grant them.
// Their names depend on what the Systems declare, not on what is granted.
func (v *toolset) addOwnChangesTools(several bool) {
	var of []*source
	taken := map[string]bool{}
	for _, s := range v.sources {
		if s.kind == nil {
			continue
		}
		of = append(of, s)
		for _, info := range s.kind.Manifest().Tools {
			taken[publishedName(s.conf.Kind, info.Name, several)] = true
		}
	}
	kind := tools.OwnChangesKind()
	for i, t := range tools.OwnChangesTools() {
		info := kind.Manifest().Tools[i]
		granting := slices.DeleteFunc(slices.Clone(of), func(s *source) bool { return !v.grantsEffectInSource(s, info.Effect) })
		name := info.Name
		for taken[name] {
			name = "lectern_" + name
		}
		listed := &tool{
			name: name, info: info, digest: policy.ToolDigest(info), kind: kind, choice: newSourceArgument(of, granting, false), ownChanges: &t,
		}
		if len(granting) > 0 {
			v.tools[name] = listed
		} else if len(of) > 0 {
			v.withheld = append(v.withheld, listed)
		}
	}
}

// journalOwnership is what marks a Change as the agent's own.
func (s *session) journalOwnership() (journal.Ownership, error) {
	o := journal.Ownership{Client: s.Proven, Since: s.Since}
	if !s.Shared {
		o.Session = s.ID
	}
	if o.Client == "" && o.Session == "" {
		return o, tools.Errorf(tools.Denied, "this client has neither a session of its own nor a token, so its own changes are not known").
			WithHint("Ask the user; `lectern client token NAME` makes a token.")
	}
	return o, nil
}

func (o *ownChanges) query() (journal.OwnChangesQuery, error) {
	owner, err := o.call.session.journalOwnership()
	query := journal.OwnChangesQuery{Source: o.call.source.conf.Name, Own: owner}
	if slices.ContainsFunc(o.changes.sources.sourcesInScope(""), func(s *source) bool { return s.conf.Privacy.Any() }) {
		query.Visible = o.isVisible
	}
	return query, err
}

// isVisible reports whether nothing that a call did to a source is hidden. What
// it did to a source that is gone cannot be told, so it is.
func (o *ownChanges) isVisible(ctx context.Context, name string, changes []tools.Change, whole bool) (bool, error) {
	src, ok := o.changes.sources.named(name)
	switch {
	case !ok || !whole && src.conf.Privacy.NeedsContent():
		return false, nil
	case !src.conf.Privacy.Any():
		return true, nil
	}
	open, release, err := src.acquire(ctx)
	if err != nil {
		return false, err
	}
	defer release()
	for _, c := range changes {
		if hidden, err := open.HidesChange(ctx, c); err != nil || hidden {
			return false, err
		}
	}
	return true, nil
}

func (o *ownChanges) newUndoRequest(in tools.UndoChangeIn) (journal.OwnUndoRequest, error) {
	query, err := o.query()
	return journal.OwnUndoRequest{OwnChangesQuery: query, ID: in.ID, Merge: in.Merge, Open: o.openRestorer}, err
}

// openRestorer gives the journal the end of an undo in a source that the client may
// change.
func (o *ownChanges) openRestorer(ctx context.Context, name string) (r tools.Restorer, release func(), err error) {
	if _, err := o.changeableSource(name); err != nil {
		return nil, nil, err
	}
	r, release, err = o.changes.openRestorer(ctx, name)
	if err == nil && r == nil {
		release()
		return nil, nil, tools.Errorf(tools.Unavailable, "%s does not support undo", name)
	}
	return r, release, err
}

// changeableSource is a source of the session in which the client may undo.
func (o *ownChanges) changeableSource(name string) (*source, error) {
	for _, s := range o.call.toolset.sources {
		if s.conf.Name == name && o.call.toolset.grantsEffectInSource(s, tools.Writes) {
			return s, nil
		}
	}
	return nil, tools.Errorf(tools.Denied, "the call also changed source %s, which you may not change here", name).
		WithHint("Ask the user; `lectern undo` takes back all of it.")
}

// findUndoImpact returns the other sources that an undo changes, and whether it
// deletes something.
func (o *ownChanges) findUndoImpact(ctx context.Context, in tools.UndoChangeIn) (others []*source, deletes bool, err error) {
	r, err := o.newUndoRequest(in)
	if err != nil {
		return nil, false, err
	}
	names, deletes, err := o.changes.journal.OwnUndoScope(ctx, r)
	for _, name := range names {
		if name == r.Source {
			continue
		}
		src, err := o.changeableSource(name)
		if err != nil {
			return nil, false, err
		}
		others = append(others, src)
	}
	return others, deletes, err
}

// Close implements [tools.Source]: the source behind it stays open.
func (o *ownChanges) Close() error { return nil }

// Check implements [tools.Source].
func (o *ownChanges) Check(ctx context.Context) error { return o.open.Check(ctx) }

// ListChanges implements [tools.OwnChanges].
func (o *ownChanges) ListChanges(ctx context.Context, in tools.ListChangesIn) (out tools.ListChangesOut, err error) {
	query, err := o.query()
	if err != nil {
		return out, err
	}
	found, err := o.changes.journal.OwnChanges(ctx, query, in.ID, in.Before, int(in.Limit))
	if err != nil {
		return out, err
	}
	for _, c := range found.Changes {
		out.Changes = append(out.Changes, tools.OwnChange{
			ID: c.ID, Call: c.Call, Time: c.Time.UTC().Truncate(time.Second), Tool: c.Tool, Target: c.Target, Action: c.Action,
			Outcome: string(c.Outcome),
			Undoes:  c.Undoes, Reason: c.Reason, CannotUndo: c.CannotUndo, Diff: found.Diffs[c.ID],
		})
	}
	if found.More {
		out.Next = out.Changes[len(out.Changes)-1].ID
	}
	return out, nil
}

// UndoChange implements [tools.OwnChanges].
func (o *ownChanges) UndoChange(ctx context.Context, c tools.CallContext, in tools.UndoChangeIn) (out tools.UndoChangeOut, err error) {
	r, err := o.newUndoRequest(in)
	if err != nil {
		return out, err
	}
	var done journal.OwnUndoResult
	var ids []string
	if in.DryRun {
		done, err = o.changes.journal.PlanUndoOwn(ctx, r)
	} else {
		done, ids, err = o.undo(ctx, r, c)
	}
	if edited, ok := errors.AsType[*journal.ConflictError](err); ok {
		return out, tools.Errorf(tools.Conflict, "what %s changed has been edited since, so nothing was undone", in.ID).
			WithHint("Tell the user, or call with merge to keep edits of other lines.").
			WithData(mcp.NoteDiff{Diff: safetext.Shorten(edited.Reason, maxUndoDiffBytes)})
	}
	if err != nil {
		return out, err
	}
	out.Merged = done.Merged
	left := maxUndoDiffBytes
	for i, change := range done.Changes {
		diff := done.Diff(change, left)
		left -= len(diff)
		out.Restored = append(out.Restored, tools.Restored{
			Source: o.nameUnlessOwnSource(done.Sources[i]), Target: change.Target, Action: journal.UndoActionName(change), Diff: diff,
		})
	}
	out.Changes = ids
	return out, nil
}

// undo reports what it writes as c reports what is written to the call's source,
// and returns the IDs of its Changes.
func (o *ownChanges) undo(
	ctx context.Context, r journal.OwnUndoRequest, c tools.CallContext,
) (done journal.OwnUndoResult, ids []string, err error) {
	var recorders []*journal.Recorder
	done, err = o.changes.journal.UndoOwn(ctx, r, func(name string) journal.OwnUndoObserver {
		observer := journal.OwnUndoObserver{Writes: c.Writes, Recorder: o.call.record.recorder}
		if several, ok := c.Writes.(undoObserverProvider); ok && name != r.Source {
			i := slices.IndexFunc(o.call.decided.others, func(s *source) bool { return s.conf.Name == name })
			observer = several.undoObserverFor(o.call.undoCallForSource(o.call.decided.others[i]))
		}
		recorders = append(recorders, observer.Recorder)
		return observer
	})
	for _, rec := range recorders {
		ids = append(ids, rec.IDs()...)
	}
	o.call.record.targets.add(done.Changes)
	return done, ids, err
}

// An undoObserverProvider stands before the writes of an undo in several sources.
type undoObserverProvider interface {
	undoObserverFor(c *call) journal.OwnUndoObserver
}

// undoObserverFor records what is written to another source.
func (w writeObserver) undoObserverFor(c *call) journal.OwnUndoObserver {
	if w.call.record.recorder != nil {
		c.record.recorder = w.hub.changes.newRecorder(c)
	}
	auth := w.auth
	if c.decided.group.planned {
		auth.check = c.decided.group.stepChecker(c)
	}
	return journal.OwnUndoObserver{Writes: writeObserver{w.hub, c, w.restorer, auth}, Recorder: c.record.recorder}
}

func (w dryRunWriteObserver) undoObserverFor(c *call) journal.OwnUndoObserver {
	return journal.OwnUndoObserver{Writes: dryRunWriteObserver{w.rehearsal, c, w.isDraft}}
}

// undoCallForSource is an undo as far as it is about another source.
func (c *call) undoCallForSource(src *source) *call {
	return &call{
		Call: c.Call, caller: c.caller, began: c.began, tool: c.tool, source: src, arguments: c.arguments, outer: c.outer, seed: c.seed,
		decided: decision{effect: c.decided.effect, group: c.decided.group, gate: c.decided.gate},
	}
}

// nameUnlessOwnSource is the name of a source that is not the call's.
func (o *ownChanges) nameUnlessOwnSource(name string) string {
	if name == o.call.source.conf.Name {
		return ""
	}
	return name
}
