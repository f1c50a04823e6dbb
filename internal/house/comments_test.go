package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestCommentsNameWhatExists holds two things that a renaming breaks and no compiler
// sees: a comment that begins with the name of another declaration than the one below
// it, and the name of a Go file that is no longer there.
func TestCommentsNameWhatExists(t *testing.T) {
	t.Chdir(root)
	files := map[string]bool{}
	eachGoFile(t, func(file string, _ []byte) { files[filepath.Base(file)] = true })
	eachGoFile(t, func(file string, src []byte) {
		for _, fault := range commentFaults(t, file, src, files) {
			t.Error(fault)
		}
	})
}

func TestCommentCheckCanFail(t *testing.T) {
	const src = "package a\n\n// readPage reads.\nfunc readCard() {}\n\n// Good is good, see gone.go and here.go.\ntype Good int\n\n" +
		"// IsBad says so.\nfunc (Good) IsGood() bool { return true }\n\n// Words that begin a sentence are free.\nfunc free() {}\n\n" +
		"type I interface {\n\t// DoThat does this.\n\tDoThis()\n}\n"
	faults := strings.Join(commentFaults(t, "a.go", []byte(src), map[string]bool{"here.go": true}), "\n")
	for _, want := range []string{"readPage", "IsBad", "DoThat", "gone.go"} {
		if !strings.Contains(faults, want) {
			t.Errorf("faults are\n%s\nwant one with %s", faults, want)
		}
	}
	if n := strings.Count(faults, "\n") + 1; n != 4 {
		t.Errorf("%d faults, want 4:\n%s", n, faults)
	}
}

var (
	// compoundName is what only a Go identifier looks like: letters of both cases within
	// a word. MCP and SQLite are words.
	compoundName = regexp.MustCompile(`^(?:[a-z]+[A-Z]|[A-Z][a-z]+[A-Z])\w*$`)
	methodSays   = regexp.MustCompile(`^([A-Z]\w+) (?:is|are|[a-z]+s) `)
	goFileName   = regexp.MustCompile(`\b[a-z][a-z0-9_]*\.go\b`)
)

// ordinaryNames are compound names of the world outside, with which a sentence may begin.
var ordinaryNames = map[string]bool{
	"OpenCode": true, "GitHub": true, "PostgreSQL": true, "JavaScript": true, "TypeScript": true, "QuickJS": true, "DataScript": true,
	"WebSocket": true, "BoolQ": true, "macOS": true, "CommonMark": true, "TipTap": true, "Bubbletea": true,
}

func commentFaults(t *testing.T, file string, src []byte, files map[string]bool) (faults []string) {
	t.Helper()
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, file, src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	check := func(doc *ast.CommentGroup, names ...*ast.Ident) {
		if doc == nil || len(names) == 0 {
			return
		}
		first, _, _ := strings.Cut(strings.TrimRight(doc.Text(), "\n"), " ")
		first = strings.TrimRight(first, ",.:;'s")
		if !compoundName.MatchString(first) || ordinaryNames[first] {
			return
		}
		for _, name := range names {
			if strings.HasPrefix(name.Name, first) {
				return
			}
		}
		faults = append(faults, fmt.Sprintf("%s: the comment of %s begins with %s", set.Position(doc.Pos()), names[0].Name, first))
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			check(n.Doc, n.Name)
		case *ast.GenDecl:
			for _, spec := range n.Specs {
				if s, ok := spec.(*ast.TypeSpec); ok && len(n.Specs) == 1 {
					check(n.Doc, s.Name)
				}
			}
		case *ast.TypeSpec:
			check(n.Doc, n.Name)
		case *ast.Field:
			check(n.Doc, n.Names...)
		case *ast.InterfaceType:
			for _, m := range n.Methods.List {
				if len(m.Names) == 1 && m.Doc != nil {
					if says := methodSays.FindStringSubmatch(m.Doc.Text()); says != nil && says[1] != m.Names[0].Name && !compoundName.MatchString(says[1]) {
						faults = append(faults, fmt.Sprintf("%s: the comment of %s begins with %s", set.Position(m.Pos()), m.Names[0].Name, says[1]))
					}
				}
			}
		case *ast.Comment:
			for _, name := range goFileName.FindAllString(n.Text, -1) {
				if !files[name] && !strings.HasPrefix(n.Text, "//go:") {
					faults = append(faults, fmt.Sprintf("%s: there is no %s", set.Position(n.Pos()), name))
				}
			}
		default:
		}
		return true
	})
	return faults
}
