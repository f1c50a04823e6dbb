package orgfile

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Quirks names the version of Org whose reading and writing is followed where
// versions differ.
type Quirks string

// The zero value follows Org main, where it fixed what Org 9.5 got wrong.
const (
	OrgMain Quirks = ""
	Org95   Quirks = "9.5"
)

// A LogMode says what is recorded of an event.
type LogMode uint8

// The kinds of records that Org keeps of an event.
const (
	LogNothing LogMode = iota
	LogTime            // a line with a timestamp
	LogNote            // the same and a note
)

// Settings are the Emacs variables that decide how Org files are read and
// edited, under names that follow theirs. Those of a File have its keywords
// ("#+TODO:", "#+STARTUP:" and so on) applied. Settings are shared between files
// and must not be changed once in use.
type Settings struct {
	Quirks Quirks

	Todo            TodoKeywords
	PriorityHighest int // a letter's code, or a number up to 64
	PriorityLowest  int
	PriorityDefault int

	OddLevels      bool
	InlineTasks    int  // level from which on a heading line is an inline task, part of the text around it; 0: none is
	TagsColumn     int  // negative: the column where tags end
	AutoAlignTags  bool // after each change of a headline
	SortTags       string
	TagInheritance Inheritance
	TagsExcluded   []string // never inherited
	FileTags       []string
	Tags           []TagOption // org-tag-alist, or the file's own
	PersistentTags []TagOption
	GroupTags      bool

	Category            string // of "#+CATEGORY:", "" for none
	Properties          []Property
	PropertyFormat      string // of Emacs, for key and value
	PropertyInheritance Inheritance

	AdaptIndentation   bool
	LogDone            LogMode
	LogRepeat          LogMode
	LogReschedule      LogMode
	LogRedeadline      LogMode
	LogRefile          LogMode
	LogDrawer          string // "" for notes in the entry's text
	ClockDrawer        string // likewise for clock lines; a number: so many lines make one
	RemoveZeroClocks   bool   // remove a clock line of no time
	NewestNoteFirst    bool
	KeepClosedWithout  bool   // keep CLOSED when the keyword is removed
	RepeatToState      string // "t" stands for the state before
	ClockOutWhenDone   bool
	EnforceDependency  bool
	EnforceCheckboxes  bool
	TagTriggers        []TagTrigger
	Statistics         bool // update the cookies of parents
	RecursiveStatistic bool

	ArchiveLocation string
	ArchiveHeader   string // "%s" stands for the source's path
	ArchiveContext  []string
	ArchiveReversed bool
	ArchiveMarkDone string // "t" for the first final state, "" for none
	ReverseNotes    bool   // put refiled and captured entries first
	Footnotes       string // title of the footnote section
	Title           string

	Agenda AgendaSettings

	Capture []CaptureTemplate
}

// AnyDrawer as ClockDrawer stands for the drawer of records, or LOGBOOK where
// records have none.
const AnyDrawer = "t"

// DefaultSettings are Emacs's own defaults.
func DefaultSettings() Settings {
	return Settings{
		Todo:                ParseTodo([]TodoLine{{"sequence", []string{"TODO", "DONE"}}}),
		PriorityHighest:     'A',
		PriorityLowest:      'C',
		PriorityDefault:     'B',
		TagsColumn:          -77,
		AutoAlignTags:       true,
		TagInheritance:      Inheritance{All: true},
		GroupTags:           true,
		PropertyInheritance: Inheritance{},
		LogRepeat:           LogTime,
		ClockDrawer:         AnyDrawer,
		PropertyFormat:      "%-10s %s",
		NewestNoteFirst:     true,
		ClockOutWhenDone:    true,
		Statistics:          true,
		ArchiveLocation:     "%s_archive::",
		ArchiveHeader:       "\nArchived entries from file %s\n\n",
		ArchiveContext:      []string{"time", "file", "olpath", "category", "todo", "itags"},
		Footnotes:           "Footnotes",
		Agenda:              defaultAgenda(),
		Capture:             DefaultCapture(),
	}
}

// InlineStars returns how many stars a line of an inline task has at least; 0 says
// that there are no inline tasks.
func (s *Settings) InlineStars() int {
	if s.OddLevels && s.InlineTasks > 0 {
		return 2*s.InlineTasks - 1
	}
	return s.InlineTasks
}

// Inheritance says which names an entry takes over from its ancestors.
type Inheritance struct {
	All   bool
	Names []string       // compared without case
	Match *regexp.Regexp // nil for none
}

// Includes says whether name is inherited.
func (i Inheritance) Includes(name string) bool {
	return i.All || slices.ContainsFunc(i.Names, func(n string) bool {
		return strings.EqualFold(n, name)
	}) || i.Match != nil && i.Match.MatchString(name)
}

// A TagTrigger changes tags when an entry's state becomes State, which is a
// keyword, "todo" or "done" for any of a kind, or "" for none.
type TagTrigger struct {
	State string
	Kind  bool // State is a kind of state
	Tag   string
	Add   bool
}

// withKeywords returns s with a file's keyword lines applied.
func (s Settings) withKeywords(keywords []Keyword) Settings {
	var typ, seq, todo []TodoLine
	var tags []string
	fileTags := []string{}
	once := map[string]bool{}
	for _, k := range keywords {
		switch k.Key {
		case "TYP_TODO":
			typ = append(typ, TodoLine{"type", strings.Fields(k.Value)})
		case "TODO":
			todo = append(todo, TodoLine{"sequence", strings.Fields(k.Value)})
		case "SEQ_TODO":
			seq = append(seq, TodoLine{"sequence", strings.Fields(k.Value)})
		case "TAGS":
			tags = append(tags, k.Value)
		case "FILETAGS":
			for word := range strings.FieldsSeq(k.Value) {
				fileTags = append(fileTags, SplitTags(word)...)
			}
		case "STARTUP":
			for option := range strings.FieldsSeq(k.Value) {
				s.applyStartup(option)
			}
		case "PROPERTY":
			if name, value, ok := cutBlanks(k.Value); ok {
				s.Properties = updateProperties(slices.Clone(s.Properties), name, value)
			}
		default:
			if !once[k.Key] {
				once[k.Key] = true
				s.applyOnce(k)
			}
		}
	}
	if len(fileTags) > 0 {
		s.FileTags = fileTags
	}
	if len(tags) > 0 {
		s.Tags = ParseTags(tags)
	}
	if lines := append(append(typ, todo...), seq...); len(lines) > 0 {
		s.Todo = ParseTodo(lines)
	}
	return s
}

// applyOnce applies a keyword of which only the first in a file counts.
func (s *Settings) applyOnce(k Keyword) {
	switch k.Key {
	case "CATEGORY":
		s.Category = k.Value
		s.Properties = updateProperties(slices.Clone(s.Properties), "CATEGORY", k.Value)
	case "ARCHIVE":
		s.ArchiveLocation = k.Value
	case "TITLE":
		s.Title = k.Value
	case "PRIORITIES":
		if f := strings.Fields(k.Value); len(f) >= 3 {
			s.PriorityHighest, s.PriorityLowest, s.PriorityDefault = PriorityValue(f[0]), PriorityValue(f[1]), PriorityValue(f[2])
		}
	}
}

// PriorityValue reads a priority: a number of two digits at most, or the code of
// its first character.
func PriorityValue(text string) int {
	if n, err := strconv.Atoi(text); err == nil && n >= 0 {
		return n
	}
	for _, r := range text {
		return int(r)
	}
	return 0
}

// ApplyLogging applies the value of a LOGGING property: what it does not name is
// not recorded.
func (s *Settings) ApplyLogging(value string) {
	s.LogDone, s.LogRepeat = LogNothing, LogNothing
	s.Todo = s.Todo.withoutLogging()
	for word := range strings.FieldsSeq(value) {
		switch strings.ToLower(word) {
		case "logdone", "lognotedone", "nologdone", "logrepeat", "lognoterepeat", "nologrepeat":
			s.applyStartup(word)
		default:
			s.Todo.applyLogging(word)
		}
	}
}

func (s *Settings) applyStartup(option string) {
	switch strings.ToLower(option) {
	case "odd":
		s.OddLevels = true
	case "oddeven":
		s.OddLevels = false
	case "logdone":
		s.LogDone = LogTime
	case "lognotedone":
		s.LogDone = LogNote
	case "nologdone":
		s.LogDone = LogNothing
	case "logrepeat":
		s.LogRepeat = LogTime
	case "lognoterepeat":
		s.LogRepeat = LogNote
	case "nologrepeat":
		s.LogRepeat = LogNothing
	case "logdrawer":
		s.LogDrawer = "LOGBOOK"
	case "nologdrawer":
		s.LogDrawer = ""
	case "logstatesreversed":
		s.NewestNoteFirst = true
	case "nologstatesreversed":
		s.NewestNoteFirst = false
	case "logreschedule":
		s.LogReschedule = LogTime
	case "lognotereschedule":
		s.LogReschedule = LogNote
	case "nologreschedule":
		s.LogReschedule = LogNothing
	case "logredeadline":
		s.LogRedeadline = LogTime
	case "lognoteredeadline":
		s.LogRedeadline = LogNote
	case "nologredeadline":
		s.LogRedeadline = LogNothing
	case "logrefile":
		s.LogRefile = LogTime
	case "lognoterefile":
		s.LogRefile = LogNote
	case "nologrefile":
		s.LogRefile = LogNothing
	case "noptag":
		s.PersistentTags = nil
	case "fnlocal":
		s.Footnotes = ""
	}
}

// cutBlanks splits a line into its first word and the rest.
func cutBlanks(line string) (word, rest string, ok bool) {
	i := strings.IndexAny(line, " \t")
	if i < 0 {
		return line, "", false
	}
	return line[:i], strings.Trim(line[i:], " \t"), true
}
