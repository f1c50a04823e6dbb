package org_test

import (
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/tools/org"
)

// What asks for a note is recorded without one too, as Emacs does when C-c C-c ends an
// empty note, and the answer says that a note can be given.
func TestRecordsWithoutNotes(t *testing.T) {
	const todo = "#+TODO: TODO WAIT(w@/!) | DONE(d@)\n#+STARTUP: logdrawer\n"
	const stamp = "[2026-01-07 Wed 10:00]"
	for _, c := range []struct{ name, text, tool, args, want string }{
		{
			"a state", todo + "* TODO N\n", "org-update-todo-state", `"currentState":"TODO","newState":"WAIT"`,
			"* WAIT N\n:LOGBOOK:\n- State \"WAIT\"       from \"TODO\"       " + stamp + "\n:END:\n",
		},
		{
			"a blank note", todo + "* TODO N\n", "org-update-todo-state", `"currentState":"TODO","newState":"DONE","note":"\n "`,
			"* DONE N\n:LOGBOOK:\n- State \"DONE\"       from \"TODO\"       " + stamp + "\n:END:\n",
		},
		{
			"a repeated task", todo + "* TODO N\nSCHEDULED: <2026-01-07 Wed +1d>\n", "org-update-todo-state", `"currentState":"TODO","newState":"DONE"`,
			"* TODO N\nSCHEDULED: <2026-01-08 Thu +1d>\n:PROPERTIES:\n:LAST_REPEAT: " + stamp + "\n:END:\n:LOGBOOK:\n- State \"DONE\"       from \"TODO\"       " + stamp + "\n:END:\n",
		},
		{
			"a closing note", "#+STARTUP: lognotedone\n* TODO N\n", "org-update-todo-state", `"currentState":"TODO","newState":"DONE"`,
			"* DONE N\nCLOSED: " + stamp + "\n- CLOSING NOTE " + stamp + "\n",
		},
		{
			"a date", "#+STARTUP: lognotereschedule\n* N\nSCHEDULED: <2026-01-07 Wed>\n", "org-schedule-task", `"scheduled":"2026-01-09"`,
			"* N\nSCHEDULED: <2026-01-09 Fri>\n- Rescheduled from \"[2026-01-07 Wed]\" on " + stamp + "\n",
		},
		{
			"a date that is removed", "#+STARTUP: lognoteredeadline\n* N\nDEADLINE: <2026-01-07 Wed>\n", "org-schedule-task", `"removeDeadline":true`,
			"* N\n- Removed deadline, was \"[2026-01-07 Wed]\" on " + stamp + "\n",
		},
		{
			"a property", todo + "* TODO N\n", "org-set-properties", `"properties":{"TODO":"WAIT"}`,
			"* WAIT N\n:LOGBOOK:\n- State \"WAIT\"       from \"TODO\"       " + stamp + "\n:END:\n",
		},
		{
			"a headline that is moved", "#+STARTUP: lognoterefile\n* N\n* T\n", "org-refile-headline", `"targetParentUri":"org://a.org/headline/T"`,
			"* T\n** N\n- Refiled on " + stamp + "\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := openFiles(t, map[string]string{"a.org": c.text}, org.Config{})
			out := s.must(c.tool, `{"resourceUri":"org://a.org/headline/N",`+c.args+`}`)
			if hint, _ := out["hint"].(string); !strings.Contains(hint, "note") {
				t.Errorf("the answer is %v", out)
			}
			if got := s.read("a.org"); !strings.HasSuffix(got, c.want) {
				t.Errorf("it is\n%s\nwant at its end\n%s", got, c.want)
			}
		})
	}
}

func TestNotes(t *testing.T) {
	s := openFiles(t, map[string]string{"a.org": "#+TODO: TODO WAIT(w@) | DONE(d!)\n#+STARTUP: lognotereschedule lognoterefile\n* TODO N\nSCHEDULED: <2026-01-07 Wed>\n* TODO M\n* T\n"}, org.Config{})
	for _, call := range [][2]string{
		{"org-bulk-update", `{"edits":[{"resourceUri":"org://a.org/headline/N","currentState":"TODO","newState":"WAIT","note":"for *Ines*"},{"resourceUri":"org://a.org/headline/M","currentState":"TODO","newState":"DONE"}]}`},
		{"org-schedule-task", `{"resourceUri":"org://a.org/headline/N","scheduled":"2026-01-09","note":"she is away"}`},
		{"org-refile-headline", `{"resourceUri":"org://a.org/headline/N","targetParentUri":"org://a.org/headline/T","note":"done"}`},
	} {
		if out := s.must(call[0], call[1]); out["hint"] != nil {
			t.Errorf("%s asks for a note: %v", call[0], out)
		}
	}
	got := s.read("a.org")
	for _, want := range []string{"  for *Ines*\n", "  she is away\n", "  done\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}

// Clock lines that are collected into a drawer come in the order that Emacs puts them in,
// and a number says from how many on there is a drawer.
func TestCollectedClocks(t *testing.T) {
	const first, second = "CLOCK: [2026-01-02 Fri 10:00]--[2026-01-02 Fri 11:30] =>  1:30\n", "CLOCK: [2026-01-01 Thu 10:00]--[2026-01-01 Thu 11:30] =>  1:30\n"
	const running = "CLOCK: [2026-01-07 Wed 10:00]\n"
	for _, c := range []struct{ name, drawer, order, text, want string }{
		{"collected", "t", "t", "* K\n" + first + second + "text\n", "* K\n:LOGBOOK:\n" + running + second + first + ":END:\ntext\n"},
		{"oldest first", "t", "nil", "* K\n" + first + second + "text\n", "* K\n:LOGBOOK:\n" + second + running + first + ":END:\ntext\n"},
		{"too few", "4", "t", "* K\n" + first + second + "text\n", "* K\n" + running + first + second + "text\n"},
		{"enough", "3", "t", "* K\n" + first + second + "text\n", "* K\n:LOGBOOK:\n" + running + second + first + ":END:\ntext\n"},
		{"the first", "2", "t", "* K\ntext\n", "* K\n" + running + "text\n"},
		{"none yet", "1", "t", "* K\ntext\n", "* K\n:LOGBOOK:\n" + running + ":END:\ntext\n"},
		{"there is a drawer", "4", "t", "* K\n:LOGBOOK:\n" + first + ":END:\n", "* K\n:LOGBOOK:\n" + running + first + ":END:\n"},
		{"a property", "nil", "t", "* K\n:PROPERTIES:\n:CLOCK_INTO_DRAWER: 2\n:END:\n" + first, "* K\n:PROPERTIES:\n:CLOCK_INTO_DRAWER: 2\n:END:\n:LOGBOOK:\n" + running + first + ":END:\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := openFiles(t, map[string]string{"a.org": c.text}, org.Config{Vars: map[string]string{"org-clock-into-drawer": c.drawer, "org-log-states-order-reversed": c.order}})
			s.must("org-clock-in", `{"resourceUri":"org://a.org/headline/K"}`)
			s.holds("a.org", c.want)
		})
	}
}

// A clock that ran for no time is kept or removed as the variable says, and empty
// drawers for clocks are removed with it, wherever in the subtree they are.
func TestStoppedClocks(t *testing.T) {
	const running = "* K\n:LOGBOOK:\nCLOCK: [2026-01-07 Wed 10:00]\n:END:\ntext\n** L\n:LOGBOOK:\n:END:\n\n* M\n:LOGBOOK:\n:END:\n"
	const rest = "** L\n\n* M\n:LOGBOOK:\n:END:\n"
	for remove, want := range map[string]string{
		"nil": "* K\n:LOGBOOK:\nCLOCK: [2026-01-07 Wed 10:00]--[2026-01-07 Wed 10:00] =>  0:00\n:END:\ntext\n" + rest,
		"t":   "* K\ntext\n" + rest,
	} {
		s := openFiles(t, map[string]string{"a.org": running}, org.Config{Vars: map[string]string{"org-clock-out-remove-zero-time-clocks": remove}})
		s.must("org-clock-out", `{"resourceUri":"org://a.org/headline/K"}`)
		s.holds("a.org", want)
	}
}

func TestPropertyFormat(t *testing.T) {
	s := openFiles(t, map[string]string{"a.org": "* A\n  :PROPERTIES:\n  :X: 1\n  :END:\n"}, org.Config{Vars: map[string]string{"org-property-format": `"%-15s %s"`}})
	s.must("org-set-properties", `{"resourceUri":"org://a.org/headline/A","properties":{"X":"3","日本":"2:00"}}`)
	s.holds("a.org", "* A\n  :PROPERTIES:\n  :X:             3\n  :日本:          2:00\n  :END:\n")
}
