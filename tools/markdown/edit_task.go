package markdown

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/structure"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/taskfields"
)

// A taskMarker ticks tasks as the Tasks plugin of the vault does.
type taskMarker struct {
	today    string
	filter   string // only tasks with it are those of the plugin
	done     bool   // a task gets the day on which it is done
	created  bool   // the next task gets today as the day on which it was made
	below    bool   // the next task comes below the one that is done
	dataview bool   // it writes fields of Dataview
	note     string // what was not done
}

// newTaskMarker reads the settings of the plugin; without it, no dates are added.
func newTaskMarker(n *Notebook) *taskMarker {
	m := &taskMarker{today: n.now().Format(time.DateOnly)}
	if n.layout != obsidianLayout {
		return m
	}
	data, err := n.settings(".obsidian/plugins/obsidian-tasks-plugin/data.json")
	set := struct {
		Filter  string `json:"globalFilter"`
		Format  string `json:"taskFormat"`
		Done    bool   `json:"setDoneDate"`
		Created bool   `json:"setCreatedDate"`
		Below   bool   `json:"recurrenceOnNextLine"`
	}{Done: true}
	if err != nil || json.Unmarshal(data, &set) != nil {
		return m
	}
	m.filter, m.done, m.created, m.below, m.dataview = set.Filter, set.Done, set.Created, set.Below, set.Format == "dataview"
	return m
}

// mark sets the state of a task: the character in its box, or the word of a block of Logseq,
// which begins with LATER again where others do. A task that recurs is followed by the next
// one.
func (m *taskMarker) mark(p *page, task structure.Task, done bool) []folder.Splice {
	state := folder.Splice{Start: task.Mark, End: task.Mark + len(task.State), New: stateOf(p, task, done)}
	if fields := taskfields.Parse("", task.State, task.Planning); done && !task.Done && fields.Recurrence != "" {
		m.note += fmt.Sprintf("The task on line %d recurs (%s): only Logseq moves its dates. ", task.Line, fields.Recurrence)
	}
	if task.Word || done == task.Done || !strings.Contains(task.Text, m.filter) {
		return []folder.Splice{state}
	}
	text := taskfields.WithoutDone(task.Text)
	fields := taskfields.Parse(task.Text, task.State, "")
	if done && m.done {
		text = taskfields.WithDone(text, m.today, m.dataview)
	}
	line := p.text[task.Start:task.End]
	at := strings.LastIndex(line, task.Text)
	if !done && !m.done || at < 0 {
		text = task.Text
	}
	all := []folder.Splice{state}
	if text != task.Text {
		all = append(all, folder.Splice{Start: task.Start + at, End: task.Start + at + len(task.Text), New: text})
	}
	if !done || fields.Recurrence == "" {
		return all
	}
	rule, ok := taskfields.ReadRule(fields.Recurrence)
	if !ok {
		m.note += fmt.Sprintf("The task on line %d was ticked, but no next one was made: Lectern does not know %q. ", task.Line,
			fields.Recurrence)
		return all
	}
	next := line[:task.Mark-task.Start] + " " + line[task.Mark-task.Start+len(task.State):at] + m.next(task.Text, fields, rule)
	if m.below {
		return append(all, folder.Splice{Start: task.End, End: task.End, New: "\n" + next})
	}
	return append([]folder.Splice{{Start: task.Start, End: task.Start, New: next + "\n"}}, all...)
}

// next is the text of the task after one that recurs.
func (m *taskMarker) next(text string, fields taskfields.Fields, rule taskfields.Rule) string {
	next := taskfields.Next(text, fields, rule, m.today)
	switch {
	case m.created && m.dataview:
		next += " [created:: " + m.today + "]"
	case m.created:
		next += " ➕ " + m.today
	}
	return next
}

// stateOf is the state that a task gets.
func stateOf(p *page, task structure.Task, done bool) string {
	switch {
	case task.Word && done:
		return "DONE"
	case task.Word && p.graph != nil && p.graph.Later:
		return "LATER"
	case task.Word:
		return "TODO"
	case done:
		return "x"
	}
	return " "
}
