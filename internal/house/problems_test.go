package house

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

// A problemType is a status.ProblemType as the source declares it.
type problemType struct{ Code, Severity, Description, Title, Fix string }

// TestProblems holds together what the product can raise and what
// docs/problems.md says: a Problem is made from a declaration and in no other
// way, and the page is made from the declarations.
func TestProblems(t *testing.T) {
	t.Chdir(root)
	var all []problemType
	eachGoFile(t, func(file string, src []byte) {
		if strings.HasPrefix(file, "status/") || strings.HasPrefix(file, "tools/toolstest/") || strings.HasSuffix(file, "_test.go") {
			return
		}
		found, faults := readProblemTypes(file, src)
		for _, f := range faults {
			t.Error(f)
		}
		all = append(all, found...)
	})
	slices.SortFunc(all, func(a, b problemType) int { return strings.Compare(a.Code, b.Code) })
	for i, pt := range all {
		if i > 0 && all[i-1].Code == pt.Code {
			t.Errorf("%s is declared twice", pt.Code)
		}
	}
	if len(all) < 10 {
		t.Errorf("found only %d declarations", len(all))
	}
	checkGenerated(t, "docs/problems.md", problemsPage(all))
}

func TestProblemsCheckCanFail(t *testing.T) {
	const whole = `status.ProblemType{Code: "a.b", Severity: status.Error, Description: "M." + " N.", Title: "t", Fix: "F."}`
	for src, want := range map[string]string{
		"var x = " + whole:                                                   "",
		"var x = []status.Problem{}":                                         "",
		"var x = []status.ProblemType{a, b}":                                 "",
		"var x status.Problem":                                               "",
		"var x = status.Problem{Code: code}":                                 "make it from a status.ProblemType",
		"var x = []status.Problem{{Code: c}}":                                "make it from a status.ProblemType",
		"var x = &status.Problem{}":                                          "make it from a status.ProblemType",
		"func f() { p.Code = other }":                                        "",
		strings.Replace("var x = "+whole, `"t"`, "title", 1):                 "Title is no literal",
		strings.Replace("var x = "+whole, `"a.b"`, `"Ab"`, 1):                "code",
		strings.Replace("var x = "+whole, `Fix: "F."`, ``, 1):                "has no Fix",
		strings.Replace("var x = "+whole, "status.Error", "status.Fatal", 1): "severity",
		strings.Replace("var x = "+whole, `"F."`, `"F"`, 1):                  "sentence",
		"var x = []status.ProblemType{{Code: `a.b`}}":                        "has no",
	} {
		_, faults := readProblemTypes("a.go", []byte("package a\n"+src))
		if got := strings.Join(faults, "\n"); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("of %s: %q, want %q", src, got, want)
		}
	}
}

// readProblemTypes finds the declarations in a file, and what is wrong with them.
func readProblemTypes(file string, src []byte) (found []problemType, faults []string) {
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
				faults = append(faults, at+": make it from a status.ProblemType, so that docs/problems.md knows it")
				continue
			}
			pt, wrong := readProblemType(one)
			found = append(found, pt)
			for _, w := range wrong {
				faults = append(faults, fmt.Sprintf("%s: status.ProblemType %s: %s", at, pt.Code, w))
			}
		}
		return true
	})
	return found, faults
}

// literalsOf yields the literals of status.Problem and status.ProblemType that lit
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
	if !ok || fmt.Sprint(sel.X) != "status" || sel.Sel.Name != "Problem" && sel.Sel.Name != "ProblemType" {
		return ""
	}
	return sel.Sel.Name
}

var problemCode = regexp.MustCompile(`^[a-z]+\.[a-z]+$`)

func readProblemType(lit *ast.CompositeLit) (pt problemType, wrong []string) {
	fields := map[string]*string{"Code": &pt.Code, "Severity": &pt.Severity, "Description": &pt.Description, "Title": &pt.Title, "Fix": &pt.Fix}
	for _, e := range lit.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return pt, []string{"name its fields"}
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
	if !problemCode.MatchString(pt.Code) {
		wrong = append(wrong, "its code is not of the form area.fault")
	}
	if !slices.Contains([]string{"Error", "Warning", "Notice"}, pt.Severity) {
		wrong = append(wrong, "its severity is none of Error, Warning and Notice")
	}
	for _, text := range []string{pt.Description, pt.Fix} {
		if !strings.HasSuffix(text, ".") {
			wrong = append(wrong, fmt.Sprintf("%q is no sentence", text))
		}
	}
	return pt, wrong
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

func problemsPage(all []problemType) []byte {
	var b bytes.Buffer
	b.WriteString(`# Problems

What the panel and ` + "`lectern status`" + ` can show as a problem, by the code that ` + "`lectern status --json`" + ` gives it. Words in braces are
replaced by the names and numbers of your case. An error stops something from working, a warning may, and a notice only informs.

This page is made from the declarations beside the code that notices the problems; ` + "`make update`" + ` writes it.
`)
	for _, pt := range all {
		title := ""
		if pt.Title != "{why}" {
			title = fmt.Sprintf("It says: %q\n\n", pt.Title)
		}
		fmt.Fprintf(&b, "\n## %s\n\n**%s.** %s\n\n%s**What to do:** %s\n", pt.Code, pt.Severity, pt.Description, title, pt.Fix)
	}
	return b.Bytes()
}
