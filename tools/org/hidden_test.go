package org_test

import (
	"encoding/binary"
	"encoding/json"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools/org"
)

// A hiddenWorld is some files, and what is hidden besides: files that are there too, or
// that have more in them.
type hiddenWorld struct {
	shown, hidden map[string]string
	config        org.Config
	rules         []string
}

// compare makes the same calls, each a tool and its arguments, with what is hidden and
// without it, and compares the answers. It returns those without it.
func (w hiddenWorld) compare(t *testing.T, calls ...[2]string) (answers []string) {
	t.Helper()
	without, with := w.open(t, w.shown), w.open(t, maps.Clone(w.shown), w.hidden)
	for _, c := range calls {
		want, got := without.answer(c), with.answer(c)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s %s tells that something is hidden (-without +with):\n%s", c[0], c[1], diff)
		}
		answers = append(answers, want)
	}
	return answers
}

// open writes files and opens them. ROOT in a text is their folder.
func (w hiddenWorld) open(t *testing.T, layers ...map[string]string) *testSource {
	t.Helper()
	s := openFiles(t, nil, w.config, w.rules...)
	for _, files := range layers {
		for name, text := range files {
			put(t, filepath.Join(s.dir, filepath.FromSlash(name)), strings.ReplaceAll(text, "ROOT", filepath.ToSlash(s.dir)))
		}
	}
	return s
}

// answer is all that a call answers, as text that does not name the folder.
func (s *testSource) answer(c [2]string) string {
	s.t.Helper()
	text, err := json.MarshalIndent(s.call(c[0], strings.ReplaceAll(c[1], "ROOT", filepath.ToSlash(s.dir))), "", " ")
	if err != nil {
		s.t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), filepath.ToSlash(s.dir), "ROOT")
}

// drawer is a property drawer of lines such as "ID: x".
func drawer(lines ...string) string {
	return ":PROPERTIES:\n:" + strings.Join(lines, "\n:") + "\n:END:\n"
}

// TestAttachmentsOfHidden: what is attached to a hidden headline, or to a headline of a
// hidden file, does not exist, by whatever name a visible headline has for its folder.
func TestAttachmentsOfHidden(t *testing.T) {
	runtest.InOrder(t)
	const uuid = "1f0c6e5a-8a1b-4b7e-9d0a-3c5a7e2b9f10"
	secret := func(lines ...string) string { return "* B\n* Secret :secret:\n" + drawer(lines...) }
	for name, c := range map[string]struct {
		hidden map[string]string // beside what is attached, which has the word ATTACHED
		dir    string            // that the visible headline names
	}{
		"by ID":                       {map[string]string{"b.org": secret("ID: abcdef-1"), "data/ab/cdef-1/x.txt": "ATTACHED"}, "data/ab/cdef-1"},
		"by ID, from another folder":  {map[string]string{"b.org": secret("ID: " + uuid), "attach/1f/" + uuid[2:] + "/x.txt": "ATTACHED"}, "attach/1f/" + uuid[2:]},
		"by ID of a time":             {map[string]string{"b.org": secret("ID: 20260301T101010.5"), "data/202603/01T101010.5/x.txt": "ATTACHED"}, "data/202603/01T101010.5"},
		"by a short ID":               {map[string]string{"b.org": secret("ID: ab"), "data/__/a/ab/x.txt": "ATTACHED"}, "data/__/a/ab"},
		"by DIR":                      {map[string]string{"b.org": secret("DIR: plans"), "plans/x.txt": "ATTACHED"}, "plans"},
		"by DIR in another spelling":  {map[string]string{"b.org": secret("DIR: ./work/../plans/"), "plans/x.txt": "ATTACHED"}, "plans"},
		"by a folder in DIR":          {map[string]string{"b.org": secret("DIR: plans"), "plans/deep/x.txt": "ATTACHED"}, "plans/deep"},
		"by DIR from the top":         {map[string]string{"b.org": secret("DIR: ROOT/plans"), "plans/x.txt": "ATTACHED"}, "plans"},
		"by DIR of a deeper file":     {map[string]string{"deep/b.org": secret("DIR: ../plans"), "plans/x.txt": "ATTACHED"}, "plans"},
		"by DIR+":                     {map[string]string{"b.org": secret("DIR+: plans"), "plans/x.txt": "ATTACHED"}, "plans"},
		"by ATTACH_DIR":               {map[string]string{"b.org": secret("ATTACH_DIR: plans"), "plans/x.txt": "ATTACHED"}, "plans"},
		"below what is hidden":        {map[string]string{"b.org": "* B\n* Secret :secret:\n** Below\n" + drawer("DIR: plans"), "plans/x.txt": "ATTACHED"}, "plans"},
		"hidden by a property":        {map[string]string{"b.org": "* B\n* Secret\n" + drawer("private: t", "DIR: plans"), "plans/x.txt": "ATTACHED"}, "plans"},
		"inherited, with attachments": {map[string]string{"b.org": "* P\n" + drawer("DIR: plans") + "** Secret :secret:ATTACH:\n", "plans/x.txt": "ATTACHED"}, "plans"},
		"of a file hidden by path":    {map[string]string{"private/b.org": "* Secret\n" + drawer("DIR: ../plans"), "plans/x.txt": "ATTACHED"}, "plans"},
		"of a file hidden by its tag": {map[string]string{"b.org": "#+FILETAGS: :secret:\n* S\n" + drawer("ID: abcdef-1"), "data/ab/cdef-1/x.txt": "ATTACHED"}, "data/ab/cdef-1"},
		"of all of a hidden file":     {map[string]string{"private/b.org": "#+PROPERTY: DIR ../plans\n* Secret\n", "plans/x.txt": "ATTACHED"}, "plans"},
		"of a hidden file's drawer":   {map[string]string{"private/b.org": drawer("DIR: ../plans") + "* Secret\n", "plans/x.txt": "ATTACHED"}, "plans"},
		"of a hidden archive":         {map[string]string{"private/b.org_archive": "* Secret\n" + drawer("ID: abcdef-1"), "data/ab/cdef-1/x.txt": "ATTACHED"}, "data/ab/cdef-1"},
		"an autosave of a file":       {map[string]string{"#b.org#": "* Secret ATTACHED\n", "b.org~": "ATTACHED", "b.org.~1~": "ATTACHED"}, "."},
		"a hidden file itself":        {map[string]string{"b.org": "#+FILETAGS: :secret:\n* ATTACHED\n", "private/c.org": "* ATTACHED\n"}, "."},
		"a file in a hidden folder":   {map[string]string{"private/x.txt": "ATTACHED"}, "private"},
		"an export by its name":       {map[string]string{"b.org": "#+FILETAGS: :secret:\n* S\n", "b.html": "ATTACHED", "b.org_original": "ATTACHED", "b (1).pdf": "ATTACHED"}, "."},
		"an export of a part":         {map[string]string{"b.org": "* B\n* Secret :secret:\n", "b.html": "ATTACHED", "b.en.tex": "ATTACHED"}, "."},
		"an export by another name":   {map[string]string{"b.org": secret("EXPORT_FILE_NAME: plans/x"), "plans/x.txt": "ATTACHED"}, "plans"},
		"an export by a keyword":      {map[string]string{"private/b.org": "#+export_file_name: ../plans/x.html\n* S\n", "plans/x.txt": "ATTACHED"}, "plans"},
		"an export of what is gone":   {map[string]string{"private.pdf": "ATTACHED"}, "."},
		"of a file in UTF-16":         {map[string]string{"private/b.org": inUTF16("* Secret\n" + drawer("DIR: ../pläne")), "pläne/x.txt": "ATTACHED"}, "pläne"},
		"of a file in Latin-1":        {map[string]string{"private/b.org": "* Secret\n" + drawer("DIR: ../pl\xe4ne"), "pläne/x.txt": "ATTACHED"}, "pläne"},
		"an Org file by ID":           {map[string]string{"b.org": secret("ID: abcdef-1"), "data/ab/cdef-1/x.org": "* ATTACHED\n"}, "data/ab/cdef-1"},
		"an Org file by UUID":         {map[string]string{"b.org": secret("ID: " + uuid), "files/1f/" + uuid[2:] + "/x.org": "* ATTACHED\n"}, "files/1f/" + uuid[2:]},
	} {
		t.Run(name, func(t *testing.T) {
			w := hiddenWorld{
				shown:  map[string]string{"a.org": "* V\n" + drawer("DIR: "+c.dir) + "* W\n" + drawer("ID: visible-1"), "data/vi/sible-1/own.txt": "own"},
				hidden: c.hidden,
				rules:  []string{"#secret", "property:private", "private"},
			}
			for file, text := range c.hidden {
				if shown, _, found := strings.Cut(text, "* Secret"); found && shown != "" && path.Base(file) == "b.org" { // a part of it is hidden
					w.shown[file] = strings.TrimSuffix(shown, "*")
				}
			}
			calls := [][2]string{
				{"org-get-attachments", `{"resourceUri":"org://a.org/headline/V"}`},
				{"org-get-attachments", `{"resourceUri":"org://a.org/headline/V","name":"x.txt"}`},
				{"org-get-attachments", `{"resourceUri":"org://a.org/headline/W","name":"own.txt"}`},
				{"org-search-content", `{"query":"ATTACHED","includeArchived":true}`},
				{"org-get-allowed-files", `{}`},
			}
			for file := range c.hidden {
				calls = append(calls, [2]string{"org-get-attachments", `{"resourceUri":"org://a.org/headline/V","name":"` + filepath.Base(file) + `"}`}, [2]string{"org-read-file", `{"file":"` + file + `"}`})
			}
			if own := w.compare(t, calls...)[2]; !strings.Contains(own, `"text": "own"`) {
				t.Errorf("a visible attachment: %s", own)
			}
		})
	}
}

// TestAttachmentIsAsShown: an Org file that is attached is what agents see of it.
func TestAttachmentIsAsShown(t *testing.T) {
	const secret = "* Secret :secret:\nmore\n"
	w := hiddenWorld{
		shown:  map[string]string{"a.org": "* V\n" + drawer("DIR: .") + "* W\n", "b.org": "* B\n"},
		hidden: map[string]string{"a.org": "* V\n" + drawer("DIR: .") + "* W\n" + secret, "b.org": secret + "* B\n"}, rules: []string{"#secret"},
	}
	out := w.compare(t, [2]string{"org-get-attachments", `{"resourceUri":"org://a.org/headline/V","name":"b.org"}`})
	if !strings.Contains(out[0], `"text": "* B\n"`) {
		t.Errorf("b.org: %s", out[0])
	}
}

// TestAttachmentsOutside: DIR leads to nothing that the source does not serve.
func TestAttachmentsOutside(t *testing.T) {
	files := map[string]string{
		"in/a.org": "* V\n" + drawer("DIR: .") + "* W\n" + drawer("DIR: ../out") + "* X\n" + drawer("DIR: files") + "* Y\n" + drawer("DIR: more", "ID: abcdef-1") + "* Z\n" + drawer("ID: abcdef-1") +
			"* L\n" + drawer("DIR: link"),
		"in/b.org": "* B\n", "in/taxes.txt": "t", "out/c.txt": "c", "in/files/x.txt": "x", "in/more/y.txt": "y", "in/data/ab/cdef-1/z.txt": "z", "in/data/ab/cdef-1/z.org": "* Z\n",
	}
	for name, c := range map[string]struct {
		config org.Config
		want   map[string]string
	}{
		"a folder":        {org.Config{Path: "DIR/in"}, map[string]string{"V": "a.org b.org taxes.txt", "W": "", "X": "x.txt", "Y": "y.txt", "Z": "z.org z.txt", "L": ""}},
		"one file of it":  {org.Config{Files: []string{"DIR/in/a.org"}}, map[string]string{"V": "a.org", "W": "", "X": "", "Y": "", "Z": "z.org z.txt", "L": ""}},
		"files and globs": {org.Config{Path: "DIR/in", Files: []string{"a.org", "files/**"}}, map[string]string{"V": "a.org", "W": "", "X": "x.txt", "Y": "", "Z": "z.org z.txt", "L": ""}},
	} {
		t.Run(name, func(t *testing.T) {
			s := openFiles(t, files, c.config)
			if err := os.Symlink(filepath.Join(s.dir, "out"), filepath.Join(s.dir, "in", "link")); err != nil {
				t.Log(err)
			}
			for headline, want := range c.want {
				out := s.must("org-get-attachments", `{"resourceUri":"org://a.org/headline/`+headline+`"}`)
				var names []string
				for _, a := range out["attachments"].([]any) {
					names = append(names, a.(map[string]any)["name"].(string))
				}
				if got := strings.Join(names, " "); got != want {
					t.Errorf("%s: %q, want %q", headline, got, want)
				}
			}
		})
	}
}

// TestIDsAreNotChosen: no write gives a headline an ID of an agent's choice, which could
// be that of something hidden. Whether it is taken makes no difference.
func TestIDsAreNotChosen(t *testing.T) {
	w := hiddenWorld{
		shown: map[string]string{"a.org": "* V\n" + drawer("ID: visible-1") + "text\n* W\n", "b.org": "* B\n"},
		rules: []string{"#secret"}, config: org.Config{Vars: map[string]string{"org-capture-templates": `(("t" "T" entry (file "a.org") "* %?\n%i"))`}},
	}
	w.hidden = map[string]string{"b.org": w.shown["b.org"] + "* Secret :secret:\n" + drawer("ID: hidden-1")}
	for name, c := range map[string][2]string{
		"set":             {"org-set-properties", `{"resourceUri":"org://a.org/headline/W","properties":{"ID":"CHOSEN"}}`},
		"set, other case": {"org-set-properties", `{"resourceUri":"org://a.org/headline/W","properties":{"id":"CHOSEN"}}`},
		"set a part":      {"org-set-properties", `{"resourceUri":"org://a.org/headline/W","properties":{"ID+":"CHOSEN"}}`},
		"change":          {"org-set-properties", `{"resourceUri":"org://id/visible-1","properties":{"ID":"CHOSEN"}}`},
		"set of a file":   {"org-set-properties", `{"resourceUri":"org://a.org","properties":{"ID":"CHOSEN"}}`},
		"bulk":            {"org-bulk-update", `{"edits":[{"resourceUri":"org://a.org/headline/W","properties":{"ID":"CHOSEN"}}]}`},
		"body":            {"org-edit-body", `{"resourceUri":"org://a.org/headline/W","oldBody":"","newBody":":PROPERTIES:\n:ID: CHOSEN\n:END:"}`},
		"child":           {"org-edit-body", `{"resourceUri":"org://id/visible-1","oldBody":"text","newBody":"** X\n:PROPERTIES:\n:ID: CHOSEN\n:END:"}`},
		"add":             {"org-add-todo", `{"title":"X","parentUri":"org://b.org","body":"** Y\n:PROPERTIES:\n:ID: CHOSEN\n:END:"}`},
		"capture":         {"org-capture", `{"title":"X","text":"** Y\n:PROPERTIES:\n:ID: CHOSEN\n:END:"}`},
	} {
		t.Run(name, func(t *testing.T) {
			for _, dry := range []string{"", `"dryRun":true,`} {
				args := `{` + dry + c[1][1:]
				var errors []string
				for _, id := range []string{"visible-2", "visible-1", "hidden-1"} {
					if name == "change" && id == "visible-1" {
						continue
					}
					answers := w.compare(t, [2]string{c[0], strings.ReplaceAll(args, "CHOSEN", id)})
					errors = append(errors, strings.ReplaceAll(answers[0], id, "CHOSEN"))
				}
				for _, text := range errors {
					if text != errors[0] || !strings.Contains(text, `"error"`) {
						t.Errorf("%s: %s, want as for a new one: %s", args, text, errors[0])
					}
				}
			}
		})
	}
	s := w.open(t, w.shown, w.hidden)
	s.must("org-set-properties", `{"resourceUri":"org://id/visible-1","properties":{"ID":"visible-1","Effort":"1h"}}`)
	s.must("org-refile-headline", `{"resourceUri":"org://id/visible-1","targetParentUri":"org://b.org"}`)
	s.must("org-archive-subtree", `{"resourceUri":"org://id/visible-1"}`)
	if out := s.must("org-set-properties", `{"resourceUri":"org://a.org/headline/W","properties":{"ID":""}}`); len(out["orgId"].(string)) != 36 {
		t.Errorf("a new ID: %v", out)
	}
	if out := s.must("org-set-properties", `{"resourceUri":"org://b.org","properties":{"Effort":"1h"},"remove":["ID"]}`); out["orgId"] != nil {
		t.Errorf("a file without ID: %v", out)
	}
}

// TestArchivesOfHidden: what was archived from a hidden file or from below a hidden
// headline is hidden as that is.
func TestArchivesOfHidden(t *testing.T) {
	calls := [][2]string{
		{"org-get-allowed-files", `{}`},
		{"org-search-content", `{"query":"ARCHIVED","includeArchived":true}`},
		{"org-search-headlines", `{"query":"ARCHIVED"}`},
		{"org-read-file", `{"file":"b.org_archive"}`},
		{"org-read-file", `{"file":"all.org"}`},
		{"org-read-outline", `{"file":"private/b.org_archive"}`},
	}
	for name, c := range map[string]struct {
		shown, hidden map[string]string
		rules         []string
	}{
		"a file by path":         {nil, map[string]string{"b.org": "* B\n", "b.org_archive": "* ARCHIVED\n"}, []string{"b.org"}},
		"a file that is gone":    {nil, map[string]string{"b.org_archive": "* ARCHIVED\n"}, []string{"b.org"}},
		"an archive of it":       {nil, map[string]string{"b.org_archive_archive": "* ARCHIVED\n"}, []string{"b.org"}},
		"a pattern":              {nil, map[string]string{"private/b.org_archive": "* ARCHIVED\n"}, []string{"private/*.org"}},
		"a file by its tags":     {nil, map[string]string{"b.org": "#+FILETAGS: :secret:\n", "b.org_archive": "* ARCHIVED\n"}, []string{"#secret"}},
		"a file by its drawer":   {nil, map[string]string{"b.org": drawer("private: t"), "b.org_archive": "* ARCHIVED\n"}, []string{"property:private"}},
		"a headline by its tags": {map[string]string{"b.org_archive": "* B\n"}, map[string]string{"b.org_archive": "* B\n* ARCHIVED\n" + drawer("ARCHIVE_ITAGS: work secret") + "** ARCHIVED\n"}, []string{"#secret"}},
		"to a file of its own":   {map[string]string{"all.org": "* B\n"}, map[string]string{"all.org": "* B\n* ARCHIVED\n" + drawer("ARCHIVE_ITAGS: :secret:")}, []string{"#secret"}},
		"a file, to another":     {map[string]string{"all.org": "* B\n"}, map[string]string{"all.org": "* B\n* ARCHIVED\n" + drawer("ARCHIVE_FILE: ROOT/private/b.org")}, []string{"private"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := hiddenWorld{shown: map[string]string{"a.org": "* A\n"}, hidden: c.hidden, rules: c.rules}
			maps.Copy(w.shown, c.shown)
			w.compare(t, calls...)
		})
	}
	s := openFiles(t, map[string]string{
		"b.org_archive": "* B\n" + drawer("ARCHIVE_ITAGS: work", "ARCHIVE_FILE: ~/org/other.org"), "c.org_archive": "* C\n", "private/d.org_archive": "* D\n",
	}, org.Config{}, "#secret", "c", "private/e.org")
	if files := s.must("org-get-allowed-files", `{}`)["files"].([]any); len(files) != 2 || s.must("org-read-file", `{"file":"b.org_archive"}`)["content"] != s.read("b.org_archive") {
		t.Errorf("shown: %v", files)
	}
}

// TestArchivedFromHidden: what Emacs has archived from a hidden file, or from below a
// hidden headline, to whatever file, is hidden as that is now.
func TestArchivedFromHidden(t *testing.T) {
	runtest.InOrder(t)
	const private = ":PROPERTIES:\n:private: t\n:END:\n"
	entry := func(lines ...string) string { return "* DONE ARCHIVED\n" + drawer(lines...) + "text\n" }
	below := func(titles string) string { return entry("ARCHIVE_FILE: ROOT/p.org", "ARCHIVE_OLPATH: "+titles) }
	calls := [][2]string{
		{"org-get-allowed-files", `{}`},
		{"org-search-content", `{"query":"ARCHIVED","includeArchived":true}`},
		{"org-search-content", `{"query":"Health","includeArchived":true}`},
		{"org-search-content", `{"query":"diary","includeArchived":true}`},
	}
	for name, c := range map[string]struct{ shown, hidden map[string]string }{
		"below a property":       {map[string]string{"p.org": "* P\n"}, map[string]string{"p.org": "* P\n* Health\n" + private, "p.org_archive": below("Health")}},
		"deeper":                 {map[string]string{"p.org": "* P\n"}, map[string]string{"p.org": "* P\n* Health\n" + private + "** A/B\n", "p.org_archive": below("Health/A/B")}},
		"below what is gone":     {map[string]string{"p.org": "* P\n"}, map[string]string{"p.org": "* P\n* Health\n" + private, "p.org_archive": below("Health/Gone")}},
		"below a tag":            {map[string]string{"p.org": "* P\n"}, map[string]string{"p.org": "* P\n* TODO [#A] Health [1/2] :secret:\n", "p.org_archive": below("Health")}},
		"below a link":           {map[string]string{"p.org": "* P\n"}, map[string]string{"p.org": "* P\n* [[x][Health]] :secret:\n", "p.org_archive": below("Health")}},
		"to another file":        {map[string]string{"p.org": "* P\n"}, map[string]string{"p.org": "* P\n* Health\n" + private, "deep/all_archive.org": below("Health")}},
		"to the same file":       {map[string]string{"p.org": "* Archive\n"}, map[string]string{"p.org": "* Health\n" + private + "* Archive\n" + "*" + below("Health")}},
		"without the file":       {map[string]string{"p.org": "* P\n"}, map[string]string{"p.org": "* P\n* Health\n" + private, "p.org_archive": entry("ARCHIVE_OLPATH: Health")}},
		"archived before it":     {map[string]string{"p.org": "* P\n"}, map[string]string{"p.org_archive": below("Health/More") + "* Health\n" + drawer("private: t", "ARCHIVE_FILE: ROOT/p.org") + "** More\n"}},
		"twice":                  {map[string]string{"p.org": "* P\n"}, map[string]string{"p.org": "* P\n* Health\n" + private, "p.org_archive": below("Health"), "q_archive": "* DONE ARCHIVED\n" + drawer("ARCHIVE_FILE: ROOT/p.org_archive", "ARCHIVE_OLPATH: ARCHIVED")}},
		"of a file by property":  {nil, map[string]string{"p.org": "#+PROPERTY: private t\n", "all_archive.org": entry("ARCHIVE_FILE: ROOT/p.org")}},
		"of a file by drawer":    {nil, map[string]string{"p.org": private, "all_archive.org": entry("archive_file: ROOT/p.org")}},
		"of a file by its tags":  {nil, map[string]string{"p.org": "#+FILETAGS: :secret:\n", "all_archive.org": entry("ARCHIVE_FILE: ROOT/p.org") + "** ARCHIVED\n"}},
		"of a file set up":       {map[string]string{"s.txt": "#+FILETAGS: :secret:\n"}, map[string]string{"p.org": "#+SETUPFILE: s.txt\n", "all_archive.org": entry("ARCHIVE_FILE: ROOT/p.org")}},
		"of a file moved":        {nil, map[string]string{"deep/p.org": private, "all_archive.org": entry("ARCHIVE_FILE: /home/ines/org/deep/p.org")}},
		"of a hidden file moved": {nil, map[string]string{"all_archive.org": entry("ARCHIVE_FILE: /home/ines/org/diary.org") + entry("ARCHIVE_FILE: C:\\Users\\ines\\org\\diary.org")}},
		"the header of the file": {map[string]string{"all_archive.org": "* B\n"}, map[string]string{"all_archive.org": "\nArchived entries from file ROOT/diary.org\n\n\n* B\n"}},
		"the header of a tagged": {map[string]string{"all_archive.org": ""}, map[string]string{"p.org": "#+FILETAGS: :secret:\n", "all_archive.org": "#    -*- mode: org -*-\n\nArchived entries from file ROOT/p.org\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := hiddenWorld{shown: map[string]string{"a.org": "* A\n"}, hidden: c.hidden, rules: []string{"#secret", "property:private", "diary.org"}}
			maps.Copy(w.shown, c.shown)
			calls := slices.Clone(calls)
			for name := range c.hidden {
				if strings.Contains(name, "archive") && w.shown[name] == "" {
					w.shown[name] = "" // that an archive exists does not tell whose
				}
				calls = append(calls, [2]string{"org-read-file", `{"file":"` + name + `"}`})
			}
			w.compare(t, calls...)
		})
	}
	files := map[string]string{
		"p.org": "* P\n** Q\n* Health\n" + private, "diary.org": "* D\n",
		"p.org_archive":   "\nArchived entries from file ROOT/p.org\n\n" + below("P/Q") + below("Gone") + entry("ARCHIVE_FILE: ROOT/gone.org", "ARCHIVE_OLPATH: Health") + entry("ARCHIVE_FILE: /home/ines/x.org"),
		"loop.org":        entry("ARCHIVE_FILE: ROOT/loop.org", "ARCHIVE_OLPATH: ARCHIVED"),
		"all_archive.org": "#+PROPERTY: ARCHIVE_FILE ROOT/all_archive.org\n* A\n",
	}
	w := hiddenWorld{rules: []string{"#secret", "property:private", "diary.org"}}
	s := w.open(t, files)
	for _, name := range []string{"p.org_archive", "loop.org", "all_archive.org"} {
		if got := s.must("org-read-file", `{"file":"`+name+`"}`)["content"]; got != s.read(name) {
			t.Errorf("%s: %q", name, got)
		}
	}
	put(t, filepath.Join(s.dir, "p.org"), "* P\n"+private+"** Q\n") // hidden later
	if got := s.must("org-read-file", `{"file":"p.org_archive"}`)["content"].(string); strings.Contains(got, "P/Q") {
		t.Errorf("after it was hidden: %q", got)
	}
}

// TestOriginsAreNotChosen: no write, nor a dry run, finds out what is hidden by saying that
// something was archived from it.
func TestOriginsAreNotChosen(t *testing.T) {
	w := hiddenWorld{
		shown:  map[string]string{"a.org": "* A\n* P\n** Q\n" + drawer("ARCHIVE_FILE: ROOT/p.org", "ARCHIVE_OLPATH: P") + "** R\n", "p.org": "* P\n", "b.org": "* B\n"},
		hidden: map[string]string{"p.org": "* P\n* Health :secret:\n", "q.org": "#+FILETAGS: :secret:\n"}, rules: []string{"#secret"},
	}
	for _, dry := range []string{"", `"dryRun":true,`} {
		for _, line := range []string{`"ARCHIVE_FILE":"ROOT/q.org"`, `"archive_file":"ROOT/none.org"`, `"ARCHIVE_FILE":"ROOT/p.org","ARCHIVE_OLPATH":"Health"`, `"ARCHIVE_OLPATH+":"Health"`} {
			out := w.compare(t, [2]string{"org-set-properties", `{` + dry + `"resourceUri":"org://a.org/headline/A","properties":{` + line + `}}`})
			if !strings.Contains(out[0], "hidden from agents") {
				t.Errorf("%s: %s", line, out[0])
			}
		}
		w.compare(t, [2]string{"org-add-todo", `{` + dry + `"title":"X","parentUri":"org://b.org","body":"** Y\n:PROPERTIES:\n:ARCHIVE_FILE: ROOT/q.org\n:END:"}`})
	}
	s := w.open(t, w.shown, w.hidden)
	s.must("org-refile-headline", `{"resourceUri":"org://a.org/headline/P/Q","targetParentUri":"org://b.org"}`)
	s.must("org-archive-subtree", `{"resourceUri":"org://a.org/headline/P/R"}`)
	if got := s.must("org-read-file", `{"file":"a.org_archive"}`)["content"].(string); !strings.Contains(got, "* R\n") {
		t.Errorf("archived: %q", got)
	}
}

// inUTF16 is a text as some programs write it, with a byte order mark.
func inUTF16(text string) string {
	out := []byte{0xff, 0xfe}
	for _, unit := range utf16.Encode([]rune(text)) {
		out = binary.LittleEndian.AppendUint16(out, unit)
	}
	return string(out)
}

// TestCopiesOfHidden: a copy that a program has made of a hidden file, or in a copy of a
// hidden folder, is hidden.
func TestCopiesOfHidden(t *testing.T) {
	w := hiddenWorld{shown: map[string]string{"a.org": "* A\n", "a (copy).org": "* A\n"}, hidden: map[string]string{}, rules: []string{"hid.org", "private", "#secret"}}
	calls := [][2]string{{"org-get-allowed-files", `{}`}, {"org-search-content", `{"query":"COPIED","includeArchived":true}`}}
	for _, name := range []string{
		"hid.sync-conflict-20261129-120000-ABCDEFG.org", "hid (copy).org", "hid (conflicted copy 2026-11-29).org", "hid_conflict-20261129-120000.org",
		"hid (1) (copy).org", "hid (copy).org_archive", "Private (copy)/x.org", "private/x - Copy.org", "tagged 2.org", "tagged (copy) 2.org", "hid-DESKTOP-7G2K1QX.org",
	} {
		w.hidden[name] = "* COPIED\n"
		calls = append(calls, [2]string{"org-read-file", `{"file":"` + name + `"}`}, [2]string{"org-read-outline", `{"file":"` + name + `"}`})
	}
	w.hidden["tagged.org"] = "#+FILETAGS: :secret:\n"
	w.compare(t, calls...)
}

// TestHiddenInOtherEncodings: a file of which agents would see bytes is hidden if anything
// in its text is.
func TestHiddenInOtherEncodings(t *testing.T) {
	const text = "* Café\n* Health :geheimß:\nUNSEEN\n"
	latin1 := strings.NewReplacer("é", "\xe9", "ß", "\xdf")
	w := hiddenWorld{
		shown:  map[string]string{"a.org": "* A\n"},
		hidden: map[string]string{"utf16.org": inUTF16(text), "bare.org": inUTF16(text)[2:], "latin1.org": latin1.Replace(text)}, rules: []string{"#geheimß"},
	}
	w.compare(t, [2]string{"org-get-allowed-files", `{}`}, [2]string{"org-read-file", `{"file":"utf16.org"}`}, [2]string{"org-search-content", `{"query":"UNSEEN"}`})
	s := openFiles(t, map[string]string{"b.org": "* Caf\xe9\n"}, org.Config{}, "#secret")
	s.must("org-read-file", `{"file":"b.org"}`)
}

// TestArchiveOfHiddenIsNotMade: an archive that would be hidden, with what an agent puts
// into it, is not made, and a dry run does not tell.
func TestArchiveOfHiddenIsNotMade(t *testing.T) {
	w := hiddenWorld{
		shown:  map[string]string{"a.org": "#+ARCHIVE: b.org_archive::\n* A\n"},
		hidden: map[string]string{"b.org": "#+FILETAGS: :secret:\n"}, rules: []string{"#secret"},
	}
	w.compare(t, [2]string{"org-archive-subtree", `{"resourceUri":"org://a.org/headline/A","dryRun":true}`})
	s := w.open(t, w.shown, w.hidden)
	s.fails("org-archive-subtree", `{"resourceUri":"org://a.org/headline/A"}`, "hidden from agents")
	s.holds("a.org", w.shown["a.org"])
}

// TestSetupFiles: what a setup file says of a file hides it, and so does one that cannot
// be read.
func TestSetupFiles(t *testing.T) {
	const tags, private = "#+FILETAGS: :secret:\n", "#+PROPERTY: private t\n"
	for name, c := range map[string]struct {
		setups map[string]string
		line   string
		shown  bool
	}{
		"with tags":             {map[string]string{"s.txt": tags}, "#+SETUPFILE: s.txt", false},
		"that is hidden itself": {map[string]string{"s.org": tags}, "#+setupfile: s.org", false},
		"hidden by path":        {map[string]string{"private/s.txt": tags}, "#+SETUPFILE: \"private/s.txt\"", false},
		"with a property":       {map[string]string{"s.txt": private}, "* A\ntext\n#+SETUPFILE: ./s.txt", false},
		"that names another":    {map[string]string{"deep/s.txt": "#+SETUPFILE: t.txt\n", "deep/t.txt": tags}, "#+SETUPFILE: deep/s.txt", false},
		"by its whole path":     {map[string]string{"s.txt": tags}, "#+SETUPFILE: ROOT/s.txt", false},
		"elsewhere":             {nil, "#+SETUPFILE: ../s.txt", false},
		"in the home folder":    {nil, "#+SETUPFILE: ~/s.txt", false},
		"in a hidden folder":    {map[string]string{".s/s.txt": tags}, "#+SETUPFILE: .s/s.txt", false},
		"on another machine":    {nil, "#+SETUPFILE: https://notes.example/s.setup", false},
		"that is harmless":      {map[string]string{"s.txt": "#+TODO: A | B\n"}, "#+SETUPFILE: s.txt", true},
		"that is not there":     {nil, "#+SETUPFILE: s.txt", true},
	} {
		t.Run(name, func(t *testing.T) {
			file := map[string]string{"b.org": c.line + "\n* B\n"}
			w := hiddenWorld{shown: c.setups, hidden: file, rules: []string{"#secret", "property:private", "private"}}
			if w.shown == nil {
				w.shown = map[string]string{}
			}
			if c.shown {
				s := w.open(t, c.setups, file)
				s.must("org-read-file", `{"file":"b.org"}`)
				return
			}
			w.compare(t, [2]string{"org-read-file", `{"file":"b.org"}`}, [2]string{"org-search-headlines", `{"query":"B"}`}, [2]string{"org-get-allowed-files", `{}`})
			if s := openFiles(t, file, org.Config{}, "private"); s.must("org-read-file", `{"file":"b.org"}`)["content"] == "" {
				t.Error("a rule by path needs no setup file")
			}
		})
	}
	w := hiddenWorld{shown: map[string]string{"a.org": "* A\n"}, hidden: map[string]string{"private/s.txt": tags}, rules: []string{"#secret", "private"}}
	w.compare(t, [2]string{"org-edit-body", `{"resourceUri":"org://a.org/headline/A","oldBody":"","newBody":"#+SETUPFILE: private/s.txt"}`}, [2]string{"org-read-file", `{"file":"a.org"}`})
}

// TestCookiesAreAsShown: errors, answers and diffs have the counts that reads have.
func TestCookiesAreAsShown(t *testing.T) {
	file := func(cookie, more string) map[string]string {
		return map[string]string{
			"a.org":         "* TODO Parent " + cookie + "\n" + drawer("ID: p") + "** DONE a\n" + more + "** TODO b\n* Q\n",
			"a.org_archive": "* DONE Old\ntext\n" + strings.ReplaceAll(more, "**", "*"),
			"b.org":         "* DONE Old\ntext\n" + strings.ReplaceAll(more, "**", "*"),
		}
	}
	for _, cookies := range [][2]string{{"[1/2]", "[1/3]"}, {"[50%]", "[33%]"}} {
		w := hiddenWorld{shown: file(cookies[0], ""), hidden: file(cookies[1], "** TODO hidden :secret:\nx\n"), rules: []string{"#secret"}, config: org.Config{IDs: "never"}}
		var calls [][2]string
		for _, title := range []string{"x", "Parent", "Parent " + cookies[0], "Parent " + cookies[1]} {
			calls = append(calls,
				[2]string{"org-edit-headline", `{"resourceUri":"org://id/p","currentTitle":"` + title + `","newTitle":"y","dryRun":true}`},
				[2]string{"org-edit-headline", `{"resourceUri":"org://id/p","currentTitle":"` + title + `","newTitle":"y ` + cookies[0] + `","dryRun":true}`},
				[2]string{"org-refile-headline", `{"resourceUri":"org://id/p","currentTitle":"` + title + `","targetParentUri":"org://a.org/headline/Q","dryRun":true}`})
		}
		for _, title := range []string{"z [0/9]", "z [/]", "[%] z"} {
			calls = append(calls, [2]string{"org-edit-headline", `{"resourceUri":"org://id/p","currentTitle":"Parent ` + cookies[0] + `","newTitle":"` + title + `","dryRun":true}`})
		}
		calls = append(calls,
			[2]string{"org-set-properties", `{"resourceUri":"org://id/p","properties":{"COOKIE_DATA":"todo recursive"},"dryRun":true}`},
			[2]string{"org-set-properties", `{"resourceUri":"org://id/p","properties":{"COOKIE_DATA":"checkbox"},"dryRun":true}`},
			[2]string{"org-archive-subtree", `{"resourceUri":"org://id/p","dryRun":true}`},
			[2]string{"org-archive-subtree", `{"resourceUri":"org://a.org/headline/Q","dryRun":true}`},
			[2]string{"org-refile-headline", `{"resourceUri":"org://id/p","targetParentUri":"org://b.org","dryRun":true}`},
			[2]string{"org-add-todo", `{"title":"N","parentUri":"org://b.org","dryRun":true}`},
			[2]string{"org-refile-headline", `{"resourceUri":"org://id/p","currentTitle":"Parent ` + cookies[0] + `","targetParentUri":"org://a.org/headline/Q"}`})
		w.compare(t, calls...)
	}
}
