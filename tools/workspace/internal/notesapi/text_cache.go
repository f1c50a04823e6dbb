package notesapi

import (
	"sync"

	"github.com/lectern-mcp/lectern/tools/workspace/internal/notetext"
)

// A textCache keeps what notes say that were read not long ago, by their text: scripts read
// the same notes again and again, and reading Markdown takes longer than reading the note.
type textCache struct {
	mu    sync.Mutex
	texts recentCache[*notetext.Text]
}

// parse returns what a text says, for reading only.
func (c *textCache) parse(text string) notetext.Text {
	c.mu.Lock()
	t, known := c.texts.find(text)
	c.mu.Unlock()
	if known {
		return *t
	}
	parsed := notetext.Parse(text)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.texts.add(text, &parsed, len(text))
	return parsed
}
