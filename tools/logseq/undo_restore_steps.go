package logseq

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
)

// This file has the checks before a restore, the steps for what is changed in
// place, and the check at the end.

// check refuses steps that cannot succeed, before anything is written.
func (r *restorer) check(ctx context.Context) error {
	_, _, renamed := r.findRename()
	for _, v := range r.steps {
		var err error
		switch {
		case v.target.isBlock():
			err = r.checkBlock(ctx, v)
		case v.target.kind == pageHeadTarget && !renamed && (v.deletes() || v.creates()):
			err = tools.Errorf(tools.Conflict, "%s exists or is missing for another reason than a rename", v.Target)
		case v.target.kind != pageHeadTarget && v.Before.Exists && v.After.Exists:
			err = tools.Errorf(tools.Unavailable, "%s cannot be replaced as a whole", v.Target).WithHint("Undo its changes one by one.")
		case v.target.kind != pageHeadTarget && v.creates():
			err = r.checkRecycled(ctx, v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkRecycled checks that a page in the recycle bin was not edited.
func (r *restorer) checkRecycled(ctx context.Context, v undoStep) error {
	p, err := decodeState[pageSnapshot](v.After)
	if err != nil || p.UUID == "" {
		return err
	}
	lies, err := r.g.readPageOrRecycled(ctx, target{pageTarget, string(p.UUID)})
	if err != nil || lies == nil {
		return err
	}
	if lies.editedSince(p) {
		return editedError(v.Target)
	}
	return nil
}

// editedSince reports whether a page in the recycle bin differs from what it
// was. What Logseq itself adds there does not count.
func (lies pageSnapshot) editedSince(was pageSnapshot) bool {
	lies.Recycled = false
	lies.Properties = maps.Clone(lies.Properties)
	maps.DeleteFunc(lies.Properties, func(ident string, _ json.RawMessage) bool {
		_, had := was.Properties[ident]
		return !had && strings.HasPrefix(ident, ":logseq.")
	})
	lies.Tags = slices.DeleteFunc(slices.Clone(lies.Tags), func(ident string) bool {
		return !slices.Contains(was.Tags, ident) && strings.HasPrefix(ident, ":logseq.")
	})
	return !equalStates(encodeState(lies), encodeState(was))
}

// checkBlock checks that deleting a block deletes nothing else, and that a
// block to create or move has a parent.
func (r *restorer) checkBlock(ctx context.Context, v undoStep) error {
	if v.deletes() {
		k, err := r.g.readBlockSnapshot(ctx, target{treeTarget, v.target.name})
		if err == nil && k != nil && v.target.kind == blockTarget && len(k.Children) > 0 {
			return editedError(v.Target)
		}
		return err
	}
	k, err := decodeState[blockSnapshot](v.After)
	if err != nil {
		return err
	}
	homes := r.selectSteps(func(w undoStep) bool {
		if w.target.isBlock() {
			other, err := decodeState[blockSnapshot](w.After)
			return err == nil && w.creates() && k.Parent != "" && other.contains(k.Parent)
		}
		p, err := decodeState[pageSnapshot](w.After)
		return err == nil && w.creates() && k.Parent == "" && (p.Name == k.Page || string(p.UUID) == k.Page)
	})
	if len(homes) > 0 {
		return nil
	}
	if v.Before.Exists {
		if err := r.checkMove(ctx, v, k); err != nil {
			return err
		}
	}
	if k.Parent != "" {
		parent, err := r.g.readBlockSnapshot(ctx, target{blockTarget, string(k.Parent)})
		if err == nil && parent == nil {
			err = tools.Errorf(tools.Conflict, "the previous parent block of %s does not exist", v.Target).WithHint("Restore that one first.")
		}
		return err
	}
	page, err := r.g.readPageSnapshot(ctx, target{pageHeadTarget, k.Page})
	if err == nil && page == nil {
		err = tools.Errorf(tools.Conflict, "the previous page of %s does not exist", v.Target).WithHint("Restore that one first.")
	}
	return err
}

// checkMove refuses to move a block below itself, when its former parent has
// been moved below it.
func (r *restorer) checkMove(ctx context.Context, v undoStep, k blockSnapshot) error {
	now, err := r.g.readBlockSnapshot(ctx, target{treeTarget, v.target.name})
	if err != nil || now == nil || !now.contains(k.Parent) {
		return err
	}
	along := r.selectSteps(func(w undoStep) bool {
		return w.target.isBlock() && w.Target != v.Target && now.contains(UUID(w.target.name))
	})
	if len(along) > 0 { // it moves away first
		return nil
	}
	return tools.Errorf(tools.Conflict, "the previous parent of %s is now below it", v.Target).WithHint("Move that first.")
}

// restoreHeads restores the properties of existing pages.
func (r *restorer) restoreHeads(ctx context.Context) error {
	for _, v := range r.selectSteps(func(v undoStep) bool { return v.target.kind == pageHeadTarget && v.Before.Exists && v.After.Exists }) {
		if err := r.restoreHead(ctx, v); err != nil {
			return err
		}
	}
	return nil
}

func (r *restorer) restoreHead(ctx context.Context, v undoStep) error {
	p, err := decodeState[pageSnapshot](v.After)
	if err != nil {
		return err
	}
	if was, err := r.g.unfilteredPage(ctx, p.Name); err == nil && was.Name != p.Name { // other letter case
		if err := r.write(ctx, v, "pages.rename", renameArg{was.UUID, p.Name}); err != nil {
			return err
		}
	}
	return r.writeHead(ctx, v)
}

// writeHead sets the properties of a page if they differ.
func (r *restorer) writeHead(ctx context.Context, v undoStep) error {
	now, err := r.g.State(ctx, v.Target)
	if err != nil || equalStates(now, v.After) {
		return err
	}
	p, err := decodeState[pageSnapshot](v.After)
	if err != nil {
		return err
	}
	return r.write(ctx, v, "pages.exact", struct {
		Page pageSnapshot `json:"page"`
	}{p})
}

func (r *restorer) restoreBlock(ctx context.Context, v undoStep) error {
	was, err := decodeState[blockSnapshot](v.Before)
	if err != nil {
		return err
	}
	k, err := decodeState[blockSnapshot](v.After)
	if err != nil {
		return err
	}
	now, err := r.g.State(ctx, v.Target)
	if err != nil || equalStates(now, v.After) { // Logseq has done it along with another
		return err
	}
	if was.differs(k.blockPlace) {
		if err := r.moveBack(ctx, v, k); err != nil {
			return err
		}
	}
	if now, err = r.g.State(ctx, v.Target); err != nil || sameTargetState(v.target, now, v.After) {
		return err
	}
	if v.target.kind == blockTarget {
		return r.write(ctx, v, "blocks.exact", k.blockTree)
	}
	if err := r.write(ctx, v, "blocks.delete", uuidArg{k.UUID}); err != nil {
		return err
	}
	return r.insertBack(ctx, v, k)
}

// verify checks every target once more, because Logseq may have stored
// something else than it was given.
func (r *restorer) verify(ctx context.Context) error {
	var wrong []string
	for _, v := range r.steps {
		now, err := r.g.State(ctx, v.Target)
		if err != nil {
			return err
		}
		if !sameTargetState(v.target, now, v.After) {
			wrong = append(wrong, v.Target)
		}
	}
	slices.Sort(wrong)
	misplaced, err := r.compareOrders(ctx)
	if wrong = append(wrong, misplaced...); err != nil || len(wrong) == 0 {
		return err
	}
	return tools.Errorf(tools.Unavailable, "Logseq did not restore %s exactly", wrong[0]).
		WithHint("Check it in Logseq and correct the rest by hand.").WithData(map[string]any{"not_exact": wrong})
}
