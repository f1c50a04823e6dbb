// Package orgvars maps Emacs's variables, as Lisp data, to the settings of the
// same names. It evaluates nothing: a value that is code is an error that names
// the variable. The configuration of a source and the import from a running Emacs
// use it. Start reading at [Set].
package orgvars

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/lectern-mcp/lectern/tools/org/internal/lispdata"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

// ErrUnknown is returned for a variable that no setting stands for.
var ErrUnknown = errors.New("no setting for this Emacs variable")

// maxLevel is the highest level that inline tasks may begin at.
const maxLevel = 1000

var errKind = errors.New("the value is not of a kind that is understood")

// Names lists the variables that settings stand for, and those of which only the default
// value is followed.
func Names() []string {
	return append(defaultNames(), []string{
		"org-odd-levels-only", "org-auto-align-tags", "org-group-tags", "org-adapt-indentation", "org-log-states-order-reversed",
		"org-closed-keep-when-no-todo", "org-clock-out-when-done", "org-clock-out-remove-zero-time-clocks",
		"org-enforce-todo-dependencies", "org-enforce-todo-checkbox-dependencies",
		"org-provide-todo-statistics", "org-archive-reversed-order", "org-reverse-note-order",
		"org-log-done", "org-log-repeat", "org-log-reschedule", "org-log-redeadline", "org-log-refile",
		"org-log-into-drawer", "org-clock-into-drawer", "org-use-tag-inheritance", "org-use-property-inheritance",
		"org-tag-alist", "org-tag-persistent-alist", "org-todo-keywords", "org-todo-state-tags-triggers",
		"org-tags-exclude-from-inheritance", "org-archive-save-context-info", "org-tags-column", "org-priority-highest",
		"org-priority-lowest", "org-priority-default", "org-archive-location", "org-archive-file-header-format", "org-footnote-section",
		"org-archive-mark-done", "org-todo-repeat-to-state", "org-tags-sort-function",
		"org-agenda-skip-scheduled-if-done", "org-agenda-skip-deadline-if-done", "org-agenda-skip-timestamp-if-done",
		"org-deadline-warning-days", "org-deadline-past-days", "org-scheduled-past-days", "org-agenda-start-on-weekday",
		"org-agenda-show-future-repeats", "org-modules", "org-capture-templates", "org-inlinetask-min-level",
		"org-property-format",
	}...)
}

// Set gives the setting that the variable name stands for its value, which is
// source, printed Lisp data.
func Set(s *orgfile.Settings, name, source string) error {
	v, err := lispdata.Read(source)
	if err == nil {
		err = set(s, name, v)
	}
	if err != nil {
		return fmt.Errorf("%s = %s: %w", name, source, err)
	}
	return nil
}

func set(s *orgfile.Settings, name string, v lispdata.Value) error {
	if p := boolSetting(s, name); p != nil {
		if v.Kind == lispdata.List && !v.Nil() || v.Is("all-headlines") { // for some states, files or headlines only
			return errOther
		}
		*p = !v.Nil()
		return nil
	}
	if p := logSetting(s, name); p != nil {
		return setLog(p, v)
	}
	if p := drawerSetting(s, name); p != nil {
		*p = ""
		switch {
		case v.Kind == lispdata.String:
			*p = v.Text
		case v.Nil():
		case v.Kind == lispdata.Integer:
			*p = strconv.Itoa(v.Int)
		case name == "org-clock-into-drawer":
			*p = orgfile.AnyDrawer
		default:
			*p = "LOGBOOK"
		}
		return nil
	}
	if p := inheritanceSetting(s, name); p != nil {
		return setInheritance(p, v)
	}
	if p := tagsSetting(s, name); p != nil {
		return setTags(p, v)
	}
	return setOther(s, name, v)
}

func boolSetting(s *orgfile.Settings, name string) *bool {
	switch name {
	case "org-odd-levels-only":
		return &s.OddLevels
	case "org-auto-align-tags":
		return &s.AutoAlignTags
	case "org-group-tags":
		return &s.GroupTags
	case "org-adapt-indentation":
		return &s.AdaptIndentation
	case "org-log-states-order-reversed":
		return &s.NewestNoteFirst
	case "org-closed-keep-when-no-todo":
		return &s.KeepClosedWithout
	case "org-clock-out-remove-zero-time-clocks":
		return &s.RemoveZeroClocks
	case "org-clock-out-when-done":
		return &s.ClockOutWhenDone
	case "org-enforce-todo-dependencies":
		return &s.EnforceDependency
	case "org-enforce-todo-checkbox-dependencies":
		return &s.EnforceCheckboxes
	case "org-provide-todo-statistics":
		return &s.Statistics
	case "org-archive-reversed-order":
		return &s.ArchiveReversed
	case "org-reverse-note-order":
		return &s.ReverseNotes
	case "org-agenda-skip-scheduled-if-done":
		return &s.Agenda.SkipScheduledDone
	case "org-agenda-skip-deadline-if-done":
		return &s.Agenda.SkipDeadlineDone
	case "org-agenda-skip-timestamp-if-done":
		return &s.Agenda.SkipTimestampDone
	}
	return nil
}

func logSetting(s *orgfile.Settings, name string) *orgfile.LogMode {
	switch name {
	case "org-log-done":
		return &s.LogDone
	case "org-log-repeat":
		return &s.LogRepeat
	case "org-log-reschedule":
		return &s.LogReschedule
	case "org-log-redeadline":
		return &s.LogRedeadline
	case "org-log-refile":
		return &s.LogRefile
	}
	return nil
}

func setLog(p *orgfile.LogMode, v lispdata.Value) error {
	switch {
	case v.Nil():
		*p = orgfile.LogNothing
	case v.Is("note"):
		*p = orgfile.LogNote
	case v.Kind == lispdata.Symbol: // time, state, t
		*p = orgfile.LogTime
	default:
		return errKind
	}
	return nil
}

func drawerSetting(s *orgfile.Settings, name string) *string {
	switch name {
	case "org-log-into-drawer":
		return &s.LogDrawer
	case "org-clock-into-drawer":
		return &s.ClockDrawer
	}
	return nil
}

func inheritanceSetting(s *orgfile.Settings, name string) *orgfile.Inheritance {
	switch name {
	case "org-use-tag-inheritance":
		return &s.TagInheritance
	case "org-use-property-inheritance":
		return &s.PropertyInheritance
	}
	return nil
}

func setInheritance(p *orgfile.Inheritance, v lispdata.Value) error {
	*p = orgfile.Inheritance{}
	switch v.Kind {
	case lispdata.Symbol:
		p.All = true
	case lispdata.String:
		re, err := regexp.Compile(v.Text)
		if err != nil {
			return err
		}
		p.Match = re
	case lispdata.List:
		p.Names = texts(v)
	case lispdata.Integer:
		return errKind
	}
	return nil
}

func tagsSetting(s *orgfile.Settings, name string) *[]orgfile.TagOption {
	switch name {
	case "org-tag-alist":
		return &s.Tags
	case "org-tag-persistent-alist":
		return &s.PersistentTags
	}
	return nil
}

var tagBorders = map[string]orgfile.TagBorder{
	":startgroup": orgfile.TagGroupStart, ":endgroup": orgfile.TagGroupEnd, ":startgrouptag": orgfile.TagHierarchyStart,
	":endgrouptag": orgfile.TagHierarchyEnd, ":grouptags": orgfile.TagMembers, ":newline": orgfile.TagNewline,
}

func setTags(p *[]orgfile.TagOption, v lispdata.Value) error {
	*p = nil
	for _, item := range v.Items {
		head := item
		if item.Kind == lispdata.List && len(item.Items) > 0 {
			head = item.Items[0]
		}
		t := orgfile.TagOption{Name: head.Text}
		if head.Kind == lispdata.Symbol {
			border, ok := tagBorders[head.Text]
			if !ok {
				return errKind
			}
			t = orgfile.TagOption{Border: border}
		} else if head.Kind != lispdata.String {
			return errKind
		}
		if item.Tail != nil && item.Tail.Kind == lispdata.Integer {
			t.Key = rune(item.Tail.Int)
		}
		*p = append(*p, t)
	}
	return nil
}

func setOther(s *orgfile.Settings, name string, v lispdata.Value) error {
	switch name {
	case "org-todo-keywords":
		return setTodo(s, v)
	case "org-todo-state-tags-triggers":
		return setTriggers(s, v)
	case "org-tags-exclude-from-inheritance":
		s.TagsExcluded = texts(v)
	case "org-archive-save-context-info":
		s.ArchiveContext = texts(v)
	case "org-tags-column", "org-priority-highest", "org-priority-lowest", "org-priority-default":
		if v.Kind != lispdata.Integer {
			return errKind
		}
		*map[string]*int{
			"org-tags-column": &s.TagsColumn, "org-priority-highest": &s.PriorityHighest,
			"org-priority-lowest": &s.PriorityLowest, "org-priority-default": &s.PriorityDefault,
		}[name] = v.Int
	case "org-archive-location", "org-archive-file-header-format", "org-footnote-section", "org-archive-mark-done", "org-todo-repeat-to-state",
		"org-tags-sort-function":
		if v.Kind != lispdata.String && v.Kind != lispdata.Symbol && !v.Nil() {
			return errKind
		}
		*map[string]*string{
			"org-archive-location": &s.ArchiveLocation, "org-archive-file-header-format": &s.ArchiveHeader, "org-footnote-section": &s.Footnotes,
			"org-archive-mark-done": &s.ArchiveMarkDone, "org-todo-repeat-to-state": &s.RepeatToState, "org-tags-sort-function": &s.SortTags,
		}[name] = v.Text
	case "org-deadline-warning-days", "org-deadline-past-days", "org-scheduled-past-days":
		if v.Kind != lispdata.Integer {
			return errKind
		}
		*map[string]*int{
			"org-deadline-warning-days": &s.Agenda.WarningDays, "org-deadline-past-days": &s.Agenda.DeadlineOverdueDays,
			"org-scheduled-past-days": &s.Agenda.ScheduledOverdueDays,
		}[name] = v.Int
	case "org-agenda-start-on-weekday":
		if s.Agenda.StartWeekday = -1; v.Kind == lispdata.Integer {
			s.Agenda.StartWeekday = v.Int
		}
	case "org-agenda-show-future-repeats":
		if v.Is("next") {
			return errKind
		}
		s.Agenda.SkipRepeat = v.Nil()
	case "org-inlinetask-min-level":
		if !v.Nil() && (v.Kind != lispdata.Integer || v.Int < 2 || v.Int > maxLevel) {
			return errKind
		}
		s.InlineTasks = v.Int
	case "org-modules":
		s.Agenda.Habits = slices.Contains(texts(v), "org-habit")
	case "org-capture-templates":
		return setCapture(s, v)
	case "org-property-format":
		if v.Kind != lispdata.String || !propertyFormat.MatchString(v.Text) {
			return errKind
		}
		s.PropertyFormat = v.Text
	case "org-blocker-hook": // set by Emacs along with org-enforce-todo-dependencies
	default:
		return checkDefault(name, v)
	}
	return nil
}

// propertyFormat has a directive for the key and one for the value, at most 3 digits wide.
var propertyFormat = regexp.MustCompile(`^(?:[^%\n]|%%)*%-?[0-9]{0,3}s(?:[^%\n]|%%)*[ \t](?:[^%\n]|%%)*%-?[0-9]{0,3}s(?:[^%\n]|%%)*$`)

func texts(v lispdata.Value) []string {
	var out []string
	for _, item := range v.Items {
		out = append(out, item.Text)
	}
	return out
}

func setTodo(s *orgfile.Settings, v lispdata.Value) error {
	var lines []orgfile.TodoLine
	if len(v.Items) > 0 && v.Items[0].Kind == lispdata.String {
		v = lispdata.Value{
			Kind: lispdata.List, Items: []lispdata.Value{{Kind: lispdata.List, Items: slices.Insert(v.Items, 0, lispdata.Value{Text: "sequence"})}},
		}
	}
	for _, set := range v.Items {
		if set.Kind != lispdata.List || len(set.Items) == 0 || set.Items[0].Kind != lispdata.Symbol {
			return errKind
		}
		lines = append(lines, orgfile.TodoLine{Type: set.Items[0].Text, Words: texts(lispdata.Value{Items: set.Items[1:]})})
	}
	s.Todo = orgfile.ParseTodo(lines)
	return nil
}

func setTriggers(s *orgfile.Settings, v lispdata.Value) error {
	s.TagTriggers = nil
	for _, trigger := range v.Items {
		if len(trigger.Items) == 0 {
			return errKind
		}
		state := trigger.Items[0]
		for _, change := range trigger.Items[1:] {
			if len(change.Items) == 0 || change.Items[0].Kind != lispdata.String {
				return errKind
			}
			s.TagTriggers = append(s.TagTriggers, orgfile.TagTrigger{
				State: state.Text, Kind: state.Kind == lispdata.Symbol, Tag: change.Items[0].Text,
				Add: len(change.Items) > 1 || change.Tail != nil && !change.Tail.Nil(),
			})
		}
	}
	return nil
}
