package installer

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/internal/loopnet"
)

// A Plugin is what Logseq gets from us: files in a folder that it loads when it
// starts, and settings that tell them how to reach the hub.
type Plugin struct {
	ID      string // of its folder, its settings and its package.json
	Home    string // Logseq's folder; empty: ~/.logseq
	Files   fs.FS  // package.json and what belongs to it; nil where nothing is installed
	Version string // of Lectern, noted beside package.json
	Port    int    // of the hub
	// Token is the plugins' token; zero: MakeToken creates it.
	Token     loopnet.Token
	MakeToken func() (loopnet.Token, error)
}

// The files that tell whose a folder is and which version installed it.
const (
	packageFile = "package.json"
	versionFile = "lectern.json"
)

// A pluginInstall is a plugin on a machine, and where its parts are there.
type pluginInstall struct {
	Plugin

	machine                    Machine
	home, folder, settingsFile string
}

func (m Machine) pluginInstall(g Plugin) pluginInstall {
	home := cmp.Or(g.Home, filepath.Join(m.Home, ".logseq"))
	return pluginInstall{g, m, home, filepath.Join(home, "plugins", g.ID), filepath.Join(home, "settings", g.ID+".json")}
}

// InstallPlugin proposes to put the plugin where Logseq looks for plugins, and
// port and token into its settings. An older version is replaced; other
// settings stay.
func (m Machine) InstallPlugin(plugin Plugin) (*Proposal, error) {
	g := m.pluginInstall(plugin)
	p := m.proposal("Install the plugin " + g.ID)
	if !isFolder(g.home) {
		return nil, fmt.Errorf("install plugin: %s does not exist, so Logseq has not run here; start it once, or name its folder with --dir",
			g.home)
	}
	if err := g.checkFolder(); err != nil {
		return nil, fmt.Errorf("install plugin: %w", err)
	}
	if s, err := readSettings(g.settingsFile); err != nil {
		return nil, err
	} else if !g.isConnected(s) {
		if err := g.writeSettings(p, g.settingsFile, g.ensureToken); err != nil {
			return nil, err
		}
	}
	if err := g.writeFiles(p); err != nil {
		return nil, err
	}
	if !p.Changes() {
		p.Message = "the plugin is installed already"
		return p, nil
	}
	p.NextSteps = append(p.NextSteps, "restart Logseq: it loads plugins when it starts")
	return p, nil
}

// checkFolder refuses a folder that holds another plugin, or is a symbolic
// link: that may lead to the plugin's source.
func (g pluginInstall) checkFolder() error {
	dir := g.folder
	info, err := os.Lstat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("%s is a symbolic link; remove it first", dir)
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder; move it away first", dir)
	}
	text, err := readFile(filepath.Join(dir, packageFile))
	if err != nil {
		return err
	}
	if text == nil {
		receipts, err := g.receipts()
		if err != nil {
			return err
		}
		entries, err := os.ReadDir(dir)
		if err == nil && len(entries) > 0 && len(receipts) == 0 {
			err = fmt.Errorf("%s does not belong to Lectern: it has no %s; move it away first", dir, packageFile)
		}
		return err
	}
	var about struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(text, &about) != nil || about.Name != g.ID {
		return fmt.Errorf("%s does not belong to Lectern: the name in its %s is not %s; move it away first", dir, packageFile, g.ID)
	}
	return nil
}

// receipts are those of the files in the folder.
func (g pluginInstall) receipts() ([]receipt, error) {
	list, err := g.machine.receipts().readAll()
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(list, func(r receipt) bool {
		return r.Kind != pluginReceipt || !strings.HasPrefix(r.Path, g.folder+string(filepath.Separator))
	}), nil
}

// writeFiles proposes to write the files that are missing or different, and to
// remove those that an older version installed and this one lacks.
func (g pluginInstall) writeFiles(p *Proposal) error {
	files, err := g.filesInOrder()
	if err != nil {
		return err
	}
	for _, f := range files {
		file := filepath.Join(g.folder, filepath.FromSlash(f.name))
		before, err := readFileNoLink(file)
		if err != nil {
			return err
		}
		if before != nil && string(before) == string(f.text) {
			continue
		}
		ch := fileChange{
			path: file, before: before, after: f.text, perm: 0o644,
			receipt: receipt{Kind: pluginReceipt, ID: g.ID, Name: f.name, Path: file},
		}
		p.add(fmt.Sprintf("%s (%d bytes)", ch.describe(), len(f.text)), func() error { return g.machine.apply(ch) })
	}
	receipts, err := g.receipts()
	if err != nil {
		return err
	}
	for _, r := range receipts {
		if slices.ContainsFunc(files, func(f pluginFile) bool { return f.name == r.Name }) {
			continue
		}
		if err := p.removeRecordedFile(r); err != nil {
			return err
		}
	}
	return nil
}

type pluginFile struct {
	name string // with slashes
	text []byte
}

// filesInOrder are the files in the order in which they are written.
func (g Plugin) filesInOrder() ([]pluginFile, error) {
	version, err := json.Marshal(map[string]string{"version": g.Version})
	if err != nil {
		return nil, err
	}
	list := []pluginFile{{versionFile, append(version, '\n')}}
	err = fs.WalkDir(g.Files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(g.Files, name)
		list = append(list, pluginFile{path.Clean(name), text})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read plugin: %w", err)
	}
	slices.SortStableFunc(list, func(a, b pluginFile) int {
		return cmp.Or(packageLast(a.name, b.name), strings.Compare(a.name, b.name))
	})
	return list, nil
}

// packageLast compares names of files so that package.json comes last: the
// folder is a plugin, and ours, while it holds that file.
func packageLast(a, b string) int {
	switch {
	case a == b:
		return 0
	case a == packageFile:
		return 1
	case b == packageFile:
		return -1
	}
	return 0
}

// readFileNoLink is readFile for a folder of ours, where links do not belong.
func readFileNoLink(path string) ([]byte, error) {
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return nil, fmt.Errorf("%s is a symbolic link; remove it first", path)
	}
	return readFile(path)
}
