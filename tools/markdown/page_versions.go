package markdown

import "sync"

// maxVersions bounds the texts that pageVersions keeps, in bytes.
const maxVersions = 16 << 20

// pageVersions are the texts of pages that agents have read lately, by etag, so that
// an edit of a page that has changed since can be merged with the change. What is
// not kept any more is a conflict, and never a loss.
type pageVersions struct {
	mu    sync.Mutex
	texts map[string][]byte
	order []string // the oldest first
	bytes int
}

// keep remembers a version that an agent is shown.
func (v *pageVersions) keep(p *page) {
	if !p.utf8 || len(p.data) > maxVersions/8 {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	etag := p.etag()
	if _, there := v.texts[etag]; there {
		return
	}
	if v.texts == nil {
		v.texts = map[string][]byte{}
	}
	v.texts[etag] = p.data
	v.order = append(v.order, etag)
	for v.bytes += len(p.data); v.bytes > maxVersions; v.order = v.order[1:] {
		v.bytes -= len(v.texts[v.order[0]])
		delete(v.texts, v.order[0])
	}
}

func (v *pageVersions) find(e Etag) ([]byte, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	text, ok := v.texts[e.version()]
	return text, ok
}
