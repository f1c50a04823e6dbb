package installer

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/lectern-mcp/lectern/status"
)

// settingsFiles are the settings files that hold a token of ours, on record
// and where g has its own.
func (m Machine) settingsFiles(g Plugin) ([]string, error) {
	marks, err := m.marks()
	if err != nil {
		return nil, err
	}
	var list []string
	for _, x := range marks {
		if x.Kind == settingsMark && x.ID == g.ID && isFile(x.Path) {
			list = append(list, x.Path)
		}
	}
	at := m.pluginPlaces(g)
	if m.ownFolder(at.folder, g.ID) == nil && isFile(at.settings) && !slices.Contains(list, at.settings) {
		list = append(list, at.settings)
	}
	return list, nil
}

// RemovePlugin proposes to remove the plugin from Logseq's folder, and port and
// token from its settings. What somebody else has put there stays.
func (m Machine) RemovePlugin(g Plugin) (*Proposal, error) {
	at := m.pluginPlaces(g)
	p := m.proposal("Remove the plugin " + g.ID)
	if err := m.ownFolder(at.folder, g.ID); err != nil {
		return nil, fmt.Errorf("remove plugin: %w", err)
	}
	marks, err := m.pluginMarks(at.folder)
	if err != nil {
		return nil, err
	}
	if marks, err = m.unrecorded(g, at.folder, marks); err != nil {
		return nil, err
	}
	// What makes the folder ours goes last, so that it is ours until then.
	slices.SortStableFunc(marks, func(a, b mark) int {
		if (a.Name == packageFile) == (b.Name == packageFile) {
			return 0
		}
		if a.Name == packageFile {
			return 1
		}
		return -1
	})
	folders := []string{at.folder}
	for _, x := range marks {
		folders = append(append(folders, x.Folders...), filepath.Dir(x.Path))
		if err := m.removeMarkedFile(p, x); err != nil {
			return nil, err
		}
	}
	if err := m.unset(p, g, at.settings); err != nil {
		return nil, err
	}
	if !p.Changes() {
		p.Said = "the plugin is not in " + at.folder
		return p, nil
	}
	p.step(status.Step{What: "remove " + at.folder + " if it is empty"}, func(context.Context) error {
		slices.SortFunc(folders, func(a, b string) int { return len(b) - len(a) })
		for _, dir := range slices.Compact(folders) {
			_ = os.Remove(dir) // what is in it is not ours
		}
		return nil
	})
	p.After = append(p.After, "restart Logseq, which has the plugin in memory still")
	return p, nil
}

// unrecorded adds to marks what is in our folder under the names of our files:
// the record may be lost.
func (m Machine) unrecorded(g Plugin, dir string, marks []mark) ([]mark, error) {
	if g.Files == nil || !isFile(filepath.Join(dir, packageFile)) {
		return marks, nil
	}
	files, err := g.texts()
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		file := filepath.Join(dir, filepath.FromSlash(f.name))
		if isFile(file) && !slices.ContainsFunc(marks, func(x mark) bool { return x.Path == file }) {
			marks = append(marks, mark{Kind: pluginMark, ID: g.ID, Name: f.name, Path: file})
		}
	}
	return marks, nil
}

// removeMarkedFile proposes to remove a file on record, or what is left of it.
func (m Machine) removeMarkedFile(p *Proposal, x mark) error {
	text, err := plainFile(x.Path)
	if err != nil {
		return err
	}
	if text == nil {
		p.step(status.Step{What: "forget " + x.Path + ", which is gone"}, func(context.Context) error { return m.cleared(x) })
		return nil
	}
	ch := change{path: x.Path, before: text, mark: x}
	p.step(status.Step{What: ch.what()}, func(context.Context) error { return m.unmake(ch) })
	return nil
}

// unset proposes to take port and token out of a settings file, and the file
// away where it was ours and nothing of the user's is left in it.
func (m Machine) unset(p *Proposal, g Plugin, path string) error {
	x, err := m.marked(settingsMark, path, g.ID)
	if err != nil {
		return err
	}
	old, err := readSettings(path)
	if err != nil {
		return err
	}
	if x == nil {
		x = &mark{Kind: settingsMark, ID: g.ID, Name: g.ID, Path: path}
		if old.token == "" || !strings.HasPrefix(old.token, tokenStart) {
			return nil // whatever it is, we have not written it
		}
	}
	if old.text == nil {
		return m.removeMarkedFile(p, *x)
	}
	after, err := old.without()
	if err != nil {
		return fmt.Errorf("edit settings: %s: %w", path, err)
	}
	ch := change{path: path, before: old.text, after: after, mark: *x}
	left := len(old.fields)
	for _, key := range []string{portKey, tokenKey, "disabled"} {
		if _, ok := old.fields[key]; ok && (key != "disabled" || !old.disabled) {
			left--
		}
	}
	if left == 0 && x.Created {
		ch.after = nil
	} else {
		p.risk("what you have set for the plugin stays in %s", path)
	}
	diff := udiff.Unified(path, path, old.hidden("[the plugins' token]"), string(ch.after))
	p.step(status.Step{What: ch.what(), Diff: diff}, func(context.Context) error { return m.unmake(ch) })
	return nil
}

// tokenStart is how tokens of ours start.
const tokenStart = "lectern_"

// removePlugins joins the removal of the plugin from every Logseq that has it:
// its usual folder, and those on record.
func (m Machine) removePlugins(p *Proposal, g Plugin, marks []mark) {
	homes := []string{m.pluginPlaces(g).home}
	for _, x := range marks {
		// settings/ID.json
		if home := filepath.Dir(filepath.Dir(x.Path)); x.Kind == settingsMark && x.ID == g.ID && !slices.Contains(homes, home) {
			homes = append(homes, home)
		}
	}
	for _, g.Home = range homes {
		p.joinOrWarn(m.RemovePlugin(g))
	}
}
