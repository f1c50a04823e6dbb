package lectern_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A trouble is a status.Trouble as the source declares it.
type trouble struct{ Code, Severity, Means, Title, Fix string }

// TestProblems holds together what the product can raise and what
// docs/problems.md says: a Problem is made from a declaration and in no other
// way, and the page is made from the declarations.
func TestProblems(t *testing.T) {
	var all []trouble
	eachGoFile(t, func(file string, src []byte) {
		if strings.HasPrefix(file, "status/") || strings.HasSuffix(file, "_test.go") {
			return
		}
		found, faults := readTroubles(file, src)
		for _, f := range faults {
			t.Error(f)
		}
		all = append(all, found...)
	})
	slices.SortFunc(all, func(a, b trouble) int { return strings.Compare(a.Code, b.Code) })
	for i, tr := range all {
		if i > 0 && all[i-1].Code == tr.Code {
			t.Errorf("%s is declared twice", tr.Code)
		}
	}
	if len(all) < 10 {
		t.Errorf("found only %d declarations", len(all))
	}
	checkGenerated(t, "docs/problems.md", problemsPage(all))
}

func TestProblemsCheckCanFail(t *testing.T) {
	const whole = `status.Trouble{Code: "a.b", Severity: status.Error, Means: "M." + " N.", Title: "t", Fix: "F."}`
	for src, want := range map[string]string{
		"var x = " + whole:                                                   "",
		"var x = []status.Problem{}":                                         "",
		"var x = []status.Trouble{a, b}":                                     "",
		"var x status.Problem":                                               "",
		"var x = status.Problem{Code: code}":                                 "make it from a status.Trouble",
		"var x = []status.Problem{{Code: c}}":                                "make it from a status.Trouble",
		"var x = &status.Problem{}":                                          "make it from a status.Trouble",
		"func f() { p.Code = other }":                                        "",
		strings.Replace("var x = "+whole, `"t"`, "title", 1):                 "Title is no literal",
		strings.Replace("var x = "+whole, `"a.b"`, `"Ab"`, 1):                "code",
		strings.Replace("var x = "+whole, `Fix: "F."`, ``, 1):                "has no Fix",
		strings.Replace("var x = "+whole, "status.Error", "status.Fatal", 1): "severity",
		strings.Replace("var x = "+whole, `"F."`, `"F"`, 1):                  "sentence",
		"var x = []status.Trouble{{Code: `a.b`}}":                            "has no",
	} {
		_, faults := readTroubles("a.go", []byte("package a\n"+src))
		if got := strings.Join(faults, "\n"); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("of %s: %q, want %q", src, got, want)
		}
	}
}

// readTroubles finds the declarations in a file, and what is wrong with them.
func readTroubles(file string, src []byte) (found []trouble, faults []string) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, src, 0)
	if err != nil {
		return nil, []string{err.Error()}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		lit, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		at := fset.Position(lit.Pos()).String()
		for kind, one := range literalsOf(lit) {
			if kind == "Problem" {
				faults = append(faults, at+": make it from a status.Trouble, so that docs/problems.md knows it")
				continue
			}
			tr, wrong := readTrouble(one)
			found = append(found, tr)
			for _, w := range wrong {
				faults = append(faults, fmt.Sprintf("%s: status.Trouble %s: %s", at, tr.Code, w))
			}
		}
		return true
	})
	return found, faults
}

// literalsOf yields the literals of status.Problem and status.Trouble that lit
// is, or that it lists without their type.
func literalsOf(lit *ast.CompositeLit) func(func(string, *ast.CompositeLit) bool) {
	return func(yield func(string, *ast.CompositeLit) bool) {
		if kind := kindOf(lit.Type); kind != "" {
			yield(kind, lit)
			return
		}
		list, ok := lit.Type.(*ast.ArrayType)
		if !ok || kindOf(list.Elt) == "" {
			return
		}
		for _, e := range lit.Elts {
			if one, ok := e.(*ast.CompositeLit); ok && one.Type == nil && !yield(kindOf(list.Elt), one) {
				return
			}
		}
	}
}

func kindOf(e ast.Expr) string {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok || fmt.Sprint(sel.X) != "status" || sel.Sel.Name != "Problem" && sel.Sel.Name != "Trouble" {
		return ""
	}
	return sel.Sel.Name
}

var problemCode = regexp.MustCompile(`^[a-z]+\.[a-z]+$`)

func readTrouble(lit *ast.CompositeLit) (tr trouble, wrong []string) {
	fields := map[string]*string{"Code": &tr.Code, "Severity": &tr.Severity, "Means": &tr.Means, "Title": &tr.Title, "Fix": &tr.Fix}
	for _, e := range lit.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return tr, []string{"name its fields"}
		}
		name := fmt.Sprint(kv.Key)
		if *fields[name], ok = literal(kv.Value); !ok {
			wrong = append(wrong, name+" is no literal")
		}
	}
	for name, text := range fields {
		if *text == "" {
			wrong = append(wrong, "it has no "+name)
		}
	}
	if !problemCode.MatchString(tr.Code) {
		wrong = append(wrong, "its code is not of the form area.fault")
	}
	if !slices.Contains([]string{"Error", "Warning", "Notice"}, tr.Severity) {
		wrong = append(wrong, "its severity is none of Error, Warning and Notice")
	}
	for _, text := range []string{tr.Means, tr.Fix} {
		if !strings.HasSuffix(text, ".") {
			wrong = append(wrong, fmt.Sprintf("%q is no sentence", text))
		}
	}
	return tr, wrong
}

// literal is the text of a string, of a sum of strings, or the name of a
// constant of status.
func literal(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return s, err == nil
	case *ast.BinaryExpr:
		left, ok := literal(e.X)
		right, also := literal(e.Y)
		return left + right, ok && also
	case *ast.SelectorExpr:
		return e.Sel.Name, fmt.Sprint(e.X) == "status"
	}
	return "", false
}

func problemsPage(all []trouble) []byte {
	var b bytes.Buffer
	b.WriteString(`# Problems

What the panel and ` + "`lectern status`" + ` can show as a problem, by the code that ` + "`lectern status --json`" + ` gives it. Words in braces stand for
what is the case. An error keeps something from working, a warning may, and a notice is only worth knowing.

This page is made from the declarations beside the code that notices the problems; ` + "`make update`" + ` writes it.
`)
	for _, tr := range all {
		title := ""
		if tr.Title != "{why}" {
			title = fmt.Sprintf("It says: %q\n\n", tr.Title)
		}
		fmt.Fprintf(&b, "\n## %s\n\n**%s.** %s\n\n%s**What to do:** %s\n", tr.Code, tr.Severity, tr.Means, title, tr.Fix)
	}
	return b.Bytes()
}
