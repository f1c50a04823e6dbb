package configedit

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/discover"
	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

func (e Editor) addSource(c config.Config, a status.Action) (Proposal, error) {
	s := a.Source
	if s == nil {
		return Proposal{}, errors.New("add source: missing PATH. Usage: lectern source add PATH")
	}
	f, err := discover.Inspect(e.Systems(), e.ExpandHome(s.Location), s.Kind)
	if errors.Is(err, discover.ErrUnknownKind) {
		err = app.Usagef("%w", err)
	}
	if err != nil {
		return Proposal{}, err
	}
	for _, rule := range slices.Concat(s.Exclude, s.Only) {
		if err := app.CheckPrivacyRule(rule); err != nil {
			return Proposal{}, fmt.Errorf("add source: %w", err)
		}
	}
	var ask []string
	if s.Ask && !s.ReadOnly {
		ask = []string{string(tools.Writes), string(tools.Deletes), string(tools.Runs)}
	}
	edit, source, err := c.AddSource(config.Source{Name: s.Name, Kind: f.Kind, Path: f.Path, ReadOnly: s.ReadOnly, Ask: ask, Exclude: s.Exclude, Only: s.Only})
	if err != nil {
		return Proposal{}, fmt.Errorf("add source: %w", err)
	}
	p := newConfigProposal("Add source "+source.Name, edit)
	p.Source, p.Folder = source, f
	if !source.ReadOnly && ask == nil {
		p.warn("agents may read, write and delete in %s; add it read-only to prevent writing and deleting", f.Path)
	}
	if f.Path == e.Home || f.Path == filepath.Dir(f.Path) {
		p.warn("%s holds far more than notes; choose a folder inside it", f.Path)
	}
	p.warnOverlaps(c)
	if len(c.Sources) == 0 {
		p.warn("the sample source %s is no longer served once you have a source of your own; its files stay in %s", app.SampleName, e.Paths.Sample())
	}
	return p, nil
}

// warnOverlaps names the sources that show the added folder, or parts of it, as
// well: what one of them forbids, the other may allow.
func (p *Proposal) warnOverlaps(c config.Config) {
	path := p.Folder.Path
	for _, other := range c.Sources {
		if other.Name == p.Source.Name || other.Path == "" {
			continue
		}
		switch {
		case other.Path == path:
			p.warn("source %s opens the same folder; what one source forbids, the other may allow", other.Name)
		case isInside(path, other.Path):
			p.warn("the folder is inside source %s (%s), so agents see it there too; what one source forbids, the other may allow", other.Name, other.Path)
		case isInside(other.Path, path):
			p.warn("source %s (%s) is inside the folder, so agents see it here too; what one source forbids, the other may allow", other.Name, other.Path)
		}
	}
}

// isInside compares names only.
func isInside(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && rel != "." && filepath.IsLocal(rel)
}

// ExpandHome replaces a leading ~, which only shells do by themselves.
func (e Editor) ExpandHome(path string) string {
	rest, ok := strings.CutPrefix(path, "~")
	if !ok || e.Home == "" || rest != "" && !os.IsPathSeparator(rest[0]) {
		return path
	}
	return filepath.Join(e.Home, rest)
}

func (e Editor) removeSource(c config.Config, a status.Action) (Proposal, error) {
	name := a.Target
	source, ok := c.Source(name)
	if !ok && name == app.SampleName && len(c.Sources) == 0 {
		return Proposal{}, fmt.Errorf("remove source: %s is the sample source; it disappears when you add a source of your own", name)
	}
	edit, err := c.RemoveSource(name)
	if err != nil {
		return Proposal{}, fmt.Errorf("remove source: %w", err)
	}
	p := newConfigProposal("Remove source "+name, edit)
	p.Source = source
	p.warn("agents lose access at once; the files stay where they are")
	if ok && len(c.Sources) == 1 {
		p.warn("the sample source %s is served again, because no other source is left", app.SampleName)
	}
	return p, nil
}
