package logs

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A line may wait for the file, but not for long, and not for those who ask.
func TestDelayedLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "hub.log")
		l := open(t, Options{File: file, Delay: time.Second})
		log := slog.New(l)
		written := func() int {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			return strings.Count(string(b), "\n")
		}
		step := func(what string, want int) {
			t.Helper()
			if got := written(); got != want {
				t.Errorf("%s: %d lines in the file, want %d", what, got, want)
			}
		}
		log.With("part", "a").Info("one", "n", 1)
		log.Info("two", "n", 2)
		step("at once", 0)
		time.Sleep(time.Second + time.Millisecond)
		step("after the delay", 2)
		log.Info("three")
		log.Warn("four")
		step("with a warning", 4)
		log.Info("five")
		log.Info("six", "err", errors.New("may change"))
		step("what may change", 6)
		log.Info("seven")
		want := []string{"one n=1", "two n=2", "three", "four", "five", `six err="may change"`, "seven"}
		if diff := cmp.Diff(want, lines(t, l)); diff != "" {
			t.Errorf("lines (-want +got):\n%s", diff)
		}
		step("when asked", 7)
		for i := range lateMax + 1 {
			log.Info("many", "n", i)
		}
		step("when too many wait", 7+lateMax+1)
		more := l.Query(t.Context(), Query{After: 7 + lateMax + 1, Follow: true})
		synctest.Wait()
		log.Info("eight")
		if got := <-more; got.Text != "eight" || written() != 7+lateMax+2 {
			t.Errorf("a follower got %q, %d lines are in the file", got.Text, written())
		}
		for line := range l.Query(t.Context(), Query{After: 7}) {
			if want := fmt.Sprintf("many n=%d", line.Seq-8); line.Text != want && line.Text != "eight" {
				t.Errorf("line %d is %q, want %q", line.Seq, line.Text, want)
			}
		}
	})
	synctest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "hub.log")
		l := open(t, Options{File: file, Delay: time.Second})
		slog.New(l).Info("one")
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		if b, err := os.ReadFile(file); err != nil || !strings.Contains(string(b), "one") {
			t.Errorf("after Close the file is %q (%v)", b, err)
		}
	})
}
