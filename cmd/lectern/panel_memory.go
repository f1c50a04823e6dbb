package main

import (
	"os"
	"path/filepath"

	"github.com/lectern-mcp/lectern/internal/atomicfile"
)

// panelFile is where a panel leaves what the next one finds again: the pane,
// filters, whose the mouse is. To lose it costs nothing.
const panelFile = "panel.json"

func (w *world) panelMemory() []byte {
	b, err := os.ReadFile(filepath.Join(w.places.State, panelFile))
	if err != nil {
		return nil
	}
	return b
}

func (w *world) keepPanelMemory(b []byte) {
	_ = atomicfile.WriteFile(filepath.Join(w.places.State, panelFile), b, 0o600)
}
