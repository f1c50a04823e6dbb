package configedit

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/status"
)

// NeedsClosedSource reports whether an action moves or removes what Lectern keeps for
// a source: the hub, if one runs, must close the source first.
func NeedsClosedSource(a status.Action) bool {
	return a.Verb == status.RemoveSource && a.Data ||
		a.Verb == status.SetSource && a.Change != nil && a.Change.Name != "" && a.Change.Name != a.Target
}

// listSourceStorageFolders are the folders that Lectern keeps for a source of this name, of
// whatever kind.
func (e Editor) listSourceStorageFolders(name string) (folders []string) {
	if config.CheckName(name) != nil {
		return nil // it would lead elsewhere
	}
	for _, k := range e.Systems() {
		for _, dir := range []string{e.Paths.SourceData(), e.Paths.SourceCaches()} {
			folder := filepath.Join(dir, app.SourceFolderName(k.Manifest().Name, name))
			if info, err := os.Lstat(folder); err == nil && info.IsDir() {
				folders = append(folders, folder)
			}
		}
	}
	return folders
}

// planFolderRemoval adds the removal of folders to the plan.
func (p *Proposal) planFolderRemoval(folders []string) {
	p.remove = folders
	for _, folder := range folders {
		p.Plan.Steps = append(p.Plan.Steps, status.Step{Description: "remove " + folder + " with all that is in it"})
	}
}

func removeFolders(folders []string) (err error) {
	for _, folder := range folders {
		if e := os.RemoveAll(folder); e != nil {
			err = errors.Join(err, fmt.Errorf("remove what is kept for the source: %w", e))
		}
	}
	return err
}
