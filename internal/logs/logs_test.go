package logs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func open(t *testing.T, o Options) *Log {
	t.Helper()
	l, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

func lines(t *testing.T, l *Log) (lines []string) {
	t.Helper()
	for line := range l.Query(t.Context(), Query{Level: slog.LevelDebug}) {
		lines = append(lines, line.Text)
	}
	return lines
}

type point struct{ X, Y int }

func (p *point) String() string { return fmt.Sprint(p.X) }

func TestOneLine(t *testing.T) {
	l := open(t, Options{Level: slog.LevelWarn})
	log := slog.New(l)
	log.Info("too light")
	log.With("component", "notes", "source", "n 1").WithGroup("call").Warn("two\nlines",
		"tool", "read\x1b[2J", "size", 12, "took", time.Second, "ok", true, "at", noon,
		"err", errors.New(`say "no"`), "none", nil, "list", []string{"a"}, "empty", "",
		"deep", slog.GroupValue(slog.Int("er", 1)), "nil", (*point)(nil), "component", "of the call")
	var got []Line
	for line := range l.Query(t.Context(), Query{}) {
		line.Time = noon
		got = append(got, line)
	}
	want := []Line{{
		Seq: 1, Time: noon, Level: slog.LevelWarn, Component: "notes",
		Text: `two\nlines source="n 1" call.tool=read\x1b[2J call.size=12 call.took=1s call.ok=true call.at=2026-01-02T12:00:00Z ` +
			`call.err="say \\\"no\\\"" call.none=null call.list="[\\\"a\\\"]" call.empty="" call.deep.er=1 call.nil="!PANIC *logs.point" call.component="of the call"`,
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

func TestNoCallFloods(t *testing.T) {
	l := open(t, Options{Escape: func(s string) string { return s }})
	long := strings.Repeat("é", 1<<20)
	slog.New(l).Info("big", "a", long, "b", long, "c", long)
	got := lines(t, l)[0]
	if len(got) > maxText+100 || !strings.HasSuffix(got, "bytes more)") {
		t.Errorf("a line of %d bytes that ends with %q", len(got), got[len(got)-40:])
	}
}

func TestRepeatsAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "hub.log")
		l := open(t, Options{File: file})
		log := slog.New(l)
		for range 4 {
			log.Info("refused", "port", 1)
		}
		log.Info("other")
		log.Info("refused", "port", 1)
		for range 3 * 5 { // three pauses
			time.Sleep(repeatPause / 5 * 11 / 10)
			log.Info("refused", "port", 1)
		}
		time.Sleep(time.Minute)
		log.Warn("refused", "port", 1)
		want := []string{
			"refused port=1", "refused port=1 (repeated 3 times)", "other", "refused port=1",
			"refused port=1 (repeated 5 times)", "refused port=1 (repeated 5 times)", "refused port=1 (repeated 5 times)", "refused port=1",
		}
		if diff := cmp.Diff(want, lines(t, l)); diff != "" {
			t.Errorf("lines (-want +got):\n%s", diff)
		}
		saved, err := ReadTail(file, 99)
		if err != nil {
			t.Fatal(err)
		}
		if len(saved) != len(want) || saved[1].Text != "refused port=1 repeated=3" {
			t.Errorf("the file has %d lines, the second %q", len(saved), saved[1].Text)
		}
	})
}

func TestFileIsOursAndJSON(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state", "hub.log")
	l := open(t, Options{File: file, Now: func() time.Time { return noon }})
	slog.New(l).Info("opened", "component", "notes", "size", 12, "place", "/n\x1b[2J <b>")
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	delete(got, "time")
	want := map[string]any{"level": "INFO", "msg": "opened", "component": "notes", "size": 12.0, "place": `/n\x1b[2J <b>`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("line (-want +got):\n%s", diff)
	}
	if bytes.ContainsRune(b, 0x1b) {
		t.Error("the file has an escape character")
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, want 0600", info.Mode())
	}
}

func TestRotation(t *testing.T) {
	file := filepath.Join(t.TempDir(), "hub.log")
	l := open(t, Options{File: file, FileSize: 1000, Files: 3})
	log := slog.New(l)
	for i := range 100 {
		log.Info("line", "n", i)
	}
	entries, err := os.ReadDir(filepath.Dir(file))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
		if info, err := e.Info(); err != nil || info.Size() > 1000 {
			t.Errorf("%s has %d bytes, want at most 1000 (%v)", e.Name(), info.Size(), err)
		}
	}
	if diff := cmp.Diff([]string{"hub.log", "hub.log.1", "hub.log.2"}, names); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	got, err := ReadTail(file, 25)
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range got {
		if want := fmt.Sprintf("line n=%d", 75+i); l.Text != want || l.Time.IsZero() {
			t.Errorf("line %d is %q at %v, want %q", i, l.Text, l.Time, want)
		}
	}
	if all, err := ReadTail(file, 1000); err != nil || len(all) < 25 || len(all) > 60 {
		t.Errorf("three files have %d lines (%v)", len(all), err)
	}
	whole := func() (read []Line) {
		if err := ReadAll(file, func(l Line) error { read = append(read, l); return nil }); err != nil {
			t.Error(err)
		}
		return read
	}
	all, _ := ReadTail(file, 1000)
	if d := cmp.Diff(all, whole()); d != "" {
		t.Errorf("read from the beginning (-tail +whole):\n%s", d)
	}
	// The moments of a rotation: the first name is free, then the second.
	for _, move := range [][2]string{{".1", ".2"}, {"", ".1"}} {
		if err := os.Rename(file+move[0], file+move[1]); err != nil {
			t.Fatal(err)
		}
		if got := whole(); len(got) == 0 || got[len(got)-1].Text != "line n=99" {
			t.Errorf("while %q moves to %q: %d lines", move[0], move[1], len(got))
		}
	}
	if err := ReadAll(file+".none", nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("reading the whole of a file that is not there: %v", err)
	}
	if _, err := ReadTail(file+".none", 5); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("reading a file that is not there: %v", err)
	}
}

// TestCrashedFile opens what a crash leaves: half a line at the end, and a
// rotation that had moved the current file away.
func TestCrashedFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "hub.log")
	half := `{"time":"2026-01-02T12:00:00Z","level":"INFO","msg":"ha`
	if err := os.WriteFile(file, []byte(half), 0o644); err != nil {
		t.Fatal(err)
	}
	l := open(t, Options{File: file, FileSize: 200, Files: 3})
	slog.New(l).Warn("next")
	got, err := ReadTail(file, 5)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0].Text != half || got[1].Text != "next" || got[1].Level != slog.LevelWarn {
		t.Errorf("lines %+v, want the half one and the next", got)
	}
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v (%v), want 0600", info.Mode(), err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(file, file+".1"); err != nil {
		t.Fatal(err)
	}
	l = open(t, Options{File: file, FileSize: 200, Files: 3})
	for i := range 3 {
		slog.New(l).Info("after the crash, a rather long line to fill the file with", "n", i)
	}
	if got, err = ReadTail(file, 9); err != nil || got[len(got)-1].Text != "after the crash, a rather long line to fill the file with n=2" {
		t.Errorf("lines %+v (%v)", got, err)
	}
}

func TestFileThatCannotBeWritten(t *testing.T) {
	now := noon
	file := filepath.Join(t.TempDir(), "hub.log")
	l := open(t, Options{File: file, Now: func() time.Time { return now }})
	log := slog.New(l)
	log.Info("one")
	if err := l.file.f.Close(); err != nil { // every write fails from here on
		t.Fatal(err)
	}
	log.Info("two")
	log.Info("three")
	now = now.Add(retryPause)
	log.Info("four")

	got := lines(t, l)
	if len(got) != 6 || !strings.HasPrefix(got[2], "log file cannot be written") || !strings.HasSuffix(got[5], "lost=2") {
		t.Errorf("the ring has %q, want the trouble said once, and its end", got)
	}
	saved, err := ReadTail(file, 9)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, s := range saved {
		texts = append(texts, s.Text)
	}
	if diff := cmp.Diff([]string{"one", "four"}, texts); diff != "" {
		t.Errorf("file (-want +got):\n%s", diff)
	}
}

func TestNewSaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	if _, err := New(Options{File: dir}); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("opening a directory: %v, want an error that names it", err)
	}
}

func TestCloseEndsFollowers(t *testing.T) {
	l := open(t, Options{})
	ch := l.Query(context.Background(), Query{Follow: true})
	slog.New(l).Info("last words")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range ch {
		got = append(got, line.Text)
	}
	if diff := cmp.Diff([]string{"last words"}, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	slog.New(l).Info("after") // must not panic, block or be lost
	if got := lines(t, l); len(got) != 2 {
		t.Errorf("after Close the ring has %q", got)
	}
}
