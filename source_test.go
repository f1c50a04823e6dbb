package lectern_test

import (
	"go/parser"
	"go/scanner"
	"go/token"
	"path"
	"strings"
	"testing"
)

// maxCodeLines is how long a file may be, without comments and empty lines.
const maxCodeLines = 500

func TestFilesAreShort(t *testing.T) {
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

// Nobody waits for time to pass, but where the clock is synctest's.
func TestNobodySleeps(t *testing.T) {
	eachGoFile(t, func(file string, src []byte) {
		if sleeps(string(src)) {
			t.Errorf("%s sleeps; wait for the thing itself, or use testing/synctest", file)
		}
	})
	call := "time" + ".Sleep(1)"
	if !sleeps(call) || sleeps("import \"testing/synctest\"\n"+call) {
		t.Error("does not tell sleeping from waiting in a bubble")
	}
}

func sleeps(src string) bool {
	return strings.Contains(src, "time"+".Sleep(") && !strings.Contains(src, `"testing/synctest"`)
}

// Every package says what it is, in exactly one of its files.
func TestPackageComments(t *testing.T) {
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
