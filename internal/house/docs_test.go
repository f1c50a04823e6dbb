package house

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/all"
	"github.com/lectern-mcp/lectern/tools/doc"
)

// The generator is also the check: what the declarations render is compared
// with the committed files, and written with UPDATE=1.
func TestGenerated(t *testing.T) {
	t.Chdir(root)
	var systems []*tools.Manifest
	pages := map[string][]byte{}
	for _, k := range append(all.Systems(), tools.OwnChangesKind()) {
		m := k.Manifest()
		if m.Name != tools.OwnChangesKind().Manifest().Name {
			systems = append(systems, m)
		}
		page, err := doc.Reference(m)
		if err != nil {
			t.Fatal(err)
		}
		pages["docs/tools/"+m.Name+".md"] = page
	}
	skill, err := doc.Skill(tools.SkillVersion(all.Systems()), systems, tools.OwnChangesKind().Manifest())
	if err != nil {
		t.Fatal(err)
	}
	pages["SKILL.md"] = skill
	for file, want := range pages {
		checkGenerated(t, file, want)
	}
	committed, err := filepath.Glob("docs/tools/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range committed {
		if pages[filepath.ToSlash(file)] == nil {
			t.Errorf("%s belongs to no System; remove it", file)
		}
	}
}

func checkGenerated(t *testing.T, file string, want []byte) {
	t.Helper()
	if os.Getenv("UPDATE") != "" {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v\nrun: make update", err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is out of date; run: make update\n%s", file, cmp.Diff(string(got), string(want)))
	}
}

// What the documents name exists: files, tests, commands and make targets.
// Documents that drift mislead people and agents alike.
func TestDocumentsNameWhatExists(t *testing.T) {
	t.Chdir(root)
	known := facts{tests: testNames(t), commands: commandNames(t), targets: makeTargets(t), exists: func(name string) bool {
		_, err := os.Stat(filepath.FromSlash(name))
		return err == nil
	}}
	for _, file := range documents(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, problem := range known.problems(filepath.ToSlash(filepath.Dir(file)), string(text)) {
			t.Errorf("%s names %s", file, problem)
		}
	}
}

// The check itself, on a text that is wrong everywhere.
func TestDocumentCheckCanFail(t *testing.T) {
	known := facts{
		tests: []string{"TestThere"}, commands: map[string]bool{"serve": true, "hub": false, "stop": false}, targets: map[string]bool{"test": false},
		exists: func(name string) bool { return slices.Contains([]string{"hub", "hub/call.go", "docs/a.md"}, name) },
	}
	good := "See `hub/call.go`, `hub/*`, `hub/NAME.go`, [a](a.md) and `TestThere`. Run `lectern serve notes`, `lectern hub stop --now` or `make test`.\nIt answers `tools/list` at `/mcp`.\n```\nlectern hub\n```\n"
	if problems := known.problems("docs", good); len(problems) > 0 {
		t.Errorf("of a good text: %v", problems)
	}
	for _, bad := range []string{
		"`hub/gone.go`", "`gone.go`", "[a](b.md)", "`TestGone`", "`lectern dance`", "`lectern hub dance`", "`make tea`", "```\n$ lectern dance\n```",
	} {
		if problems := known.problems("docs", bad); len(problems) != 1 {
			t.Errorf("of %s: %v, want one problem", bad, problems)
		}
	}
}

// facts are what there is to name.
type facts struct {
	tests             []string
	commands, targets map[string]bool // true: words after it are arguments
	exists            func(name string) bool
}

var (
	inlineCode  = regexp.MustCompile("`([^`\n]+)`")
	linkTarget  = regexp.MustCompile(`\]\(([^)#]+)\)`)
	fencedBlock = regexp.MustCompile("(?s)```.*?```")
	fencedLine  = regexp.MustCompile(`(?m)^(?:\$ )?((?:lectern|make) .*|lectern)$`)
	pathLike    = regexp.MustCompile(`^\.?[\w-][\w.*-]*(/[\w.*-]+)*/?$`)
	fileName    = regexp.MustCompile(`\.(go|md|mod|sum|toml|yaml|yml|json|txt|tmpl|sh)$`)
	testName    = regexp.MustCompile(`^(Test|Fuzz|Benchmark|Example)[A-Z]\w*$`)
	plainWord   = regexp.MustCompile(`^[a-z]+$`)
	placeholder = regexp.MustCompile(`(^|/)[A-Z]+(\.\w+)?(/|$)`)
	mcpMethod   = regexp.MustCompile(`^(tools|resources|prompts|completion|logging)/(list|call|read|get|subscribe|complete|setLevel|templates/list)$`)
)

// problems lists what the text of a page in dir names and is not there.
func (f facts) problems(dir, text string) []string {
	var problems []string
	blocks := strings.Join(fencedBlock.FindAllString(text, -1), "\n")
	prose := fencedBlock.ReplaceAllString(text, "")
	for _, m := range fencedLine.FindAllStringSubmatch(blocks, -1) {
		problems = append(problems, f.command(m[1])...)
	}
	for _, m := range inlineCode.FindAllStringSubmatch(prose, -1) {
		problems = append(problems, f.code(m[1])...)
	}
	for _, m := range linkTarget.FindAllStringSubmatch(inlineCode.ReplaceAllString(prose, ""), -1) {
		if !strings.Contains(m[1], "://") && !f.exists(path.Join(dir, m[1])) {
			problems = append(problems, "the file "+m[1])
		}
	}
	return problems
}

// code judges one piece of inline code.
func (f facts) code(s string) []string {
	switch {
	case strings.HasPrefix(s, "lectern ") || strings.HasPrefix(s, "make "):
		return f.command(s)
	case testName.MatchString(s):
		if !slices.Contains(f.tests, s) {
			return []string{"the test " + s}
		}
	case pathLike.MatchString(s) && !f.path(s):
		return []string{"the path " + s}
	}
	return nil
}

// path says whether s exists, or is no path of ours after all.
func (f facts) path(s string) bool {
	s = strings.TrimSuffix(s, "/")
	root, _, nested := strings.Cut(s, "/")
	switch {
	case mcpMethod.MatchString(s):
		return true
	case placeholder.MatchString(s) && !f.exists(s) && !strings.HasSuffix(s, ".md"):
		return true // tools/NAME
	case strings.HasSuffix(s, "/*"):
		return f.exists(strings.TrimSuffix(s, "/*"))
	case nested:
		return f.exists(s) || !f.exists(root) && !fileName.MatchString(s)
	default:
		return f.exists(s) || !fileName.MatchString(s)
	}
}

// command checks a command line up to its first argument.
func (f facts) command(line string) []string {
	words := strings.Fields(line)
	names, what := f.commands, "the command "
	if words[0] == "make" {
		names, what = f.targets, "the target "
	}
	if len(names) == 0 {
		return nil // cmd/lectern is not there to ask
	}
	for _, w := range words[1:] {
		if !plainWord.MatchString(w) {
			break
		}
		takesArguments, known := names[w]
		if !known {
			return []string{what + line}
		}
		if takesArguments {
			break
		}
	}
	return nil
}

// documents are the pages that people read; generated ones are checked where
// they are made.
func documents(t *testing.T) []string {
	t.Helper()
	var files []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/adr/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	if len(files) < 8 {
		t.Fatalf("found only %v", files)
	}
	return files
}

func testNames(t *testing.T) []string {
	t.Helper()
	var names []string
	decl := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark|Example)\w*)\(`)
	eachGoFile(t, func(file string, src []byte) {
		if strings.HasSuffix(file, "_test.go") {
			for _, m := range decl.FindAllSubmatch(src, -1) {
				names = append(names, string(m[1]))
			}
		}
	})
	return names
}

// commandNames are the words that cmd/lectern's commands begin with, and those
// that cobra adds by itself.
func commandNames(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	eachGoFile(t, func(file string, src []byte) {
		if !strings.HasPrefix(file, "cmd/lectern/") || strings.HasSuffix(file, "_test.go") {
			return
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, src, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if words := strings.Fields(useOf(n)); len(words) > 0 {
				names[words[0]] = names[words[0]] || len(words) > 1
			}
			return true
		})
	})
	if len(names) > 0 {
		names["help"], names["completion"] = true, true
	}
	for _, k := range all.Systems() { // those that a System declares: lectern KIND COMMAND
		m := k.Manifest()
		if len(m.Commands) > 0 {
			names[m.Name] = false
		}
		for _, c := range m.Commands {
			for i, word := range strings.Fields(c.Name) {
				names[word] = names[word] || i > 0 || len(c.Args) > 0
			}
		}
	}
	return names
}

// useOf is the text of a `Use: "..."` field, or "".
func useOf(n ast.Node) string {
	kv, ok := n.(*ast.KeyValueExpr)
	if !ok || fmt.Sprint(kv.Key) != "Use" {
		return ""
	}
	lit, ok := kv.Value.(*ast.BasicLit)
	if !ok {
		return ""
	}
	s, err := strconv.Unquote(lit.Value)
	if err != nil {
		return ""
	}
	return s
}

func makeTargets(t *testing.T) map[string]bool {
	t.Helper()
	src, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^([a-z][a-z-]*):.*## `).FindAllSubmatch(src, -1) {
		names[string(m[1])] = false
	}
	return names
}

// eachGoFile visits our Go files by their slash-separated paths.
func eachGoFile(t *testing.T, visit func(file string, src []byte)) {
	t.Helper()
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || d.Name() != "." && d.Name()[0] == '.'):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(file, ".go"):
			return nil
		}
		src, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		visit(filepath.ToSlash(file), src)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Every decision has a number of its own, a page and the same four parts.
func TestDecisions(t *testing.T) {
	t.Chdir(root)
	files, err := filepath.Glob("docs/adr/*.md")
	if err != nil {
		t.Fatal(err)
	}
	page := regexp.MustCompile(`^\d{4}-[a-z0-9-]+\.md$`)
	for i, file := range files {
		name := filepath.Base(file)
		if !page.MatchString(name) {
			t.Errorf("%s: want a name such as 0001-why.md", file)
		}
		if i > 0 && name[:4] == filepath.Base(files[i-1])[:4] {
			t.Errorf("%s: %s has this number too", file, files[i-1])
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{"# ", "## Context", "## Decision", "## Rejected", "## Consequence"} {
			if !strings.HasPrefix(string(text), part) && !strings.Contains(string(text), "\n"+part+"\n") {
				t.Errorf("%s has no %q", file, part)
			}
		}
	}
	if len(files) < 10 {
		t.Errorf("found %d decisions, want ten at least", len(files))
	}
}
