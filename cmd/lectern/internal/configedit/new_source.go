package configedit

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/discover"
	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// A newSource is a source to add, with all its keys.
type newSource struct {
	name   string // empty: to be derived
	kind   *tools.Manifest
	keys   map[string]string // as people type them; paths are absolute
	folder discover.Folder   // the zero value: it has none
}

// resolveNewSource finds the kind of a source and makes its paths absolute. Its
// keys are checked by package config.
func (e Editor) resolveNewSource(s status.NewSource) (newSource, error) {
	n := newSource{name: s.Name, keys: maps.Clone(s.Keys)}
	if n.keys == nil {
		n.keys = map[string]string{}
	}
	kind := s.Kind
	if s.Location != "" {
		folder, err := e.inspectFolder(s.Location, s.Kind)
		if err != nil {
			return n, err
		}
		n.folder, kind = folder, folder.Kind
	}
	var known bool
	if n.kind, known = e.FindKind(kind); !known {
		return n, app.UsageErrorf("add source: unknown kind %q", kind)
	}
	if s.Sample {
		return n, e.addSampleKeys(&n)
	}
	return n, e.resolveNewSourcePaths(&n)
}

// resolveNewSourcePaths makes the folders and files among the keys absolute.
func (e Editor) resolveNewSourcePaths(n *newSource) error {
	located := n.folder.Path
	for _, key := range app.ConfigKeys(n.kind) {
		typed, given := n.keys[key.Name]
		file, isFile := strings.CutPrefix(typed, "file:")
		switch {
		case key.Type == config.Secret && isFile && file != "":
			path, err := filepath.Abs(e.expandHome(file))
			if err != nil {
				return fmt.Errorf("find file of %s: %w", key.Name, err)
			}
			n.keys[key.Name] = "file:" + path
		case key.Type != config.Folder:
		case located != "" && given:
			return app.UsageErrorf("add source: %s is given twice: %s and %s", key.Name, located, typed)
		case located != "":
			n.keys[key.Name], located = located, ""
		case given:
			folder, err := e.inspectFolder(typed, n.kind.Name)
			if err != nil {
				return fmt.Errorf("%s: %w", key.Name, err)
			}
			n.keys[key.Name] = folder.Path
			if n.folder.Path == "" {
				n.folder = folder
			}
		}
	}
	if located != "" {
		return app.UsageErrorf("add source: %s opens no folder; its keys: %s", n.kind.Name, strings.Join(keyNames(n.kind), ", "))
	}
	return nil
}

// addSampleKeys completes the keys by those of the sample that the kind brings.
func (e Editor) addSampleKeys(n *newSource) error {
	if n.kind.Sample == nil {
		return app.UsageErrorf("add source: %s brings no sample", n.kind.Name)
	}
	name, keys := e.SampleSourceKeys(n.kind)
	if n.name == "" {
		n.name = name
	}
	maps.Copy(keys, n.keys)
	n.keys = keys
	n.folder = discover.Folder{Path: keys[n.kind.Sample.Key], Kind: n.kind.Name}
	return nil
}

func keyNames(m *tools.Manifest) (names []string) {
	for _, key := range app.ConfigKeys(m) {
		names = append(names, key.Name)
	}
	return names
}

func (e Editor) inspectFolder(path, kind string) (discover.Folder, error) {
	f, err := discover.InspectFolder(e.Systems(), e.expandHome(path), kind)
	if errors.Is(err, discover.ErrUnknownKind) || errors.Is(err, discover.ErrAmbiguousKind) {
		err = app.UsageErrorf("%w", err)
	}
	return f, err
}

// expandHome replaces a leading ~, which only shells do by themselves.
func (e Editor) expandHome(path string) string {
	rest, ok := strings.CutPrefix(path, "~")
	if !ok || e.Home == "" || rest != "" && !os.IsPathSeparator(rest[0]) {
		return path
	}
	return filepath.Join(e.Home, rest)
}

// CheckAbsolutePaths refuses relative paths in a source to add, for a process whose
// working directory is not the person's.
func (e Editor) CheckAbsolutePaths(a status.Action) error {
	if a.Source == nil {
		return nil
	}
	paths := []string{a.Source.Location}
	if m, ok := e.FindKind(a.Source.Kind); ok {
		for _, key := range app.ConfigKeys(m) {
			file, isFile := strings.CutPrefix(a.Source.Keys[key.Name], "file:")
			if key.Type == config.Folder || key.Type == config.Secret && isFile {
				paths = append(paths, file)
			}
		}
	}
	for _, path := range paths {
		if path != "" && !filepath.IsAbs(e.expandHome(path)) {
			return fmt.Errorf("add source: %q is a relative path; write it in full, or starting with ~", path)
		}
	}
	return nil
}
