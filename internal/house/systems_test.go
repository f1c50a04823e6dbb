package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/tools/all"
)

// systemRooms are where a System may be named, besides its own package: a
// path.Match pattern, with the reason.
var systemRooms = map[string]map[string]string{
	"logseq": {
		"tools/all/*.go":                         "the list of Systems",
		"tools/markdown/*.go":                    "Logseq's folders are one layout of Markdown notes",
		"tools/markdown/internal/*/*.go":         "so is its syntax",
		"plugin/*.go":                            "the plugin is for Logseq",
		"installer/plugin*.go":                   "installs it where Logseq keeps plugins",
		"cmd/lectern/plugin*.go":                 "its commands",
		"cmd/lectern/internal/install/plugin.go": "plans what installer does",
		"config/edit_origin.go":                  "migrates [logseq] to [bridge]",
		"config/setting.go":                      "likewise",
	},
	"cards": {
		"tools/all/*.go": "the list of Systems",
	},
	"workspace": {
		"tools/all/*.go":      "the list of Systems",
		"installer/report.go": "a variable of another program, not the System",
	},
	"markdown": {
		"tools/all/*.go":                            "the list of Systems",
		"tools/logseq/*.go":                         "the syntax of Logseq's blocks, not the System",
		"tools/cards/*.go":                          "a format of texts, not the System",
		"tools/cards/internal/*/*.go":               "the syntax of a heading, not the System",
		"tools/workspace/internal/*/*.go":           "a type of fields and a key of the API, not the System",
		"tools/workspace/*.go":                      "a key of the API, not the System",
		"installer/bundle/bundle.go":                "a keyword of the package, not the System",
		"cmd/screens/tour.go":                       "the configuration of the pictures' example",
		"tools/org/internal/orgexport/orgexport.go": "a format of an export, not the System",
	},
	"org": {
		"tools/all/*.go":             "the list of Systems",
		"hub/hubtest/fake_system.go": "a fake System whose tools have names of the same form",
	},
}

// Nothing outside its own room knows a System: it is declared once. Markdown is
// a syntax as well, and cards are a word, so of them only string literals count that
// could be the name of the kind. Tests may name any System.
func TestNothingNamesASystem(t *testing.T) {
	t.Chdir(root)
	named := map[string]func(file string) ([]string, error){"markdown": kindLiterals("markdown"), "org": kindLiterals("org"), "cards": kindLiterals("cards")}
	used := map[string]bool{}
	for _, kind := range all.Systems() {
		system := kind.Manifest().Name
		find := named[system]
		if find == nil {
			find = linesWith(system)
		}
		walkGo(t, func(file string) {
			if strings.HasPrefix(file, "tools/"+system+"/") {
				return
			}
			found, err := find(file)
			if err != nil {
				t.Fatal(err)
			}
			if len(found) == 0 {
				return
			}
			for pattern := range systemRooms[system] {
				if ok, _ := path.Match(pattern, file); ok {
					used[system+" "+pattern] = true
					return
				}
			}
			t.Errorf("%s names the System %s; it must be told by the System's declaration (package tools), not know it:\n\t%s", file, system, strings.Join(found, "\n\t"))
		})
		for pattern := range systemRooms[system] {
			if !used[system+" "+pattern] {
				t.Errorf("%s no longer names %s; remove it from systemRooms", pattern, system)
			}
		}
	}
}

// The sample vault says of every System what it opens.
func TestSampleNamesEverySystem(t *testing.T) {
	t.Chdir(root)
	page, err := os.ReadFile("tools/markdown/welcome/The five systems.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Count(string(page), "\n| `")
	for _, system := range all.Systems() {
		if name := system.Manifest().Name; !strings.Contains(string(page), "\n| `"+name+"` | ") {
			t.Errorf("the sample's page of systems lacks %s", name)
		}
	}
	if len(all.Systems()) != rows {
		t.Errorf("the sample's page has %d systems, and there are %d", rows, len(all.Systems()))
	}
}

// linesWith finds the lines with a word, letter case aside.
func linesWith(word string) func(file string) ([]string, error) {
	return func(file string) (found []string, err error) {
		text, err := os.ReadFile(file)
		for i, line := range strings.Split(string(text), "\n") {
			if strings.Contains(strings.ToLower(line), word) {
				found = append(found, fmt.Sprintf("%d: %s", i+1, strings.TrimSpace(line)))
			}
		}
		return found, err
	}
}

// kindLiterals finds the imports of a System, the string literals that are its
// name, and those that set a kind to it.
func kindLiterals(system string) func(file string) ([]string, error) {
	return func(file string) (found []string, err error) {
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, file, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			literal, ok := n.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(literal.Value)
			if err == nil && (text == system || text == module+"/tools/"+system || strings.Contains(text, "kind = "+strconv.Quote(system))) {
				found = append(found, fmt.Sprintf("%d: %s", files.Position(literal.Pos()).Line, literal.Value))
			}
			return true
		})
		return found, nil
	}
}

// walkGo calls visit with each Go file that is no test.
func walkGo(t *testing.T, visit func(file string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (slices.Contains([]string{"testdata", "node_modules"}, d.Name()) || d.Name() != "." && d.Name()[0] == '.'):
			return fs.SkipDir
		case strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go"):
			visit(filepath.ToSlash(file))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
