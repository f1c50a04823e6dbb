package logseq

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
)

// This file has the rest of a restoration: what is looked at first, what stays
// and becomes something else, and the look at the end.

// check refuses what could not be seen through, before anything is written.
func (r *restoration) check(ctx context.Context) error {
	_, _, renamed := r.renamed()
	for _, v := range r.all {
		var err error
		switch {
		case v.target.blocky():
			err = r.checkBlock(ctx, v)
		case v.target.what == aHead && !renamed && (v.goes() || v.comes()):
			err = tools.Errorf(tools.Conflict, "%s is there or gone for another reason than a new name", v.Target)
		case v.target.what != aHead && v.Before.Exists && v.After.Exists:
			err = tools.Errorf(tools.Unavailable, "%s cannot be turned into another page as a whole", v.Target).WithHint("Take its changes back one by one.")
		case v.target.what != aHead && v.comes():
			err = r.checkBin(ctx, v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkBin sees that a page comes out of the recycle bin as it went in.
func (r *restoration) checkBin(ctx context.Context, v reversal) error {
	p, err := read[keptPage](v.After)
	if err != nil || p.UUID == "" {
		return err
	}
	lies, err := r.g.keptOrBinned(ctx, target{aPage, string(p.UUID)})
	if err != nil || lies == nil {
		return err
	}
	if lies.otherThan(p) {
		return editedSince(v.Target)
	}
	return nil
}

// otherThan says whether somebody has edited a page in the recycle bin since it
// was as it went in. What Logseq itself may have put on it there is no edit.
func (lies keptPage) otherThan(was keptPage) bool {
	lies.Recycled = false
	lies.Properties = maps.Clone(lies.Properties)
	maps.DeleteFunc(lies.Properties, func(ident string, _ json.RawMessage) bool {
		_, had := was.Properties[ident]
		return !had && strings.HasPrefix(ident, ":logseq.")
	})
	lies.Tags = slices.DeleteFunc(slices.Clone(lies.Tags), func(ident string) bool {
		return !slices.Contains(was.Tags, ident) && strings.HasPrefix(ident, ":logseq.")
	})
	return !exactly(stateOf(lies), stateOf(was))
}

// checkBlock sees that a block that goes takes nothing along that it should
// not, and that one that comes or moves has somewhere to go.
func (r *restoration) checkBlock(ctx context.Context, v reversal) error {
	if v.goes() {
		k, err := r.g.keptBlock(ctx, target{aTree, v.target.name})
		if err == nil && k != nil && v.target.what == aBlock && len(k.Children) > 0 {
			return editedSince(v.Target)
		}
		return err
	}
	k, err := read[kept](v.After)
	if err != nil {
		return err
	}
	homes := r.those(func(w reversal) bool {
		if w.target.blocky() {
			other, err := read[kept](w.After)
			return err == nil && w.comes() && k.Parent != "" && other.holds(k.Parent)
		}
		p, err := read[keptPage](w.After)
		return err == nil && w.comes() && k.Parent == "" && (p.Name == k.Page || string(p.UUID) == k.Page)
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
		parent, err := r.g.keptBlock(ctx, target{aBlock, string(k.Parent)})
		if err == nil && parent == nil {
			err = tools.Errorf(tools.Conflict, "the block that %s was below is gone", v.Target).WithHint("Restore that one first.")
		}
		return err
	}
	page, err := r.g.keptPage(ctx, target{aHead, k.Page})
	if err == nil && page == nil {
		err = tools.Errorf(tools.Conflict, "the page that %s was on is gone", v.Target).WithHint("Restore that one first.")
	}
	return err
}

// checkMove refuses to put a block below itself: what was above it has come
// below it since, by another's hand.
func (r *restoration) checkMove(ctx context.Context, v reversal, k kept) error {
	now, err := r.g.keptBlock(ctx, target{aTree, v.target.name})
	if err != nil || now == nil || !now.holds(k.Parent) {
		return err
	}
	along := r.those(func(w reversal) bool {
		return w.target.blocky() && w.Target != v.Target && now.holds(UUID(w.target.name))
	})
	if len(along) > 0 { // it moves away first
		return nil
	}
	return tools.Errorf(tools.Conflict, "what %s was below is below it now", v.Target).WithHint("Move that first.")
}

// heads gives pages that stay their former properties.
func (r *restoration) heads(ctx context.Context) error {
	for _, v := range r.those(func(v reversal) bool { return v.target.what == aHead && v.Before.Exists && v.After.Exists }) {
		if err := r.changeHead(ctx, v); err != nil {
			return err
		}
	}
	return nil
}

func (r *restoration) changeHead(ctx context.Context, v reversal) error {
	p, err := read[keptPage](v.After)
	if err != nil {
		return err
	}
	if was, err := r.g.anyPage(ctx, p.Name); err == nil && was.Name != p.Name { // other letter case
		if err := r.write(ctx, v, "pages.rename", struct {
			Page UUID   `json:"page"`
			Name string `json:"name"`
		}{was.UUID, p.Name}); err != nil {
			return err
		}
	}
	return r.exactHead(ctx, v)
}

// exactHead gives a page its properties, if it has others.
func (r *restoration) exactHead(ctx context.Context, v reversal) error {
	now, err := r.g.State(ctx, v.Target)
	if err != nil || exactly(now, v.After) {
		return err
	}
	p, err := read[keptPage](v.After)
	if err != nil {
		return err
	}
	return r.write(ctx, v, "pages.exact", struct {
		Page keptPage `json:"page"`
	}{p})
}

func (r *restoration) changeBlock(ctx context.Context, v reversal) error {
	was, err := read[kept](v.Before)
	if err != nil {
		return err
	}
	k, err := read[kept](v.After)
	if err != nil {
		return err
	}
	now, err := r.g.State(ctx, v.Target)
	if err != nil || exactly(now, v.After) { // Logseq has done it along with another
		return err
	}
	if was.Page != k.Page || was.Parent != k.Parent || was.After != k.After {
		if err := r.move(ctx, v, k); err != nil {
			return err
		}
	}
	if now, err = r.g.State(ctx, v.Target); err != nil || same(v.target, now, v.After) {
		return err
	}
	if v.target.what == aBlock {
		return r.write(ctx, v, "blocks.exact", k.keptBlock)
	}
	if err := r.write(ctx, v, "blocks.delete", uuidArg{k.UUID}); err != nil {
		return err
	}
	return r.write(ctx, v, "blocks.restore", putBack{k.Page, k.Parent, k.After, []keptBlock{k.keptBlock}})
}

// move puts a block where it was: behind its sibling, or first.
func (r *restoration) move(ctx context.Context, v reversal, k kept) error {
	after, err := r.standing(ctx, k)
	if err != nil {
		return err
	}
	in := struct {
		UUID   UUID     `json:"uuid"`
		Target string   `json:"target"`
		Place  Position `json:"place"`
	}{k.UUID, k.Page, first}
	switch {
	case after != "":
		in.Target, in.Place = string(after), "after"
	case k.Parent != "":
		in.Target = string(k.Parent)
	}
	return r.write(ctx, v, "blocks.move", in)
}

// verify looks at everything once more. Logseq may have stored something else
// than it was given, which is worth an error: nobody else would notice.
func (r *restoration) verify(ctx context.Context) error {
	var wrong []string
	for _, v := range r.all {
		now, err := r.g.State(ctx, v.Target)
		if err != nil {
			return err
		}
		if !same(v.target, now, v.After) {
			wrong = append(wrong, v.Target)
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	slices.Sort(wrong)
	return tools.Errorf(tools.Unavailable, "Logseq did not restore %s exactly", wrong[0]).
		WithHint("Look at it in Logseq and mend the rest by hand.").WithData(map[string]any{"not_exact": wrong})
}
