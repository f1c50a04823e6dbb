package hub

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/tools"
)

// ownChanges are the Changes that one agent made to one source. It is the
// receiver, for one call, of the tools that the hub adds to those of Systems: see
// [tools.OwnChanges].
type ownChanges struct {
	journal  *journal.Journal
	source   *source
	open     *sourceRef
	session  *session
	recorder *journal.Recorder // nil: the call is a dry run
}

// maxUndoDiffs bounds the diffs of one undo's answer, in bytes.
const maxUndoDiffs = 64 << 10

func (l *ChangeLog) own(c *call, open *sourceRef) *ownChanges {
	return &ownChanges{l.journal, c.source, open, c.session, c.recorder}
}

// addOwnChanges adds the tools of ownChanges for the sources that grant them.
// Their names depend on what the Systems declare, not on what is granted.
func (v *toolset) addOwnChanges(several bool) {
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
		granting := slices.DeleteFunc(slices.Clone(of), func(s *source) bool { return !v.granted(s, info.Effect) })
		name := info.Name
		for taken[name] {
			name = "lectern_" + name
		}
		listed := &tool{name: name, info: info, digest: policy.ToolDigest(info), kind: kind, choice: newSourceChoice(of, granting, false), ownChanges: &t}
		if len(granting) > 0 {
			v.tools[name] = listed
		} else if len(of) > 0 {
			v.withheld = append(v.withheld, listed)
		}
	}
}

// owner is what marks a Change as the agent's own.
func (s *session) owner() (journal.Ownership, error) {
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
	owner, err := o.session.owner()
	query := journal.OwnChangesQuery{Source: o.source.conf.Name, Own: owner}
	if o.source.conf.Privacy.Any() {
		query.Visible = o.isVisible
	}
	return query, err
}

// isVisible reports whether nothing of a call is hidden.
func (o *ownChanges) isVisible(ctx context.Context, changes []tools.Change, whole bool) (bool, error) {
	if !whole && o.source.conf.Privacy.NeedsContent() {
		return false, nil
	}
	for _, c := range changes {
		if hidden, err := o.open.HidesChange(ctx, c); err != nil || hidden {
			return false, err
		}
	}
	return true, nil
}

func (o *ownChanges) ownUndo(in tools.UndoChangeIn) (journal.OwnUndo, error) {
	query, err := o.query()
	return journal.OwnUndo{OwnChangesQuery: query, ID: in.ID, Merge: in.Merge, Restorer: o.open.Restorer()}, err
}

// undoDeletes reports whether an undo would delete something.
func (o *ownChanges) undoDeletes(ctx context.Context, in tools.UndoChangeIn) (bool, error) {
	r, err := o.ownUndo(in)
	if err != nil {
		return false, err
	}
	return o.journal.UndoOwnDeletes(ctx, r)
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
	found, err := o.journal.OwnChanges(ctx, query, in.ID, in.Before, int(in.Limit))
	if err != nil {
		return out, err
	}
	for _, c := range found.Changes {
		out.Changes = append(out.Changes, tools.OwnChange{
			ID: c.ID, Call: c.Call, Time: c.Time.UTC().Truncate(time.Second), Tool: c.Tool, Target: c.Target, Action: c.Action, Outcome: string(c.Outcome),
			Undoes: c.Undoes, Reason: c.Reason, CannotUndo: c.CannotUndo, Diff: found.Diffs[c.ID],
		})
	}
	if found.More {
		out.Next = out.Changes[len(out.Changes)-1].ID
	}
	return out, nil
}

// UndoChange implements [tools.OwnChanges].
func (o *ownChanges) UndoChange(ctx context.Context, c tools.CallContext, in tools.UndoChangeIn) (out tools.UndoChangeOut, err error) {
	r, err := o.ownUndo(in)
	if err != nil {
		return out, err
	}
	var done journal.OwnUndoResult
	if in.DryRun {
		done, err = o.journal.PlanUndoOwn(ctx, r)
	} else {
		done, err = o.journal.UndoOwn(ctx, r, c, o.recorder)
	}
	if edited, ok := errors.AsType[*journal.ConflictError](err); ok {
		return out, tools.Errorf(tools.Conflict, "what %s changed has been edited since, so nothing was undone", in.ID).
			WithHint("Tell the user, or call with merge to keep edits of other lines.").WithData(mcp.NoteDiff{Diff: mcp.Truncate(edited.Reason, maxUndoDiffs)})
	}
	if err != nil {
		return out, err
	}
	out.Merged = done.Merged
	left := maxUndoDiffs
	for _, change := range done.Changes {
		diff := done.Diff(change, left)
		left -= len(diff)
		out.Restored = append(out.Restored, tools.Restored{Target: change.Target, Action: journal.UndoAction(change), Diff: diff})
	}
	if !in.DryRun {
		out.Changes = o.recorder.IDs()
	}
	return out, nil
}
