package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/status"
)

// Only a terminal gets colours, and control characters of others are escaped.
func TestDoctorReport(t *testing.T) {
	var out strings.Builder
	c := testCLI(t)
	c.out = &out
	r := newDoctorReport(c.console, []string{"a.b"})
	r.printResult(status.Check{Name: "a.b", Title: "T", Result: status.CheckFail, Detail: "no\x1b[2J", Fix: "Do\nit."})
	r.printResult(status.Check{Name: "a.b", Title: "T", Result: status.CheckOK})
	r.printSummary([]status.Check{{Result: status.CheckFail}, {Result: status.CheckOK}, {Result: status.CheckOK}})
	want := "fail     a.b  no␛[2J\n              Do␊it.\nok       a.b  T\n\n2 ok, 1 fail\n"
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Error(d)
	}
	out.Reset()
	r.colored = true
	r.printResult(status.Check{Name: "a.b", Result: status.CheckOK, Detail: "fine"})
	if want := "\x1b[32mok     \x1b[0m  a.b  fine\n"; out.String() != want {
		t.Errorf("%q", &out)
	}
}
