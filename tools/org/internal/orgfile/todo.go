package orgfile

import (
	"slices"
	"strings"
)

// A TodoLine is one set of keywords as it is declared: by "#+TODO:", or by an
// element of org-todo-keywords.
type TodoLine struct {
	Type  string // "sequence" or "type"
	Words []string
}

// A TodoKeyword is one state.
type TodoKeyword struct {
	Name     string
	Declared string // as written, with its key and log flags: "WAIT(w@/!)"
	Enter    LogMode
	Leave    LogMode
}

// A TodoSet is the states that one line declares.
type TodoSet struct {
	Type     string // "sequence" or "type"
	Keywords []TodoKeyword
	Bar      int // how many keywords stand before "|"
}

// TodoKeywords are the states of a file, in sets.
type TodoKeywords struct {
	Sets []TodoSet
	all  []todoState
}

// todoState is one keyword, by its first set.
type todoState struct {
	name, head   string
	typ          string
	done         bool
	enter, leave LogMode
}

// ParseTodo reads declarations of states. Without "|" the last word of a line is
// its final state.
func ParseTodo(lines []TodoLine) TodoKeywords {
	var t TodoKeywords
	final := map[string]bool{}
	for _, line := range lines {
		set := parseTodoLine(line)
		if len(set.Keywords) == 0 {
			continue
		}
		for _, k := range set.Keywords[set.Bar:] {
			final[k.Name] = true
		}
		t.Sets = append(t.Sets, set)
	}
	if len(final) == 0 && len(t.Sets) > 0 {
		last := t.Sets[len(t.Sets)-1]
		final[last.Keywords[len(last.Keywords)-1].Name] = true
	}
	for _, set := range t.Sets {
		for _, k := range set.Keywords {
			if t.find([]byte(k.Name)) < 0 {
				t.all = append(t.all, todoState{k.Name, set.Keywords[0].Name, set.Type, final[k.Name], k.Enter, k.Leave})
			}
		}
	}
	return t
}

func parseTodoLine(line TodoLine) TodoSet {
	set := TodoSet{Type: line.Type, Bar: -1}
	for _, word := range line.Words {
		if word == "|" {
			if set.Bar < 0 {
				set.Bar = len(set.Keywords)
			}
			continue
		}
		k := TodoKeyword{Declared: word}
		k.Name, k.Enter, k.Leave = parseLogFlags(word)
		set.Keywords = append(set.Keywords, k)
	}
	if set.Bar < 0 {
		set.Bar = max(0, len(set.Keywords)-1)
	}
	return set
}

// parseLogFlags takes "WAIT(w@/!)" apart.
func parseLogFlags(word string) (name string, enter, leave LogMode) {
	open := strings.IndexByte(word, '(')
	if open < 0 || !strings.HasSuffix(word, ")") {
		return word, LogNothing, LogNothing
	}
	flags := word[open+1 : len(word)-1]
	if flags != "" && !strings.ContainsRune("!@/", rune(flags[0])) {
		flags = flags[1:]
	}
	in, out, _ := strings.Cut(flags, "/")
	return word[:open], logFlag(in), logFlag(out)
}

func logFlag(flag string) LogMode {
	switch flag {
	case "!":
		return LogTime
	case "@":
		return LogNote
	}
	return LogNothing
}

// find returns the index in all of a keyword, -1 if it is none.
func (t *TodoKeywords) find(word []byte) int {
	for i := range t.all {
		if string(word) == t.all[i].name {
			return i
		}
	}
	return -1
}

func (t *TodoKeywords) state(name string) *todoState {
	if i := t.find([]byte(name)); i >= 0 {
		return &t.all[i]
	}
	return nil
}

// Contains says whether name is a keyword.
func (t *TodoKeywords) Contains(name string) bool { return t.state(name) != nil }

// IsFinal says whether name is a keyword that stands for a final state.
func (t *TodoKeywords) IsFinal(name string) bool {
	s := t.state(name)
	return s != nil && s.done
}

// Head returns the first keyword of name's set, "" if name is no keyword.
func (t *TodoKeywords) Head(name string) string {
	if s := t.state(name); s != nil {
		return s.head
	}
	return ""
}

// IsType says whether name's set lists types of tasks, not steps.
func (t *TodoKeywords) IsType(name string) bool {
	s := t.state(name)
	return s != nil && s.typ == "type"
}

// Logs returns what is recorded when name is entered and left.
func (t *TodoKeywords) Logs(name string) (enter, leave LogMode) {
	if s := t.state(name); s != nil {
		return s.enter, s.leave
	}
	return LogNothing, LogNothing
}

// Names returns the keywords that are open or final, in their order.
func (t *TodoKeywords) Names(final bool) []string {
	var names []string
	for _, s := range t.all {
		if s.done == final {
			names = append(names, s.name)
		}
	}
	return names
}

// HasLogFlags says whether any keyword declares that its changes are recorded.
func (t *TodoKeywords) HasLogFlags() bool {
	return slices.ContainsFunc(t.all, func(s todoState) bool { return s.enter != LogNothing || s.leave != LogNothing })
}

func (t TodoKeywords) withoutLogging() TodoKeywords {
	t.all = slices.Clone(t.all)
	for i := range t.all {
		t.all[i].enter, t.all[i].leave = LogNothing, LogNothing
	}
	return t
}

// applyLogging sets the log flags of one keyword from a word like "WAIT(@/!)".
func (t *TodoKeywords) applyLogging(word string) {
	name, enter, leave := parseLogFlags(word)
	if i := t.find([]byte(name)); i >= 0 {
		t.all[i].enter, t.all[i].leave = enter, leave
	}
}
