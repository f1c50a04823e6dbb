package markdown

import (
	"context"
	"sync"

	"github.com/lectern-mcp/lectern/tools/markdown/internal/index"
)

// maxMovedPages bounds the former paths that movedPages remembers.
const maxMovedPages = 10_000

// movedPages are the former paths of pages that somebody has moved, an agent or
// another program, since the source was opened, so that who still uses one is told the
// new one. They are paths of pages that agents could see there and can see now.
type movedPages struct {
	mu    sync.Mutex
	to    map[string]string
	order []string // the oldest first
}

func (m *movedPages) add(moved map[string]string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.to == nil {
		m.to = map[string]string{}
	}
	for from, to := range moved {
		if _, known := m.to[from]; !known {
			m.order = append(m.order, from)
		}
		m.to[from] = to
		delete(m.to, to) // it is taken again
	}
	for len(m.order) > maxMovedPages {
		delete(m.to, m.order[0])
		m.order = m.order[1:]
	}
}

// find follows a former path to where the page is now.
func (m *movedPages) find(from string) (file string, found bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	const most = 20
	for range most {
		to, moved := m.to[from]
		if !moved {
			break
		}
		file, from, found = to, to, true
	}
	return file, found
}

// pairMoves finds which of the pages that came are pages that went: those with the same
// id, or else of the same size and time of modification, which a rename keeps. What
// fits several pages is paired with none.
func (p *pageIndex) pairMoves(ctx context.Context, came []index.Page, gone []string) (map[string]string, error) {
	if len(gone) == 0 || len(came) == 0 {
		return nil, nil
	}
	type traits struct {
		id   string
		size int64
		at   int64
	}
	went, arrived := map[traits][]string{}, map[traits][]string{}
	ids := map[string]string{}
	err := p.x.HeadsOf(ctx, gone, func(file, _ string, head index.Head) { ids[file] = head.ID })
	if err != nil {
		return nil, err
	}
	note := func(all map[traits][]string, file, id string, stamp index.Stamp) {
		if id != "" {
			all[traits{id: id}] = append(all[traits{id: id}], file)
		} else if stamp.Size > 0 {
			same := traits{size: stamp.Size, at: stamp.Modified}
			all[same] = append(all[same], file)
		}
	}
	for _, file := range gone {
		stamp, _ := p.known.Find(file)
		note(went, file, ids[file], stamp)
	}
	for _, page := range came {
		if _, known := p.known.Find(page.File); !known {
			note(arrived, page.File, page.Head.ID, page.Stamp)
		}
	}
	moved := map[string]string{}
	for same, files := range went {
		if to := arrived[same]; len(files) == 1 && len(to) == 1 {
			moved[files[0]] = to[0]
		}
	}
	return moved, nil
}

// movedTo is where the page is now that had a path; not found: nobody knows of one.
func movedTo(n *Notebook, arg string) (file string, found bool) {
	if n.index == nil {
		return "", false
	}
	place := argumentPlace(arg)
	for _, former := range []string{arg, place + ".md", place + "/" + indexPage} {
		if file, found = n.index.moved.find(former); found && n.view.Exists(file) && n.isServed(file) {
			return file, true
		}
	}
	return "", false
}
