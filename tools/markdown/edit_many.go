package markdown

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/lectern-mcp/lectern/internal/folder"
)

// editPages drafts the edits of many pages. A page for which edit returns nothing
// stays; edit is called from several goroutines. It returns the pages that change and
// how many could not be read.
func (d *draft) editPages(
	ctx context.Context, files []string, edit func(p *page) []folder.Splice,
) (changed []string, unreadable int, err error) {
	pages, after := make([]*page, len(files)), make([][]byte, len(files))
	var bad atomic.Int64
	err = folder.ForEach(ctx, len(files), func(i int) {
		p, err := d.readPage(files[i])
		if err != nil || !p.utf8 {
			bad.Add(1)
			return
		}
		if splices := edit(p); len(splices) > 0 {
			slices.SortFunc(splices, func(a, b folder.Splice) int { return a.Start - b.Start })
			pages[i], after[i] = p, folder.ApplySplices(p.data, splices)
		}
	})
	if err != nil {
		return nil, 0, err
	}
	for i, p := range pages {
		if p == nil {
			continue
		}
		if d.n.view.Hides(p.file, after[i]) {
			return nil, 0, hiddenError()
		}
		if err := d.setContent(p, after[i]); err != nil {
			return nil, 0, err
		}
		changed = append(changed, p.file)
	}
	return changed, int(bad.Load()), nil
}
