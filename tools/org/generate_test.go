package org_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// A caseGenerator writes a random Org file and random edits of it.
type caseGenerator struct {
	*rand.Rand
	out    strings.Builder
	titles []string
	boxes  []int // lines with a check box
	lines  int
	states []string

	// Emacs reads COMMENT with the archive's keywords when it marks an archived
	// entry done, and drops it from an entry that is blocked.
	neverComment bool

	inline bool // with inline tasks
}

func (g *caseGenerator) chance(percent int) bool { return g.IntN(100) < percent }

func (g *caseGenerator) pick(words ...string) string { return words[g.IntN(len(words))] }

func (g *caseGenerator) write(line string) {
	g.out.WriteString(line + "\n")
	g.lines += 1 + strings.Count(line, "\n")
}

// generateCase returns a random case without what Emacs makes of it.
func generateCase(r *rand.Rand, name string) testCase {
	return (&caseGenerator{Rand: r, states: []string{"TODO", "DONE"}}).generate(name)
}

// generateInlineCase returns one with inline tasks in its texts.
func generateInlineCase(r *rand.Rand, name string) testCase {
	return (&caseGenerator{Rand: r, states: []string{"TODO", "DONE"}, inline: true}).generate(name)
}

func (g *caseGenerator) generate(name string) testCase {
	c := testCase{Name: name, Vars: g.variables()}
	if g.inline {
		c.Vars["org-inlinetask-min-level"] = g.pick("15", "15", "7")
	}
	g.header(c.Vars)
	g.neverComment = c.Vars["org-archive-mark-done"]+c.Vars["org-enforce-todo-dependencies"] != ""
	level := 1
	for n := range 2 + g.IntN(6) {
		level = max(1, min(4, level+g.IntN(4)-2))
		if n == 0 {
			level = 1
		}
		g.entry(level, n)
	}
	c.Content = g.out.String()
	for range 1 + g.IntN(10)/7 {
		op := g.operation()
		if op.Op == "toggle-checkbox" && len(c.Ops) > 0 {
			op.Op = "clock-in" // lines have moved
			op.Where = g.title()
		}
		if op.Op == "refile-file-top" && c.Vars["org-reverse-note-order"] != "" {
			op.Op = "id-get-create" // Emacs tears the first subtree apart
		}
		if op.Op == "capture" {
			delete(c.Vars, "org-provide-todo-statistics")
		}
		c.Ops = append(c.Ops, op)
	}
	if g.inline {
		c.Content = strings.ReplaceAll(c.Content, "- parent [0/2]", "- parent")
	}
	switch {
	case g.chance(3):
		c.Content = strings.ReplaceAll(c.Content, "\n", "\r\n")
	case g.chance(3):
		c.Content = "\ufeff" + c.Content
	case g.chance(4) && !g.moves(c.Ops):
		c.Content = strings.TrimRight(c.Content, "\n")
	}
	return c
}

// moves says whether a subtree is moved; Org 9.5 gets the level of one wrong that
// ends the file without a line break.
func (g *caseGenerator) moves(ops []operation) bool {
	return slices.ContainsFunc(ops, func(op operation) bool {
		return strings.HasPrefix(op.Op, "refile") || strings.HasPrefix(op.Op, "archive") || op.Op == "capture"
	})
}

func (g *caseGenerator) variables() map[string]string {
	vars := map[string]string{}
	set := func(percent int, name string, values ...string) {
		if g.chance(percent) {
			vars[name] = g.pick(values...)
		}
	}
	if g.chance(35) {
		vars["org-todo-keywords"] = `((sequence "TODO(t)" "NEXT(n)" "WAIT(w@/!)" "|" "DONE(d!)" "CANCELLED(c@)"))`
		g.states = []string{"TODO", "NEXT", "WAIT", "DONE", "CANCELLED"}
	}
	set(30, "org-log-done", "time", "time", "note")
	set(40, "org-log-into-drawer", "t", "t", `"HISTORY"`)
	set(10, "org-log-states-order-reversed", "nil")
	set(10, "org-log-reschedule", "time")
	set(10, "org-log-redeadline", "time")
	set(8, "org-log-refile", "time")
	set(10, "org-tags-column", "0", "-40", "20")
	set(5, "org-auto-align-tags", "nil")
	set(8, "org-adapt-indentation", "t")
	set(5, "org-log-repeat", "nil")
	set(5, "org-reverse-note-order", "t")
	set(5, "org-archive-reversed-order", "t")
	set(5, "org-todo-repeat-to-state", "t")
	set(5, "org-closed-keep-when-no-todo", "t")
	set(5, "org-tags-sort-function", "string<")
	set(5, "org-clock-into-drawer", "nil", `"CLOCKS"`)
	set(4, "org-archive-mark-done", "t", `"DONE"`)
	set(4, "org-todo-state-tags-triggers", `(("DONE" ("a") ("fin" . t)) (todo ("b")) ("" ("c")))`)
	set(4, "org-provide-todo-statistics", "nil")
	set(4, "org-use-property-inheritance", "t", `("REPEAT_TO_STATE")`)
	set(4, "org-use-tag-inheritance", "nil", `"^w"`)
	set(4, "org-archive-location", `"::* Old things"`, `"%s_archive::datetree/* Tasks"`)
	set(4, "org-priority-lowest", "68")
	if g.chance(8) {
		vars["org-enforce-todo-dependencies"] = "t"
		vars["org-blocker-hook"] = "(org-block-todo-from-children-or-siblings-or-parent)"
	}
	return vars
}

func (g *caseGenerator) header(vars map[string]string) {
	if g.chance(8) {
		g.write(":PROPERTIES:\n:ID:       file\n:END:")
	}
	if g.chance(10) {
		g.write("#+TITLE: a file")
	}
	if g.chance(20) {
		delete(vars, "org-todo-keywords")
		g.write("#+TODO: OPEN(o) WIP(w!) | CLOSED(c!) DROPPED")
		g.states = []string{"OPEN", "WIP", "CLOSED", "DROPPED"}
	}
	if g.chance(8) {
		g.write("#+STARTUP: " + g.pick("logdone", "logdrawer", "lognotedone", "nologrepeat", "odd"))
	}
	if g.chance(8) {
		g.write("#+FILETAGS: :ft:")
	}
	if g.chance(8) {
		g.write("#+ARCHIVE: " + g.pick("::* Old", "a.org::", "a.org::* From %s", "%s_archive::datetree/"))
	}
	if g.chance(6) {
		g.write("#+CATEGORY: cat")
	}
	if g.chance(25) {
		g.write(g.pick("", "some text", "some text\n"))
	}
}

func (g *caseGenerator) day(open, end string) string {
	month, day := 1+g.IntN(12), 1+g.IntN(28)
	date := fmt.Sprintf("%d-%02d-%02d", 2025+g.IntN(2), month, day)
	return open + date + " " + weekday(date) + end
}

func (g *caseGenerator) cookies() string {
	return g.pick("", "", "", " 09:30", " 14:00-15:30", " +1w", " ++2d", " .+1m", " +1y", " -3d", " ++1w -2d", " 10:00 .+2d/4d", " 08:00 ++3h", " --1d")
}

func (g *caseGenerator) entry(level, n int) {
	title := g.pick("alpha", "beta gamma", "a/b", "naïve", "TODO", "[[https://example.org][a link]]", "日本語", "x") + fmt.Sprint(" ", n)
	heading := strings.Repeat("*", level) + g.pick(" ", " ", " ", "  ")
	if g.chance(65) {
		heading += g.pick(g.states...) + " "
	}
	if g.chance(15) {
		heading += "[#" + g.pick("A", "B", "C") + "] "
	}
	if g.chance(3) && !g.neverComment {
		heading += "COMMENT "
	}
	if g.chance(15) && !g.inline { // Emacs recounts the inline task above instead of the heading
		title += g.pick(" [0/0]", " [1/3]", " [50%]", " [/]", " [%]")
	}
	heading += title
	g.titles = append(g.titles, title)
	if g.chance(30) {
		heading += g.pick(" ", "    ", strings.Repeat(" ", max(1, 70-len(heading)))) + g.pick(":a:", ":b:c:", ":work:@home:", ":ARCHIVE:")
	} else if g.chance(5) {
		heading += "  "
	}
	g.write(heading)
	margin := g.pick("", "", "", "  ", strings.Repeat(" ", level+1))
	if g.chance(40) {
		var items []string
		if g.chance(30) {
			items = append(items, "CLOSED: "+g.day("[", " 10:00]"))
		}
		if g.chance(50) {
			items = append(items, "DEADLINE: "+g.day("<", g.cookies()+">"))
		}
		if len(items) == 0 || g.chance(60) {
			items = append(items, "SCHEDULED: "+g.day("<", g.cookies()+">"))
		}
		g.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
		g.write(margin + strings.Join(items, " "))
	}
	if g.chance(35) {
		g.properties(margin)
	}
	if g.chance(20) {
		g.logbook(margin)
	}
	g.body(margin)
	if g.inline {
		g.inlineTask()
		g.body(margin)
	}
}

// inlineTask writes an inline task, with text and without.
func (g *caseGenerator) inlineTask() {
	stars := strings.Repeat("*", 29)
	g.write(stars + " " + g.pick("", "TODO ", "DONE ") + g.pick("call", "a task"))
	switch g.IntN(4) {
	case 0:
		return
	case 1:
		g.write("DEADLINE: " + g.day("<", ">") + "\n:PROPERTIES:\n:Effort: 1h\n:END:")
	case 2:
		g.write("text of the task\n- [ ] with a box")
	}
	g.write(stars + " END")
}

func (g *caseGenerator) properties(margin string) {
	g.write(margin + ":PROPERTIES:")
	for range g.IntN(4) {
		g.write(margin + g.pick(":Effort:   1h", ":ID: "+fmt.Sprint(g.IntN(1000)), ":OWNER: me", ":OWNER+: you", ":COOKIE_DATA: recursive", ":ORDERED: t",
			":LOGGING: nil", ":LOG_INTO_DRAWER: t", ":CATEGORY: own", ":ARCHIVE: b.org::* Done", ":REPEAT_TO_STATE: "+g.states[0]))
	}
	g.write(margin + ":END:")
}

func (g *caseGenerator) logbook(margin string) {
	g.write(margin + ":" + g.pick("LOGBOOK", "LOGBOOK", "HISTORY") + ":")
	for range g.IntN(3) {
		g.write(margin + g.pick("CLOCK: [2026-01-05 Mon 09:00]--[2026-01-05 Mon 10:30] =>  1:30", `- State "DONE"       from "TODO"       [2026-01-02 Fri 10:00]`,
			"- Note taken on [2026-01-02 Fri 10:00] \\\\\n"+margin+"  some text"))
	}
	g.write(margin + ":END:")
}

func (g *caseGenerator) body(margin string) {
	for range g.IntN(3) {
		switch g.IntN(7) {
		case 0:
			g.write("")
		case 1:
			g.write(margin + "plain text")
		case 2:
			for range 1 + g.IntN(3) {
				g.boxes = append(g.boxes, g.lines+1)
				g.write(margin + "- [" + g.pick(" ", "X") + "] item")
			}
		case 3:
			g.write("#+begin_src org\n,* not a heading\n<2026-01-01 Thu +1w>\n#+end_src")
		case 4:
			g.write(margin + "event " + g.day("<", g.pick("", "", " +1w", " ++1m")+">"))
		case 5:
			g.write(g.pick(margin+"- item\n"+margin+"- item", margin+"- parent [0/2]\n"+margin+"  - [ ] one\n"+margin+"  - [X] two", "Steps:\n1. first\n2. second\n   more"))
		case 6:
			g.write("| a | 1 |\n| b | 2 |")
		}
	}
	if g.chance(15) {
		g.write("")
	}
}

func argument(v any) json.RawMessage {
	b, _ := json.Marshal(v)
	return b
}

func (g *caseGenerator) title() *location {
	return &location{Title: g.titles[g.IntN(len(g.titles))]}
}

func (g *caseGenerator) date() json.RawMessage {
	return argument(g.pick("2026-02-01", "2026-02-01 14:00", "2026-03-05 09:00-10:00", "+2d", "fri", "+1w", "2026-01-07", "++3d", "-1d", "+2wed"))
}

func (g *caseGenerator) operation() operation {
	op := operation{Where: g.title()}
	switch g.IntN(29) {
	case 0, 1, 2, 3, 4, 5:
		op.Op, op.Arg = "todo", argument(g.pick(append(g.states, g.states[len(g.states)-1], "")...))
	case 6, 7:
		op.Op, op.Arg, op.Note = "todo-note", argument(g.pick(g.states...)), g.note()
	case 8:
		op.Op, op.Arg = "schedule", g.date()
	case 9:
		op.Op, op.Arg = "deadline", g.date()
	case 10:
		op.Op, op.Arg = g.pick("schedule", "deadline"), argument(nil)
	case 11:
		op.Op, op.Key, op.Arg = "set-property", g.pick("Effort", "NEW", "OWNER", "A_VERY_LONG_NAME"), argument(g.pick("1:00", "two words", ""))
		if op.Key == "Effort" {
			op.Arg = argument(g.pick("1:00", "0:30"))
		}
		if g.chance(15) && g.out.String()[0] != '*' {
			op.Where = &location{File: true}
		}
	case 12:
		op.Op, op.Key, op.Arg = "delete-property", g.pick("Effort", "OWNER", "ID", "NONE"), argument(nil)
	case 13:
		op.Op = "id-get-create"
	case 14:
		op.Op, op.Arg = "set-tags", argument([][]string{{}, {"x"}, {"b", "a"}, {"work", "y", "z"}}[g.IntN(4)])
	case 15:
		op.Op, op.Arg = "priority", argument(g.pick("A", "B", "C", ""))
	case 16:
		op.Op, op.Arg = "edit-headline", argument(g.pick("A new title", "short", "日本 title"))
	case 17:
		op.Op = g.pick("comment", "archive-tag")
	case 18:
		op.Op = "archive"
	case 19:
		op.Op = g.pick("archive-sibling", "archive")
	case 20:
		op.Op = g.pick("promote", "demote")
	case 21:
		op.Op, op.Target = "refile", g.title()
	case 22:
		op.Op = "refile-file-top"
	case 23:
		op.Op = "clock-in"
	case 24:
		op.Op, op.Note = "note", g.note()
	case 26, 27:
		op.Op, op.Where, op.Initial = "capture", nil, "caught"
		op.Template = &template{Type: "entry", Target: &captureTarget{Headline: g.titles[g.IntN(len(g.titles))]}, Text: "* TODO %i\n%U\ntext"}
		switch g.IntN(4) {
		case 0:
			if g.inline { // Emacs puts some items behind the inline task, some in front
				break
			}
			op.Template.Type, op.Template.Text = "item", g.pick("- %i", "%i\nmore")
		case 1:
			op.Template.Text = "* %i :x:\n** below"
		}
		// Emacs makes the old items of an indented list children of a new first one.
		op.Template.Prepend = op.Template.Type == "entry" && g.chance(30) && !g.inline // of blank lines it then puts another number
		if g.chance(20) {
			op.Template.EmptyLines = 1
		}
	case 28:
		// Not SCHEDULED and DEADLINE: of an entry without text Emacs changes the next one.
		op.Op, op.Key = "set-property", g.pick("TODO", "PRIORITY")
		op.Arg = map[string]json.RawMessage{"TODO": argument(g.pick(g.states...)), "PRIORITY": argument("A")}[op.Key]
	case 25:
		if len(g.boxes) == 0 {
			op.Op = "clock-in"
			break
		}
		op.Op, op.Where = "toggle-checkbox", &location{Line: g.boxes[g.IntN(len(g.boxes))]}
	}
	return op
}

func weekday(date string) string {
	t, err := time.Parse("2006-01-02", date)
	if err != nil {
		return ""
	}
	return t.Format("Mon")
}

func (g *caseGenerator) note() *string {
	note := g.pick("why", "two\nlines", "")
	return &note
}
