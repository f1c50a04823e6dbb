package installer

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// settingsFiles are the settings files with a token of ours: those that have a
// receipt, and the one of g.
func (g pluginInstall) settingsFiles() ([]string, error) {
	receipts, err := g.machine.receipts().readAll()
	if err != nil {
		return nil, err
	}
	var list []string
	for _, r := range receipts {
		if r.Kind == settingsReceipt && r.ID == g.ID && isFile(r.Path) {
			list = append(list, r.Path)
		}
	}
	if g.checkFolder() == nil && isFile(g.settingsFile) && !slices.Contains(list, g.settingsFile) {
		list = append(list, g.settingsFile)
	}
	return list, nil
}

// RemovePlugin proposes to remove the plugin from Logseq's folder, and port and
// token from its settings. Other files and settings stay.
func (m Machine) RemovePlugin(plugin Plugin) (*Proposal, error) {
	g := m.pluginInstall(plugin)
	p := m.proposal("Remove the plugin " + g.ID)
	if err := g.checkFolder(); err != nil {
		return nil, fmt.Errorf("remove plugin: %w", err)
	}
	receipts, err := g.receipts()
	if err == nil {
		receipts, err = g.addUnrecorded(receipts)
	}
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(receipts, func(a, b receipt) int { return packageLast(a.Name, b.Name) })
	folders := []string{g.folder}
	for _, r := range receipts {
		folders = append(append(folders, r.Folders...), filepath.Dir(r.Path))
		if err := p.removeRecordedFile(r); err != nil {
			return nil, err
		}
	}
	if err := g.removeSettings(p); err != nil {
		return nil, err
	}
	if !p.Changes() {
		p.Message = "the plugin is not in " + g.folder
		return p, nil
	}
	p.add("remove "+g.folder+" if it is empty", func() error {
		slices.SortFunc(folders, func(a, b string) int { return len(b) - len(a) })
		for _, dir := range slices.Compact(folders) {
			_ = os.Remove(dir) // what is in it is not ours
		}
		return nil
	})
	p.NextSteps = append(p.NextSteps, "restart Logseq: the plugin is still in its memory")
	return p, nil
}

// addUnrecorded adds receipts of our files that have none: the record may be
// lost.
func (g pluginInstall) addUnrecorded(receipts []receipt) ([]receipt, error) {
	if g.Files == nil || !isFile(filepath.Join(g.folder, packageFile)) {
		return receipts, nil
	}
	files, err := g.filesInOrder()
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		file := filepath.Join(g.folder, filepath.FromSlash(f.name))
		if isFile(file) && !slices.ContainsFunc(receipts, func(r receipt) bool { return r.Path == file }) {
			receipts = append(receipts, receipt{Kind: pluginReceipt, ID: g.ID, Name: f.name, Path: file})
		}
	}
	return receipts, nil
}

// removeRecordedFile proposes to remove a file that has a receipt.
func (p *Proposal) removeRecordedFile(r receipt) error {
	text, err := readFileNoLink(r.Path)
	if err != nil {
		return err
	}
	if text == nil {
		p.add("delete the receipt of "+r.Path+", which no longer exists", func() error { return p.machine.cleanUp(r) })
		return nil
	}
	p.revertChange(fileChange{path: r.Path, before: text, receipt: r}, "")
	return nil
}

// removeSettings proposes to remove port and token from the settings, and the
// file itself if we created it and nothing of the user's is left in it.
func (g pluginInstall) removeSettings(p *Proposal) error {
	path := g.settingsFile
	r, recorded, err := g.machine.receipts().find(receipt{Kind: settingsReceipt, ID: g.ID, Name: g.ID, Path: path})
	if err != nil {
		return err
	}
	old, err := readSettings(path)
	if err != nil {
		return err
	}
	if !recorded && !strings.HasPrefix(old.token, tokenPrefix) {
		return nil // we have not written it
	}
	if old.text == nil {
		return p.removeRecordedFile(r)
	}
	after, err := old.withoutHub()
	if err != nil {
		return fmt.Errorf("edit settings: %s: %w", path, err)
	}
	ch := fileChange{path: path, before: old.text, after: after, receipt: r}
	left := len(old.fields)
	for _, key := range []string{portKey, tokenKey, "disabled"} {
		if _, ok := old.fields[key]; ok && (key != "disabled" || !old.disabled) {
			left--
		}
	}
	if left == 0 && r.Created {
		ch.after = nil
	} else {
		p.risk("your own settings of the plugin stay in %s", path)
	}
	p.revertChange(ch, udiff.Unified(path, path, old.redacted("[the plugins' token]"), string(ch.after)))
	return nil
}

// tokenPrefix is what our tokens begin with.
const tokenPrefix = "lectern_"

// removePlugins joins the removal of the plugin from every folder of the
// application that has a receipt, and says of the usual one that it stays if it
// has none.
func (m Machine) removePlugins(p *Proposal, g Plugin, receipts []receipt) {
	var homes []string
	usual := m.pluginInstall(g)
	for _, r := range receipts {
		home := ""
		switch {
		case r.ID != g.ID:
		case r.Kind == settingsReceipt:
			home = filepath.Dir(filepath.Dir(r.Path)) // settings/ID.json
		case r.Kind == pluginReceipt && strings.HasPrefix(r.Path, usual.folder+string(filepath.Separator)):
			home = usual.home
		}
		if home != "" && !slices.Contains(homes, home) {
			homes = append(homes, home)
		}
	}
	if !slices.Contains(homes, usual.home) && isFile(filepath.Join(usual.folder, packageFile)) {
		p.risk("the plugin in %s stays, because this Lectern did not install it; `lectern plugin remove` removes it", usual.folder)
	}
	for _, g.Home = range homes {
		p.joinOrWarn(m.RemovePlugin(g))
	}
}
