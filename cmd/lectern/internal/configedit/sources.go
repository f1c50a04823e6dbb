package configedit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/discover"
	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

func (e Editor) proposeAddSource(c config.Config, a status.Action) (Proposal, error) {
	s := a.Source
	if s == nil || s.Location == "" && s.Kind == "" {
		return Proposal{}, errors.New("add source: missing PATH or KIND. Usage: lectern source add PATH")
	}
	n, err := e.resolveNewSource(*s)
	if err != nil {
		return Proposal{}, err
	}
	for _, rule := range slices.Concat(s.Exclude, s.Only) {
		if err := app.CheckPrivacyRuleForFolder(rule, n.folder.Path); err != nil {
			return Proposal{}, fmt.Errorf("add source: %w", err)
		}
	}
	var ask []string
	if s.Ask && !s.ReadOnly {
		ask = defaultAskEffects
	}
	wanted, err := c.NewSource(config.Source{
		Name: n.name, Kind: n.kind.Name, ReadOnly: s.ReadOnly, Ask: ask, Exclude: s.Exclude, Only: s.Only,
	}, n.keys)
	if old, ok := findSameSource(c.Sources, wanted); ok && err == nil {
		return proposeExistingSource(c, old, wanted, n)
	}
	if s.Name == "" && discover.SameFolder(n.folder.Path, e.Home) {
		return Proposal{}, fmt.Errorf("add source: %s is your home folder, which holds far more than notes: keys, mail, browser data. "+
			"Add a folder inside it; to open all of it on purpose, add --name NAME", n.folder.Path)
	}
	edit, source := config.Edit{}, config.Source{}
	if err == nil {
		edit, source, err = c.AddSource(wanted, n.keys)
	}
	if err == nil {
		err = e.checkSourceOptions(source)
	}
	if isInputError(err) {
		return Proposal{}, app.UsageErrorf("add source: %w", err)
	}
	if err != nil {
		return Proposal{}, fmt.Errorf("add source: %w", err)
	}
	p := newConfigProposal("Add source "+source.Name, edit)
	p.Source, p.Folder = source, n.folder
	if s.Sample && n.kind.Sample.Files != nil {
		p.sample = n.kind.Sample.Files
		p.Plan.Steps = append([]status.Step{{Description: "write the sample to " + n.folder.Path}}, p.Plan.Steps...)
	}
	e.warnAboutSource(&p, c, n)
	return p, nil
}

// checkSourceOptions asks the System of a source whether it could be opened, but for what is
// on the disk.
func (e Editor) checkSourceOptions(s config.Source) error {
	for _, system := range e.Systems() {
		if system.Manifest().Name == s.Kind {
			err := system.CheckConfig(s.Options)
			if e, ok := errors.AsType[*tools.Error](err); ok && e.Hint != "" {
				return &config.KeyError{Msg: e.Message + ". " + e.Hint}
			}
			return err
		}
	}
	return nil
}

// isInputError reports whether err is about what was typed.
func isInputError(err error) bool {
	_, key := errors.AsType[*config.KeyError](err)
	_, system := errors.AsType[*tools.Error](err)
	return key || system
}

// warnAboutSource says what follows from adding a source.
func (e Editor) warnAboutSource(p *Proposal, c config.Config, n newSource) {
	path := p.Folder.Path
	if !p.Source.ReadOnly {
		p.warn("agents %s in %s; admin is not granted. "+
			"To let them only read: lectern source set %s --read-only; to let them do more or less: lectern grant all %s EFFECT...",
			app.Source{Source: p.Source}.DescribeGranted(), cmp.Or(path, "source "+p.Source.Name), p.Source.Name, p.Source.Name)
	}
	if path != "" && (path == e.Home || path == filepath.Dir(path)) {
		p.warn("%s holds far more than notes; choose a folder inside it", path)
	}
	for _, other := range p.Folder.Alternatives {
		p.warn("it may also be opened as %s: %s; choose with --kind %s", other.Kind, other.Reason, other.Kind)
	}
	for _, key := range app.ConfigKeys(n.kind) {
		if file, ok := strings.CutPrefix(n.keys[key.Name], "file:"); ok && key.Type == config.Secret {
			e.warnAboutUnreadableSecret(p, file)
		}
	}
	p.warnOverlaps(c)
	if len(c.Sources) > 0 {
		return
	}
	for _, s := range e.Sources(c) {
		if s.Sample != nil && s.Path != path {
			p.warn("the sample source %s is no longer served once you have a source of your own; its files stay in %s", s.Name, s.Path)
		}
	}
}

func (e Editor) warnAboutUnreadableSecret(p *Proposal, file string) {
	reference, err := tools.ParseSecret("file:" + file)
	if err == nil {
		_, err = e.RevealSecret(context.Background(), reference)
	}
	if err != nil {
		p.warn("%v", err)
	}
}

// warnOverlaps names the sources that show the added folder, or parts of it, as
// well: what one of them forbids, the other may allow.
func (p *Proposal) warnOverlaps(c config.Config) {
	path := p.Folder.Path
	for _, other := range c.Sources {
		if other.Name == p.Source.Name || other.Path == "" || path == "" {
			continue
		}
		switch {
		case discover.SameFolder(other.Path, path):
			p.warn("source %s opens the same folder; what one source forbids, the other may allow", other.Name)
		case isInside(path, other.Path):
			p.warn("the folder is inside source %s (%s), so agents see it there too; what one source forbids, the other may allow", other.Name,
				other.Path)
		case isInside(other.Path, path):
			p.warn("source %s (%s) is inside the folder, so agents see it here too; what one source forbids, the other may allow", other.Name,
				other.Path)
		}
	}
}

// isInside compares names only.
func isInside(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && rel != "." && filepath.IsLocal(rel)
}

func (e Editor) proposeRemoveSource(c config.Config, a status.Action) (Proposal, error) {
	name := a.Target
	source, ok := c.Source(name)
	if !ok && name == e.sampleName() && len(c.Sources) == 0 {
		return Proposal{}, fmt.Errorf("remove source: %s is the sample source; it disappears when you add a source of your own", name)
	}
	kept := e.listSourceStorageFolders(name)
	if !ok && a.Data && len(kept) > 0 {
		p := newConfigProposal("Remove what is kept for the former source "+name, c.Unchanged())
		p.planFolderRemoval(kept)
		return p, nil
	}
	edit, err := c.RemoveSource(name)
	if err != nil {
		return Proposal{}, fmt.Errorf("remove source: %w", err)
	}
	p := newConfigProposal("Remove source "+name, edit)
	p.Source = source
	p.warn("agents lose access at once; the files stay where they are")
	switch {
	case a.Data:
		p.planFolderRemoval(kept)
	case len(kept) > 0:
		p.warn("Lectern keeps what it stored for the source in %s. To remove that too, run: lectern source remove %s --data",
			strings.Join(kept, " and "), name)
	}
	if n := countGrantsAndRules(c, name); n > 0 {
		p.warn("%d [[client]] or [[rule]] tables name it and stay; they count again for a new source of that name", n)
	}
	if sample := e.sampleName(); ok && len(c.Sources) == 1 && sample != "" {
		p.warn("the sample source %s is served again, because no other source is left", sample)
	}
	return p, nil
}

// countGrantsAndRules counts the tables of the file that are about one source.
func countGrantsAndRules(c config.Config, source string) (n int) {
	for _, g := range c.Clients {
		if g.Source == source {
			n++
		}
	}
	for _, r := range c.Rules {
		if r.Source == source {
			n++
		}
	}
	return n
}

// sampleName is the source that is served while the configuration has none.
func (e Editor) sampleName() string {
	for _, s := range e.Sources(config.Config{}) {
		if s.Sample != nil {
			return s.Name
		}
	}
	return ""
}
