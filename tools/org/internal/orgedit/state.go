package orgedit

import (
	"fmt"
	"slices"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

// A stateEdit changes TODO states.
type stateEdit struct{ clockEdit }

// A BlockedError says what keeps an entry from being done.
type BlockedError struct {
	By       string // the heading that is not done; "" for a check box
	Checkbox bool
}

func (e *BlockedError) Error() string {
	if e.Checkbox {
		return "state change is blocked: the entry has unchecked boxes"
	}
	return fmt.Sprintf("state change is blocked by %q, which is not done", e.By)
}

// An UnknownStateError says that a state is no keyword of the file.
type UnknownStateError struct {
	State string
	Known []string
}

func (e *UnknownStateError) Error() string {
	return fmt.Sprintf("state %q is not a TODO keyword of this file; known are %v", e.State, e.Known)
}

// SetState gives headline i a TODO keyword, or none for "". It does all that
// Emacs does at a change of state: CLOSED, records, repeaters, tags, statistics
// cookies, clocking out. note is the text of a record where the keywords ask for
// a note; with nil such a record is left out. A *BlockedError or an
// *UnknownStateError leaves the text as it was.
func (d *Draft) SetState(i int, state string, note *string) error {
	return d.setState(d.at(i), state, note)
}

func (d *stateEdit) setState(at int, state string, note *string) error {
	pos, release := d.anchor(at)
	defer release()
	record, err := d.changeState(*pos, state)
	if err != nil {
		return err
	}
	d.storeNote(*pos, record, note)
	return nil
}

// changeState changes the state of the entry at at and returns the record that
// is to be written afterwards.
func (d *stateEdit) changeState(at int, state string) (*logNote, error) {
	settings := d.settings
	defer func() { d.settings = settings }()
	todo := &d.settings.Todo
	if state != "" && !todo.Contains(state) {
		return nil, &UnknownStateError{state, append(todo.Names(false), todo.Names(true)...)}
	}
	pos, release := d.anchor(at)
	defer release()
	commented := d.heading(at).Commented
	if commented {
		d.toggleComment(at)
	}
	old := d.keyword(at) // behind COMMENT a keyword is a word of the title
	if err := d.checkBlockers(at, old, state); err != nil {
		if commented {
			d.toggleComment(at)
		}
		return nil, err
	}
	if logging, ok := d.inherited(at, "LOGGING"); ok {
		d.settings.ApplyLogging(logging)
	}
	nowDone := todo.IsFinal(state) && !todo.IsFinal(old)
	d.replaceKeyword(at, state)
	record := d.logState(at, old, state, nowDone)
	d.applyTagTriggers(at, state)
	d.autoAlign(at)
	if d.settings.Statistics {
		d.updateParents(at)
		at = *pos
	}
	if d.settings.ClockOutWhenDone && todo.IsFinal(state) {
		d.clockOutIn(at)
	}
	if nowDone {
		var err error
		if record, err = d.repeat(at, old, state, record); err != nil {
			return nil, err
		}
		at = *pos
	}
	if commented {
		d.toggleComment(at)
	}
	return record, nil
}

// replaceKeyword puts state behind the stars, with one space on each side.
func (d *stateEdit) replaceKeyword(at int, state string) {
	h := d.heading(at)
	start := at + h.Stars
	end := start
	if h.Keyword.Empty() {
		for end < len(d.text) && d.text[end] == ' ' {
			end++
		}
		if line := d.lineEnd(at); end < line && d.blanksEnd(start) == line && end == start {
			end = line
		}
	} else {
		end = at + int(h.Keyword.End)
		if end < len(d.text) && d.text[end] == ' ' {
			for end < len(d.text) && d.text[end] == ' ' {
				end++
			}
		} else if line := d.lineEnd(at); d.blanksEnd(end) == line {
			end = line
		}
	}
	added := " "
	if state != "" {
		added = " " + state + " "
	}
	d.replace(start, end, added)
}

// logState changes CLOSED and returns the record of the change, nil for none.
func (d *stateEdit) logState(at int, old, state string, nowDone bool) *logNote {
	s := &d.settings
	todo := &s.Todo
	if s.LogDone == orgfile.LogNothing && !todo.HasLogFlags() {
		return nil
	}
	open := func(k string) bool { return k != "" && !todo.IsFinal(k) }
	if state == "" && !s.KeepClosedWithout || open(state) && !open(old) {
		d.addPlanning(at, "", "", orgfile.Closed)
	}
	mode, _ := todo.Logs(state)
	if mode == orgfile.LogNothing {
		_, mode = todo.Logs(old)
	}
	var record *logNote
	if nowDone && s.LogDone != orgfile.LogNothing {
		d.addPlanning(at, orgfile.Closed, d.now())
		if mode == orgfile.LogNothing && s.LogDone == orgfile.LogNote {
			record = &logNote{purpose: "done", state: state, previous: old, mode: orgfile.LogNote}
		}
	}
	if state != "" && mode != orgfile.LogNothing {
		record = &logNote{purpose: "state", state: state, previous: old, mode: mode}
	}
	return record
}

func (d *stateEdit) applyTagTriggers(at int, state string) {
	todo := &d.settings.Todo
	// Triggers of the keyword itself come before those of its kind.
	for _, kind := range []bool{false, true} {
		for _, t := range d.settings.TagTriggers {
			switch {
			case t.Kind != kind:
			case !kind && t.State == state,
				kind && t.State == "todo" && state != "" && !todo.IsFinal(state),
				kind && t.State == "done" && todo.IsFinal(state):
				d.toggleTag(at, t.Tag, t.Add)
			}
		}
	}
}

// checkBlockers returns a *BlockedError if dependencies are enforced and the
// entry may not be done yet.
func (d *stateEdit) checkBlockers(at int, old, state string) error {
	todo := &d.settings.Todo
	if d.set(at, "NOBLOCKING") {
		return nil
	}
	if d.settings.EnforceDependency && !todo.IsFinal(old) && todo.IsFinal(state) {
		end := d.subtreeEnd(at)
		for child := d.nextHeading(at); child < end; child = d.nextHeading(child) {
			if k := d.keyword(child); k != "" && !todo.IsFinal(k) {
				return &BlockedError{By: d.title(child)}
			}
		}
		if err := d.checkOrder(at); err != nil {
			return err
		}
	}
	if d.settings.EnforceCheckboxes && !todo.IsFinal(old) && todo.IsFinal(state) {
		end := d.nextHeading(at)
		for line := d.nextLine(at); line < end; line = d.nextLine(line) {
			if box := checkbox().FindSubmatch(d.line(line)); box != nil && string(box[2]) != "X" {
				return &BlockedError{Checkbox: true}
			}
		}
	}
	return nil
}

// checkOrder looks for open entries in front of this one below a parent that is
// ORDERED, and likewise for each ancestor that is a task.
func (d *stateEdit) checkOrder(at int) error {
	todo := &d.settings.Todo
	for first := true; ; first = false {
		parent := d.parent(at)
		if !first && (d.keyword(at) == "" || todo.IsFinal(d.keyword(at))) || parent < 0 {
			return nil
		}
		if d.set(parent, "ORDERED") {
			for line := d.nextHeading(parent); line < at; line = d.nextHeading(line) {
				if k := d.keyword(line); k != "" && !todo.IsFinal(k) {
					return &BlockedError{By: d.title(line)}
				}
			}
		}
		at = parent
	}
}

func (d *outline) title(at int) string { return d.part(at, d.heading(at).Title) }

// States returns the keywords that headline i may be given, open ones first.
func (d *Draft) States() []string {
	return slices.Concat(d.settings.Todo.Names(false), d.settings.Todo.Names(true))
}
