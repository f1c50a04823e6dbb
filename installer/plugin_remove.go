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
	marks, err := m.receipts()
	if err != nil {
		return nil, err
	}
	var list []string
	for _, x := range marks {
		if x.Kind == settingsReceipt && x.ID == g.ID && isFile(x.Path) {
			list = append(list, x.Path)
		}
	}
	at := m.pluginPaths(g)
	if m.checkFolderIsOurs(at.folder, g.ID) == nil && isFile(at.settings) && !slices.Contains(list, at.settings) {
		list = append(list, at.settings)
	}
	return list, nil
}

// RemovePlugin proposes to remove the plugin from Logseq's folder, and port and
// token from its settings. What somebody else has put there stays.
func (m Machine) RemovePlugin(g Plugin) (*Proposal, error) {
	at := m.pluginPaths(g)
	p := m.proposal("Remove the plugin " + g.ID)
	if err := m.checkFolderIsOurs(at.folder, g.ID); err != nil {
		return nil, fmt.Errorf("remove plugin: %w", err)
	}
	marks, err := m.pluginReceipts(at.folder)
	if err != nil {
		return nil, err
	}
	if marks, err = m.addUnrecorded(g, at.folder, marks); err != nil {
		return nil, err
	}
	// What makes the folder ours goes last, so that it is ours until then.
	slices.SortStableFunc(marks, func(a, b receipt) int {
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
		if err := m.removeRecordedFile(p, x); err != nil {
			return nil, err
		}
	}
	if err := m.removeSettings(p, g, at.settings); err != nil {
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

// addUnrecorded adds to marks what is in our folder under the names of our files:
// the record may be lost.
func (m Machine) addUnrecorded(g Plugin, dir string, marks []receipt) ([]receipt, error) {
	if g.Files == nil || !isFile(filepath.Join(dir, packageFile)) {
		return marks, nil
	}
	files, err := g.filesInOrder()
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		file := filepath.Join(dir, filepath.FromSlash(f.name))
		if isFile(file) && !slices.ContainsFunc(marks, func(x receipt) bool { return x.Path == file }) {
			marks = append(marks, receipt{Kind: pluginReceipt, ID: g.ID, Name: f.name, Path: file})
		}
	}
	return marks, nil
}

// removeRecordedFile proposes to remove a file on record, or what is left of it.
func (m Machine) removeRecordedFile(p *Proposal, x receipt) error {
	text, err := readFileNoLink(x.Path)
	if err != nil {
		return err
	}
	if text == nil {
		p.step(status.Step{What: "forget " + x.Path + ", which is gone"}, func(context.Context) error { return m.cleanUp(x) })
		return nil
	}
	ch := change{path: x.Path, before: text, receipt: x}
	p.step(status.Step{What: ch.describe()}, func(context.Context) error { return m.revert(ch) })
	return nil
}

// removeSettings proposes to take port and token out of a settings file, and the file
// away where it was ours and nothing of the user's is left in it.
func (m Machine) removeSettings(p *Proposal, g Plugin, path string) error {
	x, err := m.findReceipt(settingsReceipt, path, g.ID)
	if err != nil {
		return err
	}
	old, err := readSettings(path)
	if err != nil {
		return err
	}
	if x == nil {
		x = &receipt{Kind: settingsReceipt, ID: g.ID, Name: g.ID, Path: path}
		if old.token == "" || !strings.HasPrefix(old.token, tokenPrefix) {
			return nil // whatever it is, we have not written it
		}
	}
	if old.text == nil {
		return m.removeRecordedFile(p, *x)
	}
	after, err := old.withoutHub()
	if err != nil {
		return fmt.Errorf("edit settings: %s: %w", path, err)
	}
	ch := change{path: path, before: old.text, after: after, receipt: *x}
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
	diff := udiff.Unified(path, path, old.redacted("[the plugins' token]"), string(ch.after))
	p.step(status.Step{What: ch.describe(), Diff: diff}, func(context.Context) error { return m.revert(ch) })
	return nil
}

// tokenPrefix is how tokens of ours start.
const tokenPrefix = "lectern_"

// removePlugins joins the removal of the plugin from every Logseq that has it:
// its usual folder, and those on record.
func (m Machine) removePlugins(p *Proposal, g Plugin, marks []receipt) {
	homes := []string{m.pluginPaths(g).home}
	for _, x := range marks {
		// settings/ID.json
		if home := filepath.Dir(filepath.Dir(x.Path)); x.Kind == settingsReceipt && x.ID == g.ID && !slices.Contains(homes, home) {
			homes = append(homes, home)
		}
	}
	for _, g.Home = range homes {
		p.joinOrWarn(m.RemovePlugin(g))
	}
}
