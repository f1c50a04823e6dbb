package hub

import (
	"fmt"
	"testing"

	"github.com/lectern-mcp/lectern/tools"
)

// What moves is not deleted: not the old names of many pages, nor those of their folders.
func TestCountDestroyed(t *testing.T) {
	state := func(text string) tools.State { return tools.State{Exists: true, Data: []byte(text)} }
	var moves, deletions []tools.Change
	for i := range 1500 {
		name, text := fmt.Sprintf("%d.md", i), fmt.Sprintf("text %d", i)
		moves = append(moves, tools.Change{Target: "a/" + name, Before: state(text)}, tools.Change{Target: "b/" + name, After: state(text)})
	}
	moves = append(moves, tools.Change{Target: "a/", Before: state("")}, tools.Change{Target: "b/", After: state("")})
	for i := range 3 {
		deletions = append(deletions, tools.Change{Target: fmt.Sprintf("c/%d.md", i), Before: state("gone")})
	}
	for _, c := range []struct {
		changes        []tools.Change
		deletes, bytes int
	}{{moves, 0, 0}, {deletions, 3, 12}, {append(moves, deletions...), 3, 12}} {
		if deletes, bytes := countDestroyed(c.changes); deletes != c.deletes || bytes != c.bytes {
			t.Errorf("%d changes: %d deletions, %d bytes, want %d and %d", len(c.changes), deletes, bytes, c.deletes, c.bytes)
		}
	}
}
