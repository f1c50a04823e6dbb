package markdown

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/lectern-mcp/lectern/tools"
)

// indexCommands are what a person can do with the index of the pages: it is a cache,
// so that little can go wrong.
func indexCommands() []tools.Command[*Notebook] {
	return []tools.Command[*Notebook]{{
		CommandInfo: tools.CommandInfo{
			Name: "index rebuild", Doc: "Read all pages of a folder into its index again.\n\n" +
				"Lectern notices changes automatically. This is for when you doubt it; searches wait for the index meanwhile.",
		},
		Run: func(n *Notebook, ctx context.Context, _ tools.CommandCall, out io.Writer) error {
			return rebuildIndex(ctx, n, out)
		},
	}}
}

func rebuildIndex(ctx context.Context, n *Notebook, out io.Writer) error {
	if n.index == nil {
		return tools.Errorf(tools.Invalid, "source %s has no folder to keep an index in", n.name)
	}
	pages, bytes, err := n.index.rebuild(ctx)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return &tools.Error{
			Code: tools.Unavailable, Message: "the index was not made: " + describeIndexFailure(err),
			Hint: "Searches read the files meanwhile, with the same results; Lectern tries again automatically.", Cause: err,
		}
	case pages == 0:
		_, err = fmt.Fprintf(out, "no index: it begins with %d pages; fewer are read as fast\n", n.index.least)
	default:
		_, err = fmt.Fprintf(out, "%d pages are in the index, %.1f MB\n", pages, float64(bytes)/1e6)
	}
	return err
}

// rebuild makes the index again. It returns how many pages it has, none if there are
// too few, and its bytes.
func (p *pageIndex) rebuild(ctx context.Context) (pages int, bytes int64, err error) {
	p.busy.Lock()
	err = p.closeLocked()
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if failed := os.Remove(p.file + suffix); failed != nil && !errors.Is(failed, fs.ErrNotExist) {
			err = errors.Join(err, failed)
		}
	}
	p.busy.Unlock()
	if err == nil {
		err = p.fill(ctx)
	}
	if err != nil {
		p.wake() // Run tries again, from time to time
		return 0, 0, fmt.Errorf("rebuild the index: %w", err)
	}
	p.busy.Lock()
	defer p.busy.Unlock()
	if p.x == nil {
		return 0, 0, nil
	}
	size, err := p.x.Size(ctx)
	return size.Pages, size.Bytes, err
}
