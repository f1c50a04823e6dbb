package thismachine

import (
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lectern-mcp/lectern/status"
)

// CompletePath lists what completes a path; "~" is home, and a relative path is seen
// from the working directory. Names that begin with a dot are left out unless the
// path has the dot, and so are those that cannot be typed. If no name begins as typed,
// those that differ in letter case complete it.
func CompletePath(home string, p status.PathPrefix) status.PathCompletion {
	if p.Path == "~" {
		p.Path = "~" + string(filepath.Separator)
	}
	dir, base := filepath.Split(p.Path)
	c := status.PathCompletion{Dir: dir, Names: []string{}, Folder: isFolder(expandHome(home, p.Path))}
	entries, err := os.ReadDir(expandHome(home, dir))
	if err != nil {
		return c
	}
	for _, begins := range []func(name string) bool{
		func(name string) bool { return strings.HasPrefix(name, base) },
		func(name string) bool { return len(name) >= len(base) && strings.EqualFold(name[:len(base)], base) },
	} {
		for _, e := range entries {
			name, hidden := e.Name(), strings.HasPrefix(e.Name(), ".") && !strings.HasPrefix(base, ".")
			if hidden || !begins(name) || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
				continue
			}
			folder := e.IsDir() || e.Type()&os.ModeSymlink != 0 && isFolder(filepath.Join(expandHome(home, dir), name))
			switch {
			case !folder && !p.Files:
				continue
			case len(c.Names) == status.MaxPathNames:
				c.More++
				continue
			case folder:
				name += string(filepath.Separator)
			}
			c.Names = append(c.Names, name)
		}
		if len(c.Names) > 0 {
			break
		}
	}
	return c
}

// expandHome is path with the home folder in place of "~"; empty is the working
// directory.
func expandHome(home, path string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && home != "" && (rest == "" || os.IsPathSeparator(rest[0])) {
		return filepath.Join(home, rest)
	}
	if path == "" {
		return "."
	}
	return path
}

// isFolder follows links.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
