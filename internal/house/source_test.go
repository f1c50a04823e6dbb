package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"path"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// maxCodeLines is how long a file may be, without comments and empty lines.
const maxCodeLines = 500

func TestFilesAreShort(t *testing.T) {
	t.Chdir(root)
	eachGoFile(t, func(file string, src []byte) {
		if n := codeLines(src); n > maxCodeLines {
			t.Errorf("%s has %d lines of code, more than %d; it holds more than one idea", file, n, maxCodeLines)
		}
	})
	if n := codeLines([]byte("package a\n\n// b\n/*\nc\n*/\nvar d = `\n\n`\n")); n != 4 {
		t.Errorf("counted %d lines of code, want 4", n)
	}
}

// codeLines counts the lines that hold something else than comments.
func codeLines(src []byte) int {
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, 0)
	lines := map[int]bool{}
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return len(lines)
		}
		if tok == token.SEMICOLON && lit == "\n" {
			continue // put in by the scanner
		}
		first := file.Line(pos)
		for i := range strings.Count(lit, "\n") + 1 {
			lines[first+i] = true
		}
	}
}

// maxColumns is how wide a line of product code may be, in characters, a tab being one.
const maxColumns = 140

// Narrow lines are read, and wide ones are scrolled past. Struct tags, SQL and
// expressions in raw strings cannot be broken, and may be wider.
func TestLinesAreNarrow(t *testing.T) {
	t.Chdir(root)
	var all []string
	eachGoFile(t, func(file string, src []byte) {
		if strings.HasSuffix(file, "_test.go") {
			return
		}
		for _, n := range wideLines(src) {
			all = append(all, fmt.Sprintf("%s:%d", file, n))
		}
	})
	if len(all) > 0 {
		t.Errorf("%d lines are wider than %d columns; break them:\n%s", len(all), maxColumns, strings.Join(all, "\n"))
	}
	wide := strings.Repeat("x", maxColumns)
	for src, want := range map[string]int{
		"package a\n\n// " + wide + "\nvar b = 1\n":                          1,
		"package a\n\nvar b = \"" + wide + "\"\n":                            1,
		"package a\n\nvar b = `" + wide + "`\n":                              0,
		"package a\n\nvar b = `\n" + wide + "\n`\n":                          0,
		"package a\n\ntype b struct {\n\tc int `json:\"" + wide + "\"`\n}\n": 0,
	} {
		if got := wideLines([]byte(src)); len(got) != want {
			t.Errorf("found %v in\n%s", got, src)
		}
	}
}

// wideLines are the numbers of the lines that are too wide and have no part of a raw
// string.
func wideLines(src []byte) (wide []int) {
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, 0)
	raw := map[int]bool{}
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		if tok == token.STRING && lit[0] == '`' {
			for i := range strings.Count(lit, "\n") + 1 {
				raw[file.Line(pos)+i] = true
			}
		}
	}
	for i, line := range strings.Split(string(src), "\n") {
		line, _, _ = strings.Cut(line, " //nolint:") // which has to stand there
		if utf8.RuneCountInString(line) > maxColumns && !raw[i+1] {
			wide = append(wide, i+1)
		}
	}
	return wide
}

// TestNobodySleeps finds waiting for time to pass, by time.Sleep or by receiving
// from time.After outside of a select, where it only bounds another wait. In
// files that use synctest the clock is fake and sleeping costs nothing.
func TestNobodySleeps(t *testing.T) {
	t.Chdir(root)
	allowed := map[string]string{
		"internal/atomicfile/crash_test.go": "the kill has to land at a random moment of a write",
		"internal/loopnet/server_test.go":   "a deadline of the kernel's socket must pass without effect",
	}
	eachGoFile(t, func(file string, src []byte) {
		found := sleeps(t, file, src)
		if allowed[file] != "" {
			if len(found) == 0 {
				t.Errorf("%s does not sleep any more; take it off the list", file)
			}
			return
		}
		for _, at := range found {
			t.Errorf("%s sleeps; wait for the thing itself, or use testing/synctest", at)
		}
	})
	for body, want := range map[string]int{
		"time.Sleep(1)":   1,
		"<-time.After(1)": 1,
		"for range 3 { t := <-time.After(1); _ = t }": 1,
		"select { case <-time.After(1): }":            0,
		"select { case <-c: <-time.After(1) }":        1,
	} {
		src := "package a\nfunc f() { " + body + " }"
		if got := len(sleeps(t, "a.go", []byte(src))); got != want {
			t.Errorf("%s: found %d sleeps, want %d", body, got, want)
		}
		if fake := strings.Replace(src, "\n", "\nimport \"testing/synctest\"\n", 1); len(sleeps(t, "a.go", []byte(fake))) > 0 {
			t.Errorf("%s: found a sleep in a bubble", body)
		}
	}
}

// sleeps lists the places in a file that wait for time to pass.
func sleeps(t *testing.T, file string, src []byte) (found []string) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, src, 0)
	if err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"testing/synctest"` }) {
		return nil
	}
	bounds := map[ast.Node]bool{} // receives that are cases of a select
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CommClause:
			if comm, ok := n.Comm.(*ast.ExprStmt); ok {
				bounds[comm.X] = true
			}
		case *ast.UnaryExpr:
			if n.Op == token.ARROW && !bounds[n] && isTimeCall(n.X, "After") {
				found = append(found, fset.Position(n.Pos()).String())
			}
		case *ast.CallExpr:
			if isTimeCall(n, "Sleep") {
				found = append(found, fset.Position(n.Pos()).String())
			}
		}
		return true
	})
	return found
}

// isTimeCall says whether e calls the function of package time of this name.
func isTimeCall(e ast.Expr, name string) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != name {
		return false
	}
	pkg, ok := sel.X.(*ast.Ident)
	return ok && pkg.Name == "time"
}

// Every package says what it is, in exactly one of its files.
func TestPackageComments(t *testing.T) {
	t.Chdir(root)
	packages, commented := map[string]string{}, map[string][]string{}
	eachGoFile(t, func(file string, src []byte) {
		if strings.HasSuffix(file, "_test.go") {
			return
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, src, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		dir := path.Dir(file)
		packages[dir] = f.Name.Name
		if text := f.Doc.Text(); text != "" && !strings.HasPrefix(text, "//") {
			commented[dir] = append(commented[dir], path.Base(file))
			if want := "Package " + f.Name.Name + " "; f.Name.Name != "main" && !strings.HasPrefix(text, want) {
				t.Errorf("%s: the package comment begins with %q", file, want)
			}
		}
	})
	for dir, name := range packages {
		if files := commented[dir]; len(files) != 1 {
			t.Errorf("%s: package %s has a package comment in %v, want one file", dir, name, files)
		}
	}
}
