package logseq

import (
	"context"
	"regexp"
	"slices"
	"strings"
)

// On a file graph a block has a uuid that lasts only if its file says so, in a
// line "id:: uuid". So a text that refers to a block writes that line into the
// block, as Logseq does when a person copies a reference; nothing else writes
// one.

var blockReference = regexp.MustCompile(`\(\(([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})\)\)`)

// maxReferenced is how many blocks one call gives an id; the references to the
// others last as long as Logseq has the graph open.
const maxReferenced = 100

// findReferenced notes in each draft which visible blocks it refers to that
// have no id in their file.
func findReferenced(ctx context.Context, g *Graph, drafts []*draft) error {
	if a := g.hello(); a == nil || a.Graph.Kind != "file" {
		return nil
	}
	known := map[UUID]bool{}
	for d := range allDrafts(drafts) {
		for _, m := range blockReference.FindAllStringSubmatch(d.Content, -1) {
			uuid := UUID(strings.ToLower(m[1]))
			if known[uuid] || uuid == d.UUID || len(known) == maxReferenced {
				continue
			}
			known[uuid] = true
			b, err := g.block(ctx, uuid, 0)
			if err := ignoreNotFound(err); err != nil {
				return err
			}
			if err == nil && !b.hasFileID() {
				d.Keep = append(d.Keep, uuid)
			}
		}
	}
	return nil
}

// hasFileID reports whether the block's file says its uuid.
func (b wireBlock) hasFileID() bool {
	return slices.ContainsFunc(strings.Split(b.Raw, "\n"), func(line string) bool {
		line = strings.ToLower(strings.TrimSpace(line))
		return line == "id:: "+string(b.UUID) || strings.HasPrefix(line, ":id:") && strings.HasSuffix(line, string(b.UUID))
	})
}

// planReferenced plans the ids of blocks that drafts refer to.
func planReferenced(drafts []*draft) []plannedChange {
	var all []plannedChange
	for d := range allDrafts(drafts) {
		for _, uuid := range d.Keep {
			all = append(all, planBlockUpdate(uuid, func(k *blockSnapshot) {
				first, rest, more := strings.Cut(k.Text, "\n")
				k.Text = first + "\nid:: " + string(uuid)
				if more {
					k.Text += "\n" + rest
				}
			}))
		}
	}
	return all
}
