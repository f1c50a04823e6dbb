package org_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/internal/atomicfile"
	"github.com/lectern-mcp/lectern/internal/runtest"
)

// TestOracle runs random edits of random files here and in Emacs with Org 9.5,
// and compares the files byte for byte. ORG_ORACLE is how many (make oracle: 5,000;
// without it a sample), ORG_SEED the first seed.
func TestOracle(t *testing.T) {
	runtest.InOrder(t)
	command := emacsCommand(t)
	count, seed := envNumber(t, "ORG_ORACLE", 150), uint64(envNumber(t, "ORG_SEED", 1))
	var cases []testCase
	for i := range uint64(count) {
		cases = append(cases, generateCase(rand.New(rand.NewPCG(seed+i, 95)), fmt.Sprintf("random-%d", seed+i)))
	}
	for i := range uint64(count / 10) {
		cases = append(cases, generateInlineCase(rand.New(rand.NewPCG(seed+i, 15)), fmt.Sprintf("inline-%d", seed+i)))
	}
	equal, failed := 0, 0
	ops := map[string]int{}
	for len(cases) > 0 {
		n := min(len(cases), 500)
		compareWithEmacs(t, command, cases[:n], func(c testCase, want emacsResult) {
			difference := compareResults(c, want)
			if difference != "" { // a case before it may have left something behind in Emacs
				compareWithEmacs(t, command, []testCase{c}, func(c testCase, want emacsResult) { difference = compareResults(c, want) })
			}
			if difference != "" {
				if failed++; failed <= 30 {
					ops, _ := json.Marshal(c.Ops)
					t.Errorf("%svariables %v, operations %s\n%s", difference, c.Vars, ops, c.Content)
				}
				for _, op := range c.Ops {
					ops[op.Op]++
				}
				return
			}
			equal++
		})
		cases = cases[n:]
	}
	t.Logf("%d pairs equal, %d differ, operations of those %v", equal, failed, ops)
	if failed > 0 {
		t.Fail()
	}
}

// TestRecordCases records random edits with Emacs into testdata/cases, which
// TestCases replays where there is no Emacs. It runs with UPDATE=1.
func TestRecordCases(t *testing.T) {
	if os.Getenv("UPDATE") == "" {
		t.Skip("UPDATE=1 records the cases again")
	}
	command := emacsCommand(t)
	for file, generate := range map[string]func(*rand.Rand, string) testCase{"recorded": generateCase, "inline": generateInlineCase} {
		recordCases(t, command, map[string]uint64{"recorded": 120, "inline": 40}[file], file, generate)
	}
}

func recordCases(t *testing.T, command []string, count uint64, file string, generate func(*rand.Rand, string) testCase) {
	t.Helper()
	var cases, recorded []testCase
	for i := range count {
		cases = append(cases, generate(rand.New(rand.NewPCG(i, 9)), fmt.Sprintf("%s-%d", file, i)))
	}
	compareWithEmacs(t, command, cases, func(c testCase, got emacsResult) {
		if got.Error != nil {
			return // what is left behind then depends on what Emacs saved before
		}
		c.Expect = expectation{Error: got.Error, Files: map[string]string{}}
		for name, text := range got.Files {
			c.Expect.Files[name] = strings.ReplaceAll(text, got.Dir, "{DIR}")
		}
		recorded = append(recorded, c)
	})
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(recorded); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.WriteFile("testdata/cases/"+file+".json", out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// emacsCommand returns how Emacs is run with the clock of the cases. Without
// Emacs, or with another Org than 9.5, the test is skipped.
func emacsCommand(t *testing.T) []string {
	t.Helper()
	emacs, err := exec.LookPath("emacs")
	if err != nil {
		t.Skip("the comparison with Emacs needs emacs and faketime; make oracle installs them")
	}
	faketime, err := exec.LookPath("faketime")
	if err != nil {
		t.Skip("the comparison with Emacs needs faketime; make oracle installs it")
	}
	version, err := exec.CommandContext(t.Context(), emacs, "-Q", "--batch", "--eval", "(progn (require 'org) (princ (org-version)))").Output()
	if err != nil || !strings.HasPrefix(string(version), "9.5") {
		t.Skipf("Emacs has Org %s (%v), the comparison is with Org 9.5", version, err)
	}
	return []string{faketime, "-f", caseTime.Format("2006-01-02 15:04:05"), emacs}
}

// envNumber returns the number in an environment variable, or fallback.
func envNumber(t *testing.T, name string, fallback int) int {
	t.Helper()
	v := os.Getenv(name)
	if v == "" {
		return fallback
	}
	n, err := strconv.Atoi(v)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

type emacsResult struct {
	Name  string            `json:"name"`
	Error *string           `json:"error"`
	Dir   string            `json:"dir"`
	Files map[string]string `json:"files"`
}

func compareWithEmacs(t *testing.T, command []string, cases []testCase, compare func(testCase, emacsResult)) {
	t.Helper()
	b, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "cases.json")
	if err := atomicfile.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	args := append(command[1:len(command):len(command)], "-Q", "--batch", "-l", "testdata/oracle.el", "-f", "oracle-run", file)
	cmd := exec.CommandContext(t.Context(), command[0], args...)
	cmd.Env = append(os.Environ(), "NO_FAKE_STAT=1", "TZ=UTC", "LC_ALL=C.UTF-8", "HOME="+t.TempDir())
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	in := json.NewDecoder(bytes.NewReader(out))
	for _, c := range cases {
		var got emacsResult
		if e := in.Decode(&got); e == io.EOF {
			t.Fatalf("Emacs stopped at %s: %v\n%s", c.Name, err, stderr.Bytes())
		} else if e != nil {
			t.Fatal(e)
		}
		compare(c, got)
	}
}

// compareResults runs c here and says how the result differs from Emacs's, "" if
// it does not.
func compareResults(c testCase, want emacsResult) string {
	got, err := runCase(c, want.Dir)
	var out strings.Builder
	if (err != nil) != (want.Error != nil) {
		e := "none"
		if want.Error != nil {
			e = *want.Error
		}
		fmt.Fprintf(&out, "error %v, Emacs: %s\n", err, e)
		return c.Name + ": " + out.String()
	}
	if err != nil {
		return "" // what is left in the buffers then is not saved
	}
	for name, text := range want.Files {
		if got[name] == c.Content && got[name]+"\n" == text {
			continue // Emacs changed and restored something, so it saved the file
		}
		if got[name] != text {
			fmt.Fprintf(&out, "%s:\n%s", name, lineDifference(got[name], text))
		}
	}
	for name, text := range got {
		if _, ok := want.Files[name]; !ok && text != "" {
			fmt.Fprintf(&out, "there is a file %s, Emacs wrote none\n", name)
		}
	}
	if out.Len() == 0 {
		return ""
	}
	return fmt.Sprintf("%s: %s", c.Name, out.String())
}

// lineDifference shows the lines in which two texts differ.
func lineDifference(got, want string) string {
	g, w := strings.SplitAfter(got, "\n"), strings.SplitAfter(want, "\n")
	for len(g) > 0 && len(w) > 0 && g[0] == w[0] {
		g, w = g[1:], w[1:]
	}
	for len(g) > 0 && len(w) > 0 && g[len(g)-1] == w[len(w)-1] {
		g, w = g[:len(g)-1], w[:len(w)-1]
	}
	return fmt.Sprintf("got   %q\nEmacs %q\n", g, w)
}
