package orgedit

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

var testTime = time.Date(2026, 1, 7, 10, 0, 0, 0, time.UTC)

func newTestDraft(t testing.TB, src string) *Draft {
	t.Helper()
	d, err := NewDraft([]byte(src), "/x/t.org", orgfile.DefaultSettings(), nil, Env{Now: testTime, NewID: func() string { return "new-id" }})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Edits are the smallest spans that differ; what lies between stays untouched, in
// the file's own line breaks.
func TestEditsAreMinimal(t *testing.T) {
	for _, c := range []struct{ src, want, file string }{
		{"* TODO A\nbody\n", "[{2 4 DONE}]", "* DONE A\nbody\n"},
		{"\ufeff* TODO A\r\nbody\r\n", "[{5 4 DONE}]", "\ufeff* DONE A\r\nbody\r\n"},
		{"* P [0/1]\r\nbody\r\n** TODO A\r\n", "[{5 1 1} {20 4 DONE}]", "* P [1/1]\r\nbody\r\n** DONE A\r\n"},
		{"* P [0/1]\n** TODO A", "[{5 1 1} {13 4 DONE} {19 0 \n}]", "* P [1/1]\n** DONE A\n"},
	} {
		d := newTestDraft(t, c.src)
		if err := d.SetState(len(d.File().Headlines)-1, "DONE", nil); err != nil {
			t.Fatal(err)
		}
		if got := describeEdits(d.Edits()); got != c.want {
			t.Errorf("%q: edits %s, want %s", c.src, got, c.want)
		}
		if got := string(Apply([]byte(c.src), d.Edits())); got != c.file {
			t.Errorf("%q: the file is %q, want %q", c.src, got, c.file)
		}
	}
}

func describeEdits(edits []Edit) string {
	var out []string
	for _, e := range edits {
		out = append(out, fmt.Sprintf("{%d %d %s}", e.Offset, e.Length, e.New))
	}
	return fmt.Sprint(out)
}

// Org main keeps a date within its month, Org 9.5 goes on into the next.
func TestMonthsOfVersions(t *testing.T) {
	for quirks, want := range map[orgfile.Quirks]string{orgfile.OrgMain: "<2025-02-28 Fri +1y>", orgfile.Org95: "<2025-03-01 Sat +1y>"} {
		settings := orgfile.DefaultSettings()
		settings.Quirks = quirks
		d, err := NewDraft([]byte("* TODO A\nSCHEDULED: <2024-02-29 Thu +1y>\n"), "t.org", settings, nil, Env{Now: testTime})
		if err != nil {
			t.Fatal(err)
		}
		if err := d.SetState(0, "DONE", nil); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(d.Text(), want) {
			t.Errorf("Org %q: %q, want %s", quirks, d.Text(), want)
		}
	}
}

func TestDates(t *testing.T) {
	for text, want := range map[string]string{
		"2026-02-01": "<2026-02-01 Sun>", "2026-02-01 14:00-15:30": "<2026-02-01 Sun 14:00-15:30>", "+2d": "<2026-01-09 Fri>", "fri": "<2026-01-09 Fri>",
		"<2026-02-01 Sun 9:05>": "<2026-02-01 Sun 09:05>", "2026-02-01 ++1w -3d": "<2026-02-01 Sun ++1w -3d>", "tomorrow 2pm": "<2026-01-08 Thu 14:00>",
		".": "<2026-01-07 Wed>", "w6": "<2026-02-02 Mon>", "2/3": "<2026-02-03 Tue>", "+1w .+2d/4d": "<2026-01-14 Wed .+2d/4d>", "10:00": "<2026-01-07 Wed 10:00>",
		"2026-01-20 14:00+1:30": "<2026-01-20 Tue 14:00-15:30>",
		"":                      "", "someday": "", "2026-13-01": "", "2026-02-30": "", "2026-02-01 25:00": "", "2026-02-01 10:00 extra": "",
	} {
		d := newTestDraft(t, "* A\n")
		err := d.Schedule(0, text, nil)
		if (err != nil) != (want == "") {
			t.Errorf("%q: error %v", text, err)
		}
		if err == nil && d.Text() != "* A\nSCHEDULED: "+want+"\n" {
			t.Errorf("%q: %q, want %s", text, d.Text(), want)
		}
	}
}

// FuzzEdits makes one edit of arbitrary bytes: it must not panic, what its spans
// do not cover must stay, and the spans must make the text that it shows.
func FuzzEdits(f *testing.F) {
	for n := range uint8(24) {
		f.Add([]byte("#+TODO: TODO WAIT(w@/!) | DONE(d!)\n* P [0/1] :a:\n** TODO [#A] A :b:\nSCHEDULED: <2026-01-05 Mon +1w>\n:PROPERTIES:\n:ID: x\n:END:\n- [ ] box\n| a |\n* Z"), n, uint8(1), "2026-02-01")
		f.Add([]byte("* TODO A [/]\n*** TODO B :b:\n- [ ] box\n*** END\n<2026-01-05 Mon +1w>\n** C"), n, uint8(128), "DONE")
		f.Add([]byte("* TODO A\r\nDEADLINE: <2026-01-05 Mon 10:00 ++3h>\r\n"), n, uint8(0), "DONE")
	}
	f.Fuzz(func(t *testing.T, src []byte, op, at uint8, arg string) {
		settings := orgfile.DefaultSettings()
		settings.AdaptIndentation = op&128 != 0
		settings.LogDone = orgfile.LogTime
		if op&64 != 0 {
			settings.LogDrawer, settings.Quirks, settings.EnforceDependency, settings.EnforceCheckboxes = "LOGBOOK", orgfile.Org95, true, true
		}
		if at&128 != 0 {
			settings.InlineTasks = 3
		}
		before := bytes.Clone(src)
		d, err := NewDraft(src, "/x/t.org", settings, nil, Env{Now: testTime, NewID: func() string { return "id" }})
		if err != nil {
			t.Fatal(err)
		}
		n := len(d.File().Headlines)
		if n == 0 {
			return
		}
		fuzzEdit(t, d, int(op&63)%24, int(at)%n, arg)
		edits := d.Edits()
		out := Apply(src, edits)
		if !bytes.Equal(before, src) {
			t.Fatal("the edit changed the original")
		}
		end := 0
		for _, e := range edits {
			if e.Offset < end || e.Offset+e.Length > len(src) {
				t.Fatalf("edits overlap or leave the file: %s", describeEdits(edits))
			}
			end = e.Offset + e.Length
		}
		text := strings.TrimPrefix(string(out), "\ufeff")
		if d.crlf {
			text = strings.ReplaceAll(text, "\r\n", "\n")
		}
		if text != d.Text() {
			t.Fatalf("the spans make %q, the draft shows %q", text, d.Text())
		}
	})
}

func fuzzEdit(t *testing.T, d *Draft, op, i int, arg string) {
	t.Helper()
	note := arg
	switch op {
	case 0, 1, 2:
		states := append(d.States(), "")
		_ = d.SetState(i, states[len(arg)%len(states)], &note)
	case 3:
		_ = d.Schedule(i, arg, nil)
	case 4:
		_ = d.SetDeadline(i, arg, nil)
	case 5:
		d.RemoveSchedule(i, nil)
	case 6:
		d.RemoveDeadline(i, nil)
	case 7:
		_ = d.SetProperty(i, "KEY", arg, nil)
	case 8:
		d.DeleteProperty(i, "ID")
	case 9:
		d.CreateID(i)
	case 10:
		_ = d.SetTags(i, strings.Fields(arg))
	case 11:
		_ = d.SetPriority(i, arg)
	case 12:
		_ = d.EditHeadline(i, arg)
	case 13:
		d.ToggleComment(i)
	case 14:
		d.ToggleArchiveTag(i)
	case 15:
		if place, err := d.ArchivePlace(i); err == nil {
			place.File = ""
			_ = d.Archive(i, d, false, place, "/x/t.org")
		}
	case 16:
		_ = d.ArchiveToSibling(i)
	case 17:
		_ = d.Promote(i)
	case 18:
		_ = d.Demote(i)
	case 19:
		_ = d.Refile(i, d, len(arg)%len(d.File().Headlines), nil)
	case 20:
		_ = d.Refile(i, d, -1, nil)
	case 21:
		_ = d.ClockIn(i)
	case 22:
		_ = d.ToggleCheckbox(len(arg))
	case 23:
		types := []string{"entry", "item", "checkitem", "table-line"}
		texts := []string{"* " + strings.ReplaceAll(arg, "\n", " "), arg, arg, "| " + strings.ReplaceAll(arg, "\n", " ")}
		_, _ = d.Capture(i, CaptureTemplate{Type: types[len(arg)%4], Text: texts[len(arg)%4], Prepend: len(arg)%2 == 0, EmptyLines: len(arg) % 3})
	}
}

// BenchmarkSetState is one change of state in the middle of a file: parsed, edited
// and turned into spans.
func BenchmarkSetState(b *testing.B) {
	for _, size := range []int{100 << 10, 10 << 20} {
		entry := "* P [0/2] :a:\nSCHEDULED: <2026-01-05 Mon>\n" + strings.Repeat("some text of an entry\n", 20) + "** TODO A\n** TODO B\n"
		src := []byte(strings.Repeat(entry, size/len(entry)))
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				d := newTestDraft(b, string(src))
				if err := d.SetState(len(d.File().Headlines)/2/3*3+1, "DONE", nil); err != nil {
					b.Fatal(err)
				}
				if n := len(d.Edits()); n != 2 {
					b.Fatalf("%d edits, want the keyword and the parent's cookie", n)
				}
			}
		})
	}
}
