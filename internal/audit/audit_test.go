package audit

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func open(t *testing.T, o Options) *Trail {
	t.Helper()
	o.Key, o.Now = []byte("key"), func() time.Time { return noon }
	trail, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return trail
}

func shut(t *testing.T, trail *Trail) {
	t.Helper()
	if err := trail.Close(); err != nil {
		t.Fatal(err)
	}
}

// written is a trail of n calls.
func written(t *testing.T, o Options, n int) {
	t.Helper()
	trail := open(t, o)
	for i := range n {
		trail.Add(Record{Time: noon, Session: "s1", Client: "tester", Source: "notes", Tool: "read_page", Effect: "read", Asked: i, Args: trail.Digest([]byte{byte(i)})})
	}
	shut(t, trail)
}

func verified(t *testing.T, name string) Report {
	t.Helper()
	r, err := Verify(name)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestTrailGoesOn(t *testing.T) {
	name := filepath.Join(t.TempDir(), "state", "audit.jsonl")
	if r := verified(t, name); r.Files != 0 || r.Break != nil {
		t.Errorf("no trail: %+v", r)
	}
	for range 3 {
		written(t, Options{File: name}, 4)
	}
	r := verified(t, name)
	if r.Break != nil || r.Lines != 12 || r.First != 1 || r.Last != 12 || r.Torn+r.Cuts+r.Lost != 0 {
		t.Errorf("report %+v", r)
	}
	info, err := os.Stat(name)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestRotationCarriesTheChain(t *testing.T) {
	name := filepath.Join(t.TempDir(), "audit.jsonl")
	for range 5 {
		written(t, Options{File: name, FileSize: 1000, Files: 3}, 7)
	}
	r := verified(t, name)
	if r.Break != nil || r.Files != 3 || r.Last != 35 || r.First <= 1 || uint64(r.Lines) != r.Last-r.First+1 {
		t.Errorf("report %+v", r)
	}
	if _, err := os.Stat(name + ".3"); err == nil {
		t.Error("more files than asked for")
	}
	// A file between two others that is gone is a gap.
	if err := os.Rename(name+".2", name+".1"); err != nil {
		t.Fatal(err)
	}
	if r := verified(t, name); r.Break == nil || !strings.Contains(r.Break.Meaning, "removed") {
		t.Errorf("without a file in between: %+v", r.Break)
	}
}

// What somebody may do to a trail, and the line that shows it.
func TestTampering(t *testing.T) {
	name := filepath.Join(t.TempDir(), "audit.jsonl")
	written(t, Options{File: name}, 6)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(whole), "\n")[:6]
	join := func(lines ...string) string { return strings.Join(lines, "") }
	for _, tt := range []struct {
		name, text string
		line       int
		means      string
	}{
		{"untouched", join(lines...), 0, ""},
		{"a word changed", strings.Replace(join(lines...), `"asked":2`, `"asked":9`, 1), 4, "number 3, was changed"},
		{"a line removed", join(lines[0], lines[1], lines[3], lines[4], lines[5]), 3, "1 lines before it were removed"},
		{"two lines swapped", join(lines[0], lines[2], lines[1], lines[3]), 2, "removed"},
		{"a line twice", join(lines[0], lines[1], lines[1]), 3, "inserted or moved"},
		{"the first removed", join(lines[1:]...), 0, ""}, // as a rotation does; First says so
		{"numbers adjusted after that", strings.Replace(join(lines[1:]...), `"seq":2`, `"seq":1`, 1), 1, "removed"},
		{"garbage", join(lines[0], "hello\n", lines[1]), 2, "changed after it was written"},
		{"a field more", strings.Replace(join(lines...), `{"seq":5`, `{"x":1,"seq":5`, 1), 5, "changed after it was written"},
		{"emptied in the middle", join(lines[0], "\n", lines[1]), 2, "changed after it was written"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := os.WriteFile(name, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			b := verified(t, name).Break
			switch {
			case b == nil && tt.line > 0:
				t.Errorf("no break, want one in line %d", tt.line)
			case b != nil && (b.Line != tt.line || !strings.Contains(b.Meaning, tt.means)):
				t.Errorf("break %+v, want line %d: %s", *b, tt.line, tt.means)
			}
		})
	}
}

// Every byte that somebody changes shows, whichever it is, but in the last
// line: the hash that Verify prints stands for that.
func TestEveryByteCounts(t *testing.T) {
	name := filepath.Join(t.TempDir(), "audit.jsonl")
	written(t, Options{File: name}, 3)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	hash := verified(t, name).Hash
	for i := range whole {
		text := bytes.Clone(whole)
		text[i] ^= 1
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if r := verified(t, name); r.Break == nil && r.Hash == hash && r.Torn == 0 {
			t.Errorf("byte %d of %d may be changed", i, len(whole))
		}
	}
}

// Wherever a crash cuts the file, the next start goes on with what is whole,
// and says that something was cut.
func TestTornTail(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "audit.jsonl")
	written(t, Options{File: name}, 3)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range whole {
		if err := os.WriteFile(name, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		left := bytes.LastIndexByte(whole[:cut], '\n') + 1
		if r := verified(t, name); r.Break != nil || r.Torn != cut-left {
			t.Errorf("cut at %d: torn %d, want %d; %+v", cut, r.Torn, cut-left, r.Break)
		}
		written(t, Options{File: name}, 1)
		r, lines := verified(t, name), bytes.Count(whole[:cut], []byte("\n"))
		torn := 0
		if cut > left {
			torn = 1
		}
		if r.Break != nil || r.Torn != 0 || r.Cuts != torn || r.Lines != lines+1+torn {
			t.Errorf("cut at %d: afterwards %+v", cut, r)
		}
	}
}

func TestRecordsWaitButNotLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		name := filepath.Join(t.TempDir(), "audit.jsonl")
		trail := open(t, Options{File: name, Delay: time.Second})
		var adding sync.WaitGroup
		for range 4 {
			adding.Go(func() {
				for range 50 {
					trail.Add(Record{Time: noon})
				}
			})
		}
		adding.Wait()
		if r := verified(t, name); r.Lines != 0 {
			t.Errorf("%d lines at once", r.Lines)
		}
		time.Sleep(time.Second + time.Millisecond)
		synctest.Wait()
		if r := verified(t, name); r.Lines != 200 || r.Break != nil {
			t.Errorf("%d lines after the delay: %+v", r.Lines, r.Break)
		}
		for range maxWaiting {
			trail.Add(Record{Time: noon})
		}
		if r := verified(t, name); r.Lines != 200+maxWaiting {
			t.Errorf("%d lines when many wait", r.Lines)
		}
		trail.Add(Record{Time: noon})
		shut(t, trail)
		trail.Add(Record{Time: noon})
		if r := verified(t, name); r.Lines != 201+maxWaiting || r.Break != nil {
			t.Errorf("%d lines in the end: %+v", r.Lines, r.Break)
		}
	})
}

// A file that cannot be written loses no order, and says what it lost.
func TestDiskThatIsFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		name := filepath.Join(t.TempDir(), "audit.jsonl")
		trail := open(t, Options{File: name, Delay: time.Second})
		trail.Add(Record{Time: noon, Client: "first"})
		trail.Flush()
		_ = trail.file.f.Close() // from here on writes fail, as does opening
		if err := os.Rename(name, name+".away"); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(name, 0o700); err != nil {
			t.Fatal(err)
		}
		for i := range maxWaiting * 2 {
			trail.Add(Record{Time: noon, Client: fmt.Sprint(i)})
		}
		if trail.FileError() == nil {
			t.Error("no trouble")
		}
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(name+".away", name); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		trail.Add(Record{Time: noon, Client: "last"})
		shut(t, trail)
		r := verified(t, name)
		if r.Break != nil || r.Lost == 0 || r.Lines+r.Lost != 1+maxWaiting*2+1+1 || trail.FileError() != nil {
			t.Errorf("report %+v, %v", r, trail.FileError())
		}
	})
}

func TestDigestIsKeyed(t *testing.T) {
	name := filepath.Join(t.TempDir(), "audit.jsonl")
	a := open(t, Options{File: name})
	defer shut(t, a)
	b, err := Open(Options{File: name + "2", Key: []byte("another"), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer shut(t, b)
	text := []byte(`{"page":"a"}`)
	if a.Digest(text) != a.Digest(bytes.Clone(text)) || a.Digest(text) == a.Digest(text[1:]) || a.Digest(text) == b.Digest(text) || len(a.Digest(text)) != 32 {
		t.Errorf("digests %s %s %s", a.Digest(text), a.Digest(text[1:]), b.Digest(text))
	}
}
