package logseq

import (
	"context"

	"github.com/lectern-mcp/lectern/tools"
)

// This file names what tools that write are about, as far as their arguments tell: for rules by
// path, and for the record of a call that ends before its changes are known.

// A targetNamer is an input that tells what its call is about.
type targetNamer interface{ targets(g *Graph) []string }

// withWriteTargets adds to a tool what its calls are about, if their input tells.
func withWriteTargets[In any](t tools.Tool[*Graph]) tools.Tool[*Graph] {
	var none In
	if _, tells := any(none).(targetNamer); !tells {
		return t
	}
	return tools.WithTargets(t, func(g *Graph, _ context.Context, in In) ([]string, error) {
		names, _ := any(in).(targetNamer)
		return names.targets(g), nil
	})
}

// namePages names pages as Changes do; none for an argument that is missing.
func namePages(names ...Name) (targets []string) {
	for _, name := range names {
		if name != "" {
			targets = append(targets, target{pageTarget, string(name)}.String())
		}
	}
	return targets
}

// nameBlocks names blocks as Changes do; none for an argument that is missing.
func nameBlocks(kind string, blocks ...UUID) (targets []string) {
	for _, uuid := range blocks {
		if uuid != "" {
			targets = append(targets, target{kind, string(uuid)}.String())
		}
	}
	return targets
}

// targets are the page or block at which something would be put.
func (w positionArgs) targets() []string {
	return append(namePages(w.page), nameBlocks(blockTarget, w.parent, w.sibling)...)
}

func (in CreatePageIn) targets(*Graph) []string { return namePages(in.Title) }

func (in UpdatePageIn) targets(*Graph) []string { return namePages(in.PageName) }

func (in ReplacePageContentIn) targets(*Graph) []string { return namePages(in.PageName) }

func (in RenamePageIn) targets(*Graph) []string { return namePages(in.PageName, in.NewName) }

func (in DeletePageIn) targets(*Graph) []string { return namePages(in.PageName) }

func (in CreateTagIn) targets(*Graph) []string { return namePages(in.Name) }

func (in CreatePropertyIn) targets(*Graph) []string { return namePages(in.Name) }

func (in CreateBlockIn) targets(*Graph) []string { return in.position().targets() }

func (in InsertBlocksIn) targets(*Graph) []string { return in.position().targets() }

func (in UpdateBlockIn) targets(*Graph) []string { return nameBlocks(blockTarget, in.BlockUUID) }

func (in SetTaskIn) targets(*Graph) []string { return nameBlocks(blockTarget, in.BlockUUID) }

func (in MoveBlockIn) targets(*Graph) []string {
	return append(nameBlocks(treeTarget, in.BlockUUID), in.position().targets()...)
}

func (in DeleteBlockIn) targets(*Graph) []string {
	if in.Recursive {
		return nameBlocks(treeTarget, in.BlockUUID)
	}
	return nameBlocks(blockTarget, in.BlockUUID)
}

func (in SetTagsIn) targets(*Graph) []string {
	return append(namePages(in.PageName), nameBlocks(blockTarget, in.BlockUUID)...)
}

func (in AppendToJournalIn) targets(g *Graph) []string {
	day, err := g.parseDay("date", in.Date)
	if err != nil {
		return nil
	}
	return []string{target{journalTarget, formatDay(day)}.String()}
}

// targets are those of all calls, as far as their tools tell.
func (in BatchIn) targets(ctx context.Context, g *Graph, callable []tools.Tool[*Graph]) (names []string, err error) {
	for _, step := range in.Items {
		for _, t := range callable {
			if t.Info().Name != step.Tool || !t.Info().HasTargets {
				continue
			}
			if of, err := t.Targets(ctx, g, step.Arguments); err == nil {
				names = append(names, of...)
			}
		}
	}
	return names, nil
}
