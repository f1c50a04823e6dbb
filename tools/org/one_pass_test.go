package org_test

import (
	"encoding/json"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/tools"
)

// TestAnswersAreOfOneMoment: a file that is written while others are searched is answered
// as it was before or as it is after, with nothing left out that is counted.
func TestAnswersAreOfOneMoment(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // one file is read after the other
	const text = "* TODO Alpha [[id:b-1]] :work:\nSCHEDULED: <2026-01-07 Wed .+2d>\n:PROPERTIES:\n:ID:       a-1\n:STYLE:    habit\n:END:\n" +
		":LOGBOOK:\nCLOCK: [2026-01-06 Tue 10:00]--[2026-01-06 Tue 11:00] =>  1:00\n:END:\n"
	for name, after := range map[string]string{"longer": "* New\n" + text, "empty": "", "as long": strings.Repeat("x", len(text))} {
		t.Run(name, func(t *testing.T) {
			for _, c := range [][2]string{
				{"org-search-content", `{"query":"alpha"}`},
				{"org-search-headlines", `{"query":"Alpha"}`},
				{"org-get-todos", `{}`},
				{"org-query", `{"query":"alpha"}`},
				{"org-get-backlinks", `{"resourceUri":"org://id/b-1"}`},
				{"org-grep", `{"pattern":"Alpha"}`},
				{"org-find-nodes", `{"query":"alpha"}`},
				{"org-get-agenda-items", `{"date":"2026-01-07","days":1}`},
				{"org-get-agenda", `{"view":"day","date":"2026-01-07"}`},
				{"org-get-habits", `{}`},
				{"org-clock-report", `{"from":"2026-01-01","to":"2026-01-31"}`},
				{"org-clock-report", `{"from":"2026-01-01","to":"2026-01-31","groupBy":"file"}`},
			} {
				possible := []string{answerWhile(t, c, text, text, 0), answerWhile(t, c, after, after, 0)}
				for look := 1; look <= 5; look++ {
					if got := answerWhile(t, c, text, after, look); !slices.Contains(possible, got) {
						t.Errorf("%s %s, written at look %d: %s\nbefore: %s\nafter: %s", c[0], c[1], look, got, possible[0], possible[1])
					}
				}
			}
		})
	}
}

// answerWhile is the answer of a call, in the middle of which a.org is written: when the
// source looks at the clock for the nth time, which it does before it reads a file.
func answerWhile(t *testing.T, c [2]string, before, after string, nth int) string {
	t.Helper()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "a.org"), before)
	put(t, filepath.Join(dir, "b.org"), "* B\n:PROPERTIES:\n:ID:       b-1\n:END:\n")
	looks := -1 << 30
	source, err := testSystem().Open(t.Context(), json.RawMessage(`{"path":`+quote(dir)+`}`), tools.Env{Name: "org", Now: func() time.Time {
		if looks++; looks == nth {
			put(t, filepath.Join(dir, "a.org"), after)
			runtime.GC() // memory keeps nothing that was read
			runtime.GC()
		}
		return caseTime
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	looks = 0
	got, err := source.Call(t.Context(), tools.CallContext{}, c[0], json.RawMessage(c[1]))
	if err != nil {
		return err.Error()
	}
	return string(got.JSON)
}
