package orgfile

import "testing"

func TestViewCutsSubtrees(t *testing.T) {
	src := "top\n* a\n** secret\ns\n*** below\n** b\n* secret\n** c\n* d\n"
	f, err := Parse([]byte(src), "", DefaultSettings(), nil)
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	v := NewView(f, func(i int) bool { asked++; return f.Text(f.Headlines[i].Title) == "secret" })
	shown := "top\n* a\n** b\n* d\n"
	if got := string(v.Text(f.Subtree(-1))); got != shown || asked != 5 {
		t.Errorf("shown is %q, after %d questions", got, asked)
	}
	for i, want := range []bool{false, true, true, false, true, true, false} {
		if v.Hidden(i) != want {
			t.Errorf("headline %d is hidden: %v", i, !want)
		}
	}
	if got := string(v.Text(f.Subtree(0))); got != "* a\n** b\n" {
		t.Errorf("the subtree is %q", got)
	}
	if v.Lines(int(f.Headlines[6].Begin)) != 3 {
		t.Errorf("%d lines", v.Lines(int(f.Headlines[6].Begin)))
	}
	// Each range of what is shown maps to the same bytes, or to none where a cut
	// lies inside.
	for from := range shown {
		for to := from; to <= len(shown); to++ {
			s, ok := v.Original(f.Subtree(-1), from, to)
			if ok && f.Text(s) != shown[from:to] {
				t.Errorf("%d to %d: %q, want %q", from, to, f.Text(s), shown[from:to])
			}
			if cut := from < 8 && to > 8 || from < 13 && to > 13; ok == cut {
				t.Errorf("%d to %d is mapped: %v", from, to, ok)
			}
		}
	}
	if _, ok := v.Original(f.Subtree(0), 0, 10); ok {
		t.Error("a range that leaves the subtree is mapped")
	}
}

func TestEtagIsOfWhatIsShown(t *testing.T) {
	etag := func(src string) (file, first string) {
		f, err := Parse([]byte(src), "", DefaultSettings(), nil)
		if err != nil {
			t.Fatal(err)
		}
		v := NewView(f, func(i int) bool { return f.Text(f.Headlines[i].Title) == "secret" })
		return v.Etag(-1), v.Etag(0)
	}
	file, first := etag("* a\n* secret\nx\n* b\n")
	if f, h := etag("* a\n* secret\nother\n** more\n* b\n"); f != file || h != first {
		t.Error("hidden bytes change an etag")
	}
	if f, h := etag("* a\n* secret\nx\n* B\n"); f == file || h != first {
		t.Error("the etag of the file stays, or that of another subtree changes")
	}
	if _, h := etag("* a\nnew\n* secret\nx\n* b\n"); h == first {
		t.Error("the etag of a changed subtree stays")
	}
}
