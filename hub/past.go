package hub

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/tools"
)

// A past is what one agent did to one source, in the length of one call: the
// receiver of the tools that the hub adds to those of Systems. It is
// [tools.OwnChangesQuery].
type past struct {
	hub      *Hub
	source   *source
	open     *lease
	session  *session
	recorder *journal.Recorder // nil: the call is rehearsed
}

// mostPastDiffs bounds the diffs of one undo's answer, in bytes.
const mostPastDiffs = 64 << 10

// addPast adds the tools of a past for the sources that grant them. Their names
// depend on what the Systems declare, not on what is granted.
func (v *view) addPast(several bool) {
	if len(v.sources) == 0 || !v.sources[0].hub.pasts {
		return
	}
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
		grant := slices.DeleteFunc(slices.Clone(of), func(s *source) bool { return !v.may(s, info.Effect) })
		name := info.Name
		for taken[name] {
			name = "lectern_" + name
		}
		listed := &tool{name: name, info: info, digest: policy.Schema(info), kind: kind, of: of, choice: newChoice(of, grant, false), past: &t}
		if len(grant) > 0 {
			v.tools[name] = listed
		} else if len(of) > 0 {
			v.withheld = append(v.withheld, listed)
		}
	}
}

// invoke runs the tool of a call on an opened source.
func (h *Hub) invoke(ctx context.Context, c *call, src *source, t *tool, open *lease, caller tools.CallContext, args json.RawMessage) (tools.Result, error) {
	if t.past == nil {
		return open.Call(ctx, caller, t.info.Name, args)
	}
	return t.past.Call(ctx, &past{h, src, open, c.session, c.changes}, caller, args)
}

// effect is what a call does: what its tool declares, but of an undo what that
// does. It is an error if there is nothing that the agent may undo.
func (h *Hub) effect(ctx context.Context, c *call, src *source, t *tool, args json.RawMessage) (tools.Effect, error) {
	var in tools.UndoChangeIn
	if t.past == nil || t.info.Effect == tools.Reads || json.Unmarshal(args, &in) != nil || in.ID == "" {
		return t.info.Effect, nil // what is wrong with the arguments, the tool says
	}
	ctx, cancel := context.WithTimeout(ctx, h.limits.Deadline)
	defer cancel()
	release, err := c.session.slots.take(ctx)
	if err != nil {
		return "", err
	}
	removes, err := within(ctx, src, h.begins(release), func(open *lease) (bool, error) {
		p := &past{h, src, open, c.session, nil}
		r, err := p.retraction(in)
		if err != nil {
			return false, err
		}
		return h.journal.UndoOwnDeletes(ctx, r)
	})
	if removes {
		return tools.Deletes, err
	}
	return t.info.Effect, err
}

// own says which Changes are the agent's.
func (s *session) own() (journal.Ownership, error) {
	o := journal.Ownership{Client: s.proven, Since: s.since}
	if !s.shared {
		o.Session = s.id
	}
	if o.Client == "" && o.Session == "" {
		return o, tools.Errorf(tools.Denied, "this client has neither a session of its own nor a token, so nobody can tell what it changed").
			WithHint("Ask the user; `lectern client token NAME` makes a token.")
	}
	return o, nil
}

func (p *past) known() (journal.OwnChangesQuery, error) {
	own, err := p.session.own()
	known := journal.OwnChangesQuery{Source: p.source.conf.Name, Own: own}
	if p.source.conf.Privacy.Any() {
		known.Visible = p.shows
	}
	return known, err
}

// shows says whether nothing of a call is hidden.
func (p *past) shows(ctx context.Context, changes []tools.Change, whole bool) (bool, error) {
	if !whole && p.source.conf.Privacy.NeedsContent() {
		return false, nil
	}
	for _, c := range changes {
		if hidden, err := p.open.HidesChange(ctx, c); err != nil || hidden {
			return false, err
		}
	}
	return true, nil
}

func (p *past) retraction(in tools.UndoChangeIn) (journal.OwnUndo, error) {
	known, err := p.known()
	return journal.OwnUndo{OwnChangesQuery: known, ID: in.ID, Merge: in.Merge, Restorer: p.open.Restorer()}, err
}

// Close implements [tools.Source]: the source is another's to close.
func (p *past) Close() error { return nil }

// Check implements [tools.Source].
func (p *past) Check(ctx context.Context) error { return p.open.Check(ctx) }

// ListChanges implements [tools.OwnChangesQuery].
func (p *past) ListChanges(ctx context.Context, in tools.ListChangesIn) (out tools.ListChangesOut, err error) {
	known, err := p.known()
	if err != nil {
		return out, err
	}
	found, err := p.hub.journal.OwnChanges(ctx, known, in.ID, in.Before, int(in.Limit))
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

// UndoChange implements [tools.OwnChangesQuery].
func (p *past) UndoChange(ctx context.Context, c tools.CallContext, in tools.UndoChangeIn) (out tools.UndoChangeOut, err error) {
	r, err := p.retraction(in)
	if err != nil {
		return out, err
	}
	var done journal.OwnUndoResult
	if in.DryRun {
		done, err = p.hub.journal.PlanUndoOwn(ctx, r)
	} else {
		done, err = p.hub.journal.UndoOwn(ctx, r, c, p.recorder)
	}
	if edited, ok := errors.AsType[*journal.ConflictError](err); ok {
		return out, tools.Errorf(tools.Conflict, "somebody edited later what %s changed, so nothing was undone", in.ID).
			WithHint("Tell the user, or call with merge to keep edits of other lines.").WithData(laterEdit{Diff: clip(edited.Reason, mostPastDiffs)})
	}
	if err != nil {
		return out, err
	}
	out.Merged = done.Merged
	room := mostPastDiffs
	for _, change := range done.Changes {
		diff := done.Diff(change, room)
		room -= len(diff)
		out.Restored = append(out.Restored, tools.Restored{Target: change.Target, Action: journal.UndoAction(change), Diff: diff})
	}
	if !in.DryRun {
		out.Changes = p.recorder.IDs()
	}
	return out, nil
}

// A laterEdit is why an undo is refused. It is the one error that has content of
// notes in it, so it is marked like an answer.
type laterEdit struct {
	Diff string `json:"diff"`
}
