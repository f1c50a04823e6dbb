package installer

import (
	"context"
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
	"github.com/lectern-mcp/lectern/status"
)

// A Plugin is what Logseq is to have of ours: files in a folder that it loads
// when it starts, and settings that lead them to the hub.
type Plugin struct {
	ID      string // of its folder, its settings and its package.json
	Home    string // Logseq's folder; empty: ~/.logseq
	Files   fs.FS  // package.json and what belongs to it; nil where nothing is installed
	Version string // of Lectern, noted beside package.json
	Port    int    // of the hub
	// Token is the plugins' token; zero: there is none yet, and MakeToken
	// makes it.
	Token     loopnet.Token
	MakeToken func() (loopnet.Token, error)
}

// The files that say whose a folder is and which version put it there.
const (
	packageFile = "package.json"
	versionFile = "lectern.json"
)

// pluginPaths are where the parts of a plugin lie.
type pluginPaths struct{ home, folder, settings string }

func (m Machine) pluginPaths(g Plugin) pluginPaths {
	home := g.Home
	if home == "" {
		home = filepath.Join(m.Home, ".logseq")
	}
	return pluginPaths{home, filepath.Join(home, "plugins", g.ID), filepath.Join(home, "settings", g.ID+".json")}
}

// InstallPlugin proposes to put the plugin where Logseq looks for plugins, and
// port and token into its settings. An older version is replaced; other
// settings stay.
func (m Machine) InstallPlugin(g Plugin) (*Proposal, error) {
	at := m.pluginPaths(g)
	p := m.proposal("Install the plugin " + g.ID)
	if !isFolder(at.home) {
		return nil, fmt.Errorf("install plugin: %s is not there, so Logseq has not run here; start it once, or name its folder with --dir", at.home)
	}
	if err := m.checkFolderIsOurs(at.folder, g.ID); err != nil {
		return nil, fmt.Errorf("install plugin: %w", err)
	}
	if ok, err := m.settingsMatch(g, at.settings); err != nil {
		return nil, err
	} else if !ok {
		if err := m.writeSettings(p, g, at.settings, g.ensureToken); err != nil {
			return nil, err
		}
	}
	if err := m.pluginFiles(p, g, at.folder); err != nil {
		return nil, err
	}
	if !p.Changes() {
		p.Said = "the plugin is there already, as it should be"
		return p, nil
	}
	p.After = append(p.After, "restart Logseq, which loads plugins when it starts")
	return p, nil
}

// checkFolderIsOurs refuses a folder that holds somebody else's plugin, or is a link:
// what is behind it may be the plugin's source.
func (m Machine) checkFolderIsOurs(dir, id string) error {
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
		list, err := m.pluginReceipts(dir)
		if err != nil {
			return err
		}
		there, err := os.ReadDir(dir)
		if err == nil && len(there) > 0 && len(list) == 0 {
			err = fmt.Errorf("%s is not ours: it has no %s; move it away first", dir, packageFile)
		}
		return err
	}
	var about struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(text, &about) != nil || about.Name != id {
		return fmt.Errorf("%s is not ours: its %s has not the name %s; move it away first", dir, packageFile, id)
	}
	return nil
}

// pluginReceipts are the marks of files below dir.
func (m Machine) pluginReceipts(dir string) ([]receipt, error) {
	list, err := m.receipts()
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(list, func(x receipt) bool {
		return x.Kind != pluginReceipt || !strings.HasPrefix(x.Path, dir+string(filepath.Separator))
	}), nil
}

// pluginFiles proposes to write what is not there as it should be, package.json
// last, as that makes a plugin of a folder; and to remove what an older version
// had and this one has not.
func (m Machine) pluginFiles(p *Proposal, g Plugin, dir string) error {
	files, err := g.filesInOrder()
	if err != nil {
		return err
	}
	for _, f := range files {
		file := filepath.Join(dir, filepath.FromSlash(f.name))
		before, err := readFileNoLink(file)
		if err != nil {
			return err
		}
		if before != nil && string(before) == string(f.text) {
			continue
		}
		ch := change{
			path: file, before: before, after: f.text, perm: 0o644,
			receipt: receipt{Kind: pluginReceipt, ID: g.ID, Name: f.name, Path: file},
		}
		what := fmt.Sprintf("%s (%d bytes)", ch.describe(), len(f.text))
		p.step(status.Step{What: what}, func(context.Context) error { return m.apply(ch) })
	}
	marks, err := m.pluginReceipts(dir)
	if err != nil {
		return err
	}
	for _, x := range marks {
		if slices.ContainsFunc(files, func(f pluginFile) bool { return f.name == x.Name }) {
			continue
		}
		if err := m.removeRecordedFile(p, x); err != nil {
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
		switch {
		case a.name == b.name:
			return 0
		case a.name == packageFile:
			return 1
		case b.name == packageFile:
			return -1
		default:
			return strings.Compare(a.name, b.name)
		}
	})
	return list, nil
}

// readFileNoLink is readFile for a folder of ours, where nothing is a link.
func readFileNoLink(path string) ([]byte, error) {
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return nil, fmt.Errorf("%s is a symbolic link; remove it first", path)
	}
	return readFile(path)
}
