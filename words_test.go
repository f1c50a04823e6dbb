package lectern_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// TestWords holds the language of exported names: each of their words is a
// standard one, listed in docs/words.txt, or one of ours, explained in the
// glossary of ARCHITECTURE.md. A new word is a decision: prefer the term that
// an engineer would search for.
func TestWords(t *testing.T) {
	standard, err := os.ReadFile("docs/words.txt")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string][]string{}
	eachGoFile(t, func(file string, src []byte) {
		if strings.HasSuffix(file, "_test.go") {
			return
		}
		for _, name := range exportedNames(t, file, src) {
			for _, word := range nameWords(name) {
				used[word] = append(used[word], name+" in "+file)
			}
		}
	})
	for _, fault := range wordFaults(strings.Fields(string(standard)), glossaryTerms(string(page)), used) {
		t.Error(fault)
	}
}

func TestWordsCheckCanFail(t *testing.T) {
	used := map[string][]string{"page": {"Page in a.go"}, "hub": {"Hub in a.go"}, "crew": {"Crew in a.go"}}
	terms := glossaryTerms("# A\n\n## Glossary\n\n| term | meaning |\n| --- | --- |\n| Hub | it |\n| open Source | it |\n| Hub | twice |\n\n## B\n\n| Crew | not here |\n")
	faults := strings.Join(wordFaults([]string{"page", "source", "gone", "page"}, terms, used), "\n")
	for _, want := range []string{
		`"crew" of Crew in a.go`, `"hub" stands twice in the glossary`, `"page" stands twice in docs/words.txt`,
		`"gone" is in docs/words.txt and in no exported name`, `"source" is in docs/words.txt and in the glossary`,
	} {
		if !strings.Contains(faults, want) {
			t.Errorf("faults are\n%s\nwant one with %s", faults, want)
		}
	}
	if n := strings.Count(faults, "\n") + 1; n != 5 {
		t.Errorf("%d faults, want 5:\n%s", n, faults)
	}
	got := exportedNames(t, "a.go", []byte("package a\ntype T struct { Field, lower int; E }\ntype I interface { Do() }\nfunc (t T) Method() {}\nfunc (t hidden) Other() {}\nfunc plain() {}\nconst C, d = 1, 2\nvar V int\n"))
	if want := []string{"T", "Field", "I", "Do", "Method", "C", "V"}; !slices.Equal(got, want) {
		t.Errorf("exported names %v, want %v", got, want)
	}
	for name, want := range map[string]string{"HTTPPort": "http port", "ParseURLs": "parse urls", "MCPServer2": "mcp server", "ID": "id", "SourcesByID": "sources by id"} {
		if got := strings.Join(nameWords(name), " "); got != want {
			t.Errorf("words of %s: %s, want %s", name, got, want)
		}
	}
}

func wordFaults(standard, terms []string, used map[string][]string) (faults []string) {
	known, ours := map[string]bool{}, map[string]bool{}
	for _, term := range terms {
		term = strings.ToLower(term)
		if ours[term] {
			faults = append(faults, `"`+term+`" stands twice in the glossary`)
		}
		ours[term] = true
	}
	for _, word := range standard {
		switch {
		case known[word]:
			faults = append(faults, `"`+word+`" stands twice in docs/words.txt`)
		case ours[word] || slices.ContainsFunc(terms, func(s string) bool { return slices.Contains(strings.Fields(strings.ToLower(s)), word) }):
			faults = append(faults, `"`+word+`" is in docs/words.txt and in the glossary; keep one`)
		case used[word] == nil:
			faults = append(faults, `"`+word+`" is in docs/words.txt and in no exported name; remove it`)
		}
		known[word] = true
	}
	for term := range ours {
		for word := range strings.FieldsSeq(term) {
			known[word] = true
		}
	}
	for _, word := range slices.Sorted(maps.Keys(used)) {
		if !known[word] {
			faults = append(faults, `the word "`+word+`" of `+used[word][0]+" is neither in docs/words.txt nor in the glossary of ARCHITECTURE.md; use a standard word, or add it")
		}
	}
	return faults
}

var glossaryRow = regexp.MustCompile(`(?m)^\| ([A-Za-z][A-Za-z, -]*?) \|`)

// glossaryTerms are the first cells of the table under "## Glossary".
func glossaryTerms(page string) (terms []string) {
	_, section, _ := strings.Cut(page, "\n## Glossary\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, m := range glossaryRow.FindAllStringSubmatch(section, -1) {
		if m[1] == "term" {
			continue
		}
		for term := range strings.SplitSeq(m[1], ", ") {
			terms = append(terms, strings.ToLower(term))
		}
	}
	return terms
}

// exportedNames are the names that a file declares for others to use: types
// with their fields and methods, functions, constants and variables.
func exportedNames(t *testing.T, file string, src []byte) (names []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, src, 0)
	if err != nil {
		t.Fatal(err)
	}
	add := func(ids ...*ast.Ident) {
		for _, id := range ids {
			if id.IsExported() {
				names = append(names, id.Name)
			}
		}
	}
	fields := func(list *ast.FieldList) {
		for _, f := range list.List {
			add(f.Names...)
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil || ast.IsExported(receiverName(d.Recv.List[0].Type)) {
				add(d.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.ValueSpec:
					add(s.Names...)
				case *ast.TypeSpec:
					if !s.Name.IsExported() {
						continue
					}
					add(s.Name)
					switch of := s.Type.(type) {
					case *ast.StructType:
						fields(of.Fields)
					case *ast.InterfaceType:
						fields(of.Methods)
					}
				}
			}
		}
	}
	return names
}

// nameWords splits a Go name into its words in lower case. A run of capitals is
// one word, without the last if a small letter follows: HTTPPort is http port.
func nameWords(name string) (words []string) {
	var word []rune
	runes := []rune(name)
	flush := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
		}
		word = nil
	}
	for i, r := range runes {
		if !unicode.IsLetter(r) {
			flush()
			continue
		}
		upper := unicode.IsUpper(r)
		startsWord := upper && i > 0 && (!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]) && !isPluralCapitals(runes[i:]))
		if startsWord {
			flush()
		}
		word = append(word, r)
	}
	flush()
	return words
}

// isPluralCapitals says whether runes begin with the last capital of a run and
// its plural s, as in URLs.
func isPluralCapitals(runes []rune) bool {
	return len(runes) >= 2 && runes[1] == 's' && (len(runes) == 2 || !unicode.IsLower(runes[2]))
}
