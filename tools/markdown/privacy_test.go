package markdown

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/tools"
)

func privacy(t testing.TB, exclude, only []string) tools.Privacy {
	t.Helper()
	read := func(texts []string) []tools.PrivacyRule {
		var marks []tools.PrivacyRule
		for _, s := range texts {
			m, err := tools.ParsePrivacyRule(s)
			if err != nil {
				t.Fatal(err)
			}
			marks = append(marks, m)
		}
		return marks
	}
	return tools.Privacy{Exclude: read(exclude), Only: read(only)}
}

// What each mark hides of one set of files.
func TestHides(t *testing.T) {
	files := map[string]string{
		"front.md": "---\ntags: [a, Secret/plan]\n---\n", "commas.md": "---\ntags: a, secret\n---\n", "words.md": "---\ntag: a secret\n---\n",
		"inline.md": "x (#secret)", "code.md": "`#secret`\n```\n#secret\n```\n", "comment.md": "%% #secret %% <!-- #secret -->", "logseq.md": "#[[secret]]",
		"near.md": "#secretary http://x/#secret [a](b.md#secret) [[x#secret]] #1", "broken.md": "---\na: [\n---\n", "unclosed.md": "---\nstatus: private\n",
		"status.md": "---\nStatus: Private\n---\n", "other.md": "---\nstatus: open\n---\n",
		"Deep/_index.md": "#secret", "Deep/child.md": "x", "Deep/pic.png": "x", "Deep/assets/a.png": "x", "Deep/child/assets/b.png": "x", "assets/c.png": "x",
		"Latin.md": "caf\xe9 #secret",
	}
	b := open(t, files, nil)
	for _, c := range []struct {
		exclude, only []string
		want          []string // what is still there, of the files named in asked
		asked         []string
	}{
		{exclude: []string{"#secret"}, asked: []string{"front.md", "commas.md", "words.md", "inline.md", "code.md", "comment.md", "logseq.md", "near.md", "broken.md", "unclosed.md", "status.md", "Latin.md"}, want: []string{"near.md", "status.md"}},
		{only: []string{"tag:secret"}, asked: []string{"front.md", "commas.md", "inline.md", "code.md", "comment.md", "logseq.md", "near.md", "broken.md", "assets/c.png", "Deep/pic.png"}, want: []string{"front.md", "commas.md", "logseq.md", "Deep/pic.png"}},
		{exclude: []string{"property:status=private"}, asked: []string{"status.md", "other.md", "broken.md", "unclosed.md", "inline.md"}, want: []string{"other.md", "inline.md"}},
		{exclude: []string{"property:status"}, asked: []string{"status.md", "other.md", "inline.md"}, want: []string{"inline.md"}},
		{exclude: []string{"#secret"}, asked: []string{"Deep/_index.md", "Deep/child.md", "Deep/pic.png", "Deep/assets/a.png", "Deep/child/assets/b.png", "assets/c.png"}, want: []string{"Deep/child.md", "Deep/child/assets/b.png", "assets/c.png"}},
		{exclude: []string{"namespace:deep"}, asked: []string{"Deep/_index.md", "Deep/child.md", "Deep/pic.png", "front.md"}, want: []string{"front.md"}},
		{exclude: []string{"**/*.png"}, asked: []string{"Deep/pic.png", "assets/c.png", "Deep/child.md"}, want: []string{"Deep/child.md"}},
		{only: []string{"Deep/**"}, exclude: []string{"Deep/child"}, asked: []string{"Deep/_index.md", "Deep/child.md", "Deep/child/assets/b.png", "front.md", "assets/c.png", "broken.md"}, want: []string{"Deep/_index.md"}},
	} {
		v := notebook(t, b, privacy(t, c.exclude, c.only))
		var got []string
		for _, file := range c.asked {
			if v.view.Exists(file) {
				got = append(got, file)
			}
		}
		equal(t, fmt.Sprint(c.exclude, c.only), c.want, got)
	}
}

// A copy that a program has made is hidden with what it is a copy of: by that one's path,
// and by its tags and properties where the copy has none.
func TestHidesCopies(t *testing.T) {
	copies := []string{
		" (conflicted copy 2026-11-29 120000).md", " (Conflicted copy phone 202611291200).md", " (Ana's conflicted copy 2026-11-29).md", ".sync-conflict-20261129-120000-ABCDEFG.md",
		" 2.md", "-DESKTOP-7G2K1QX.md", " (1).md", " - Copy.md", " - Kopie (2).md", " (copy) 2.md", ".md.bak", ".md.orig", ".md~",
	}
	files := map[string]string{
		"Private/x.md": "x", "Secret/x.md": "#secret", "Deep.md": "#secret", "Deep/a.png": "x", "Deep (copy)/a.png": "x", "Open/x.md": "x", "Open/x 2.md": "x", "Open/x.md.bak": "x",
		"pages/Latin.md": "x", "Private 2/x.md": "x",
	}
	shown := []string{"Open/x 2.md", "Open/x.md", "Open/x.md.bak", "pages/Latin.md"}
	for _, mark := range copies {
		files["Private/x"+mark], files["Secret/x"+mark] = "x", "x"
	}
	n := notebook(t, open(t, files, nil), privacy(t, []string{"Private/x", "#secret"}, nil))
	var got []string
	for file := range files {
		if n.view.Exists(file) {
			got = append(got, file)
		}
	}
	slices.Sort(got)
	equal(t, "shown", shown, got)
	if _, err := n.WritePage(t.Context(), tools.CallContext{Writes: new(changeRecorder)}, WritePageIn{Path: "Private/x (copy).md", Content: "x"}); err == nil {
		t.Error("a copy of what is hidden is written")
	}
}

func notebook(t testing.TB, b *testNotebook, p tools.Privacy) *Notebook {
	t.Helper()
	n, err := Open(t.Context(), Config{Path: tools.Folder(b.dir)}, tools.Env{Name: "notes", Privacy: p, ResourceChanged: func(string) {}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = n.Close() })
	return n
}

// In a Logseq graph a rule of Exclude is for titles too, whatever says them.
func TestHidesTitles(t *testing.T) {
	files := map[string]string{
		"logseq/config.edn": "{:file/name-format :triple-lowbar}", "pages/Deep___a.md": "x", "pages/b.md": "alias:: c\ntitle:: deep/b\n\n- x\n", "pages/c.md": "---\ntitle: Deep/c\n---\n",
		"pages/Deep.md": "x", "pages/Deeper___d.md": "x", "journals/2026_11_21.md": "x", "pages/e.md": "- title:: Other\n",
	}
	b := open(t, files, nil)
	for rule, want := range map[string][]string{
		"namespace:Deep": {"journals/2026_11_21.md", "pages/Deeper___d.md", "pages/e.md"},
		"Deep/*":         {"journals/2026_11_21.md", "pages/Deep.md", "pages/Deeper___d.md", "pages/e.md"},
		"Nov 21st, 2026": {"pages/Deep.md", "pages/Deep___a.md", "pages/Deeper___d.md", "pages/b.md", "pages/c.md", "pages/e.md"},
	} {
		n := notebook(t, b, privacy(t, []string{rule}, nil))
		o, err := n.outline(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		equal(t, rule, want, o.pageFiles())
	}
}

// Hidden pages stay where they are when what is around them moves, so that no
// move brings them to light.
func TestMoveLeavesHidden(t *testing.T) {
	b := open(t, fixture(), nil)
	b.put("Projects/Private/Plan.md", "plan")
	b.put("Projects/Private/assets/x.png", "x")
	n := notebook(t, b, privacy(t, []string{"Projects/Private/**"}, nil))
	var k changeRecorder
	out, err := n.MovePage(t.Context(), tools.CallContext{Writes: &k}, MovePageIn{SourcePath: "Projects/_index.md", DestinationPath: "Archive"})
	if err != nil || out.NewPath != "Archive/Projects/_index.md" || b.get("Projects/Private/Plan.md") != "plan" {
		t.Errorf("%+v, %v", out, err)
	}
	if got := k.targets(); slices.ContainsFunc(got, func(s string) bool { return filepath.Base(s) == "Plan.md true>false" }) || slices.Contains(got, "Projects/Private/ true>false") {
		t.Errorf("reported %v", got)
	}
	for _, path := range []string{"Projects/Private/New.md", "Projects/Private/Plan.md", "projects/private.md"} {
		if _, err := n.WritePage(t.Context(), tools.CallContext{Writes: &k}, WritePageIn{Path: path, Content: "x"}); err == nil || tools.AsError(err).Message != hiddenError().Error() {
			t.Errorf("write to %s: %v", path, err)
		}
	}
}

// No draft that touches what is hidden is ever carried out, and none that hides
// what it writes.
func TestHiddenDraftsAreRefused(t *testing.T) {
	files := map[string]string{"Open.md": "x", "Diary.md": "#secret", "Twin.md": "#secret", "Deep/x.md": "#secret"}
	b := open(t, files, nil)
	n := notebook(t, b, privacy(t, []string{"#secret", "Private/**"}, nil))
	for what, c := range map[string]struct {
		draft func(d *draft) error
		ok    bool
	}{
		"edit":                  {func(d *draft) error { return d.SetContent("Open.md", []byte("y")) }, true},
		"hide by a tag":         {func(d *draft) error { return d.SetContent("Open.md", []byte("#secret")) }, false},
		"hide by a path":        {func(d *draft) error { return d.MoveFile("Open.md", "Private/x.md") }, false},
		"hidden folder":         {func(d *draft) error { return d.AddFolder("Private", 0o700) }, false},
		"attachment":            {func(d *draft) error { return d.AddFile("Private/assets/x.png", nil) }, false},
		"other attachment":      {func(d *draft) error { return d.AddFile("Open/assets/x.png", nil) }, true},
		"name of a hidden file": {func(d *draft) error { return d.AddFile("Diary.md", []byte("x")) }, false},
		"move onto one":         {func(d *draft) error { return d.MoveFile("Open.md", "Diary.md") }, false},
		"folder of that name":   {func(d *draft) error { return d.AddFile("Diary.md/x.md", []byte("x")) }, false},
		"twin of one":           {func(d *draft) error { return d.AddFile("twin.md", []byte("x")) }, false},
		"file for a folder":     {func(d *draft) error { return d.AddFile("Deep", []byte("x")) }, false},
		"beside one":            {func(d *draft) error { return d.AddFile("Deep/y.md", []byte("x")) }, true},
	} {
		before := b.files()
		d, k := n.draft(), changeRecorder{}
		if err := c.draft(d); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		err := d.commit(t.Context(), tools.CallContext{Writes: &k})
		switch {
		case c.ok != (err == nil), !c.ok && err.Error() != hiddenError().Error(), c.ok != (len(k.changes) > 0):
			t.Errorf("%s: %v, reported %v", what, err, k.targets())
		case !c.ok:
			equal(t, what, before, b.files())
		default:
			if err := n.Restore(t.Context(), tools.CallContext{}, back(k.changes)); err != nil {
				t.Errorf("%s: undo: %v", what, err)
			}
			equal(t, what, before, b.files())
		}
	}
}

// What hiding costs: list and search of a large notebook without marks, with
// marks of paths, and with marks of tags.
func BenchmarkPrivacy(b *testing.B) {
	dir := b.TempDir()
	for i := range 10_000 {
		file := filepath.Join(dir, fmt.Sprintf("Area %d", i%100), fmt.Sprintf("Note %d.md", i))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			b.Fatal(err)
		}
		text := fmt.Sprintf("---\ntitle: Note %d\ntags: [area%d]\n---\n\n# Note %d\n\nSee [[Note %d]] #todo.\n", i, i%7, i, i+1)
		for range 30 {
			text += "A line of plain prose, as most lines of most notes are.\n"
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	for name, p := range map[string]tools.Privacy{
		"none": {}, "path": privacy(b, []string{"Area 1/**"}, nil), "property": privacy(b, []string{"property:status=private"}, nil), "tag": privacy(b, []string{"#area3"}, nil),
	} {
		n, err := Open(b.Context(), Config{Path: tools.Folder(dir)}, tools.Env{Name: "notes", Privacy: p, ResourceChanged: func(string) {}, Now: time.Now})
		if err != nil {
			b.Fatal(err)
		}
		b.Run("list/"+name, func(b *testing.B) {
			for b.Loop() {
				if _, err := n.ListPages(b.Context(), ListPagesIn{}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("search/"+name, func(b *testing.B) {
			for b.Loop() {
				if _, err := n.SearchPages(b.Context(), SearchPagesIn{Query: "nowhere"}); err != nil {
					b.Fatal(err)
				}
			}
		})
		_ = n.Close()
	}
}
