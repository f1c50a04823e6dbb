package org_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgquery"
)

// TestQueries answers random queries twice: with the query language, and by
// filtering what Emacs read of each headline of the corpus, one by one.
func TestQueries(t *testing.T) {
	dirs := []string{"testdata/corpus"}
	if shared := sharedCorpus(t); shared != "" {
		dirs = append(dirs, shared)
	}
	var files []queryFile
	for _, dir := range dirs {
		files = append(files, readQueryFiles(t, dir)...)
	}
	r := rand.New(rand.NewPCG(1, 2))
	answers := 0
	for range envNumber(t, "ORG_QUERIES", 60) {
		text, naive := randomQuery(r, files, 0)
		q, err := orgquery.Parse(text, caseTime)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for _, f := range files {
			found := q.Select(f.view, orgquery.Options{Archived: true, Commented: true})
			for i, h := range f.headlines {
				if want := naive(h); h.comparable && want != slices.Contains(found, i) {
					t.Errorf("%s: %s:%v %q: found %v, want %v", text, f.view.File.Path, h.facts["line"], h.facts["title"], !want, want)
				} else if want {
					answers++
				}
			}
		}
		if t.Failed() {
			break
		}
	}
	t.Logf("%d headlines found", answers)
}

type queryFile struct {
	view      *orgfile.View
	headlines []queryHeadline
}

// A queryHeadline is what Emacs read of a headline, and its text.
type queryHeadline struct {
	facts      map[string]any
	groups     map[string][]string
	text       string
	comparable bool // Org's versions agree
}

func (h queryHeadline) word(name string) string { s, _ := h.facts[name].(string); return s }

func (h queryHeadline) list(name string) []string {
	var out []string
	items, _ := h.facts[name].([]any)
	for _, item := range items {
		out = append(out, fmt.Sprint(item))
	}
	return out
}

func readQueryFiles(t *testing.T, dir string) []queryFile {
	t.Helper()
	lines, err := os.Open(filepath.Join(dir, "oracle.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer lines.Close()
	var out []queryFile
	count := corpusCount{quirks: orgfile.Org95}
	in := bufio.NewReaderSize(lines, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 1 {
			var facts oracleFile
			if err := json.Unmarshal(line, &facts); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, filepath.FromSlash(facts.File))
			if _, err := os.Stat(path); err != nil {
				path = filepath.Join(dir, "corpus", filepath.FromSlash(facts.File))
			}
			source, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			settings := orgfile.DefaultSettings()
			settings.Quirks = orgfile.Org95
			f, err := orgfile.Parse(source, path, settings, readSetup)
			if err != nil {
				t.Fatal(err)
			}
			if len(f.Headlines) != len(facts.Headlines) || f.CRLF {
				continue
			}
			file := queryFile{view: orgfile.NewView(f, nil)}
			for i, h := range facts.Headlines {
				heading := f.Text(orgfile.Span{Start: f.Headlines[i].Begin, End: f.Headlines[i].LineEnd})
				file.headlines = append(file.headlines, queryHeadline{
					h, f.Settings.TagGroups(), strings.ToLower(string(source[f.Headlines[i].Begin:f.EntryEnd(i)])),
					count.versionDifference(heading) == "" && !strings.Contains(heading, "COMMENT"),
				})
			}
			out = append(out, file)
		}
		if err != nil {
			return out
		}
	}
}

// randomQuery returns a query and what it means.
func randomQuery(r *rand.Rand, files []queryFile, depth int) (string, func(queryHeadline) bool) {
	if depth < 3 && r.IntN(3) > 0 {
		left, first := randomQuery(r, files, depth+1)
		right, second := randomQuery(r, files, depth+1)
		switch r.IntN(5) {
		case 0:
			return "(" + left + " or " + right + ")", func(h queryHeadline) bool { return first(h) || second(h) }
		case 1:
			return "(" + left + " OR " + right + ")", func(h queryHeadline) bool { return first(h) || second(h) }
		case 2:
			return []string{"!", "not "}[r.IntN(2)] + "(" + left + ")", func(h queryHeadline) bool { return !first(h) }
		case 3:
			return left + " " + right, func(h queryHeadline) bool { return first(h) && second(h) }
		default:
			return "(" + left + " and !(" + right + "))", func(h queryHeadline) bool { return first(h) && !second(h) }
		}
	}
	for {
		f := files[r.IntN(len(files))]
		if len(f.headlines) > 0 {
			return randomTerm(r, f.headlines[r.IntN(len(f.headlines))])
		}
	}
}

var plainWord = regexp.MustCompile(`^[\pL\pN_@%-]+$`)

// randomTerm returns a term that often fits the headline h.
func randomTerm(r *rand.Rand, h queryHeadline) (string, func(queryHeadline) bool) {
	quote := func(s string) string {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
	}
	switch r.IntN(13) {
	case 0:
		return "todo:", func(h queryHeadline) bool { return h.word("todo_type") == "todo" }
	case 1:
		return "done:", func(h queryHeadline) bool { return h.word("todo_type") == "done" }
	case 2:
		if state := h.word("todo"); state != "" {
			return "todo:" + quote(state) + ",NEXT", func(h queryHeadline) bool { return slices.Contains([]string{state, "NEXT"}, h.word("todo")) }
		}
		return "todo:TODO,DONE", func(h queryHeadline) bool { return slices.Contains([]string{"TODO", "DONE"}, h.word("todo")) }
	case 3, 4:
		tag := "work"
		if tags := h.list("tags_all"); len(tags) > 0 {
			tag = tags[r.IntN(len(tags))]
		}
		return "tags:" + quote(tag) + ",home", func(h queryHeadline) bool {
			return hasTagSlowly(h.list("tags_all"), tag, h.groups, 0) || hasTagSlowly(h.list("tags_all"), "home", h.groups, 0)
		}
	case 5:
		return "tags:", func(h queryHeadline) bool { return len(h.list("tags_all")) > 0 }
	case 6:
		if p := h.word("priority"); p != "" {
			return "priority:>=" + p, func(h queryHeadline) bool {
				return h.word("priority") != "" && h.word("priority") <= strings.ToUpper(p)
			}
		}
		return "priority:", func(h queryHeadline) bool { return h.word("priority") != "" }
	case 7:
		level, _ := h.facts["reduced_level"].(float64)
		return fmt.Sprintf("level:<%d", int(level)), func(h queryHeadline) bool { n, _ := h.facts["reduced_level"].(float64); return n < level }
	case 8:
		kind := []string{"scheduled", "deadline", "closed"}[r.IntN(3)]
		return kind + ":", func(h queryHeadline) bool { return activeDay(h.word(kind)) != "" }
	case 9:
		kind := []string{"scheduled", "deadline", "closed"}[r.IntN(3)]
		day := activeDay(h.word(kind))
		if day == "" {
			day = caseTime.AddDate(-r.IntN(14), 0, 0).Format("2006-01-02")
		}
		return kind + ":<=" + day, func(h queryHeadline) bool { d := activeDay(h.word(kind)); return d != "" && d <= day }
	case 10:
		category := h.word("category")
		return "category:" + quote(category+" "), func(h queryHeadline) bool { return h.word("category") == category+" " }
	default:
		words := strings.Fields(h.text)
		if len(words) == 0 {
			words = []string{"x"}
		}
		word := words[r.IntN(len(words))]
		term := quote(word)
		if plainWord.MatchString(word) && !slices.Contains([]string{"and", "or", "not"}, word) {
			term = strings.ToUpper(word)
			if strings.ToLower(term) != word {
				term = word
			}
		}
		return term, func(h queryHeadline) bool { return strings.Contains(h.text, word) }
	}
}

func hasTagSlowly(tags []string, tag string, groups map[string][]string, depth int) bool {
	if slices.Contains(tags, tag) {
		return true
	}
	for _, member := range groups[tag] {
		if depth < 8 && member != tag && hasTagSlowly(tags, member, groups, depth+1) {
			return true
		}
	}
	return false
}

var dayInStamp = regexp.MustCompile(`^[<\[]([0-9]{4}-[0-9]{2}-[0-9]{2})[ >\]]`)

// activeDay returns the day of a timestamp as Emacs printed it.
func activeDay(stamp string) string {
	if m := dayInStamp.FindStringSubmatch(stamp); m != nil {
		return m[1]
	}
	return ""
}
