package notesapi

import (
	"sync"

	"github.com/lectern-mcp/lectern/tools/workspace/internal/notetext"
)

// A textCache keeps what notes say that were read not long ago: scripts read the same
// notes again and again, and reading Markdown takes longer than reading the note. What it
// returns is for reading only.
type textCache struct {
	mu         sync.Mutex
	young, old map[string]notetext.Text // by the text itself
	size       int                      // of the texts in young
}

// Sizes in bytes: of the texts of a half of the cache, and of one text in it.
const (
	maxYoung      = 1 << 20
	maxCachedText = 64 << 10
)

func (c *textCache) parse(text string) notetext.Text {
	if len(text) > maxCachedText {
		return notetext.Parse(text)
	}
	if t, known := c.find(text); known {
		return t
	}
	t := notetext.Parse(text)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(text, t)
	return t
}

func (c *textCache) find(text string) (t notetext.Text, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t, known = c.young[text]; known {
		return t, true
	}
	if t, known = c.old[text]; known {
		c.add(text, t)
	}
	return t, known
}

func (c *textCache) add(text string, t notetext.Text) {
	if c.size += len(text); c.young == nil || c.size > maxYoung {
		c.young, c.old, c.size = map[string]notetext.Text{}, c.young, len(text)
	}
	c.young[text] = t
}
