package orgfile

import (
	"path/filepath"
	"slices"
	"strings"
)

// A SetupReader returns the text of a file that "#+SETUPFILE:" names, by its path or
// address, or false if it may not or cannot be read. A path is absolute, or begins with
// the ~ of a home folder.
type SetupReader func(path string) ([]byte, bool)

// maxSetupFiles bounds how many setup files are read for one file.
const maxSetupFiles = 32

// collectSetup puts the keywords of setup files where they are named. Paths
// count from the folder of the file that names them.
func collectSetup(keywords []Keyword, path string, setup SetupReader) []Keyword {
	if setup == nil || !slices.ContainsFunc(keywords, func(k Keyword) bool { return k.Key == "SETUPFILE" }) {
		return keywords
	}
	in := setupIncluder{read: setup}
	return in.include(keywords, path, []string{path})
}

// A setupIncluder reads setup files, not more than maxSetupFiles.
type setupIncluder struct {
	read  SetupReader
	files int
}

func (in *setupIncluder) include(keywords []Keyword, path string, open []string) []Keyword {
	var out []Keyword
	for _, k := range keywords {
		if k.Key != "SETUPFILE" {
			out = append(out, k)
			continue
		}
		name := strings.Trim(k.Value, `"`)
		if name == "" {
			continue
		}
		if !filepath.IsAbs(name) && !strings.HasPrefix(name, "~") && !strings.Contains(name, "://") {
			name = filepath.Join(filepath.Dir(path), filepath.FromSlash(name))
		}
		if slices.Contains(open, name) || in.files == maxSetupFiles {
			continue
		}
		in.files++
		text, ok := in.read(name)
		if !ok {
			continue
		}
		s := scanner{src: text, crlf: UsesCRLF(text)}
		s.run()
		out = append(out, in.include(s.keywords, name, append(slices.Clip(open), name))...)
	}
	return out
}
