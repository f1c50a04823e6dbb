package orgquery

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgtime"
)

// A compiler turns one predicate into a condition.
type compiler struct {
	*parser
	begin int
	name  string
}

type compileFunc func(c *compiler, values []value) (condition, error)

var predicates = map[string]compileFunc{
	"todo": compileTodo, "done": compileDone, "tags": compileTags, "tags-all": compileTags, "tags-local": compileTags,
	"tags-inherited": compileTags,
	"heading":        compileHeading, "regexp": compileRegexp, "text": compileText, "level": compileLevel, "priority": compilePriority,
	"property": compileProperty, "category": compileCategory, "path": compilePath, "olp": compileOutline, "id": compileID,
	"habit":  compileHabit,
	"effort": compileEffort, "link": compileLink, "src": compileSource,
	"scheduled": compilePlanning, "deadline": compilePlanning, "closed": compilePlanning, "planning": compilePlanning,
	"ts": compileStamps, "ts-active": compileStamps, "ts-inactive": compileStamps, "clocked": compileStamps,
}

func (c *compiler) fail(v value, format string, args ...any) (condition, error) {
	return nil, c.fault(v.column, format, args...)
}

// words returns the texts of values that have no operator and no key.
func (c *compiler) words(values []value) ([]string, error) {
	var out []string
	for _, v := range values {
		if v.operator != "" || v.key != "" {
			return nil, c.fault(v.column, "%s: takes words, not %s%s", c.name, v.key, v.operator)
		}
		out = append(out, v.text)
	}
	return out, nil
}

// needWords is words where at least one is wanted.
func (c *compiler) needWords(values []value) ([]string, error) {
	if len(values) == 0 {
		return nil, c.fault(c.begin, "%s: needs a value behind the colon", c.name)
	}
	return c.words(values)
}

func compileTodo(c *compiler, values []value) (condition, error) {
	states, err := c.words(values)
	c.states = append(c.states, states...)
	return func(e *entry) bool {
		h := e.headline()
		if len(states) == 0 {
			return !h.Keyword.Empty() && !h.Done
		}
		return slices.Contains(states, e.file().Text(h.Keyword))
	}, err
}

func compileDone(c *compiler, values []value) (condition, error) {
	states, err := c.words(values)
	c.states = append(c.states, states...)
	return func(e *entry) bool {
		return e.headline().Done && (len(states) == 0 || slices.Contains(states, e.file().Text(e.headline().Keyword)))
	}, err
}

func compileTags(c *compiler, values []value) (condition, error) {
	wanted, err := c.words(values)
	find := map[string]func(e *entry) []string{
		"tags-local":     func(e *entry) []string { return e.file().LocalTags(e.i) },
		"tags-inherited": func(e *entry) []string { return e.file().InheritedTags(e.i) },
	}[c.name]
	if find == nil {
		find = func(e *entry) []string { return e.file().AllTags(e.i) }
	}
	all := c.name == "tags-all"
	return func(e *entry) bool {
		tags := find(e)
		if len(wanted) == 0 || len(tags) == 0 {
			return len(tags) > 0 && len(wanted) == 0
		}
		has := func(tag string) bool { return orgfile.HasTag(tags, tag, e.groups) }
		if all {
			return !slices.ContainsFunc(wanted, func(t string) bool { return !has(t) })
		}
		return slices.ContainsFunc(wanted, has)
	}, err
}

func compileHeading(c *compiler, values []value) (condition, error) {
	texts, err := c.needWords(values)
	finders := newFinders(texts)
	return func(e *entry) bool {
		t := e.headline().Title
		return findsAll(finders, e.file().Source[t.Start:t.End])
	}, err
}

func compileText(c *compiler, values []value) (condition, error) {
	texts, err := c.needWords(values)
	finders := newFinders(texts)
	return func(e *entry) bool { return findsAll(finders, e.text()) }, err
}

func textCondition(text string) condition {
	f := NewFinder(text)
	return func(e *entry) bool { return f.Index(e.text()) >= 0 }
}

func compileRegexp(c *compiler, values []value) (condition, error) {
	if _, err := c.needWords(values); err != nil {
		return nil, err
	}
	var patterns []*regexp.Regexp
	for _, v := range values {
		re, err := regexp.Compile("(?im)" + v.text)
		if err != nil {
			return c.fail(v, "invalid regular expression: %v", err)
		}
		patterns = append(patterns, re)
	}
	return func(e *entry) bool {
		text := e.text()
		return !slices.ContainsFunc(patterns, func(re *regexp.Regexp) bool { return !re.Match(text) })
	}, nil
}

func compileLevel(c *compiler, values []value) (condition, error) {
	return c.numbers(values, func(text string) (int, bool) {
		n, err := strconv.Atoi(text)
		return n, err == nil
	}, func(e *entry) (int, bool) { return e.file().ReducedLevel(e.i), true })
}

// compilePriority compares by importance: ">=B" takes A and B.
func compilePriority(c *compiler, values []value) (condition, error) {
	if len(values) == 0 {
		return func(e *entry) bool { return !e.headline().Priority.Empty() }, nil
	}
	return c.numbers(values, func(text string) (int, bool) {
		n := orgfile.PriorityValue(strings.ToUpper(text))
		return -n, len(text) == 1 || n > 0 && n <= 64
	}, func(e *entry) (int, bool) {
		p := e.headline().Priority
		return -orgfile.PriorityValue(e.file().Text(p)), !p.Empty()
	})
}

// compileEffort compares efforts in minutes.
func compileEffort(c *compiler, values []value) (condition, error) {
	if len(values) == 0 {
		return func(e *entry) bool { _, ok := e.file().SelectiveProperty(e.i, "EFFORT"); return ok }, nil
	}
	return c.numbers(values, orgtime.ParseDuration, func(e *entry) (int, bool) {
		text, ok := e.file().SelectiveProperty(e.i, "EFFORT")
		n, valid := orgtime.ParseDuration(text)
		return n, ok && valid
	})
}

// numbers compares a number of the entry with values: one of those without
// operator, or all of those with one.
func (c *compiler) numbers(values []value, parse func(string) (int, bool), find func(*entry) (int, bool)) (condition, error) {
	if len(values) == 0 {
		return nil, c.fault(c.begin, "%s: needs a value behind the colon", c.name)
	}
	bounds := make([]bound, len(values))
	for i, v := range values {
		n, ok := parse(v.text)
		if !ok || v.key != "" {
			return c.fail(v, "%q is not a value for %s:", v.text, c.name)
		}
		bounds[i] = bound{v.operator, n}
	}
	return func(e *entry) bool {
		n, ok := find(e)
		return ok && meets(bounds, n)
	}, nil
}

// A bound is a number to compare with.
type bound struct {
	operator string
	n        int
}

// meets says whether n is one of the bounds without operator, if there are any,
// and on the right side of all others.
func meets(bounds []bound, n int) bool {
	equal, listed := false, false
	for _, b := range bounds {
		switch b.operator {
		case "", "=":
			listed = true
			equal = equal || n == b.n
		case "<":
			if n >= b.n {
				return false
			}
		case "<=":
			if n > b.n {
				return false
			}
		case ">":
			if n <= b.n {
				return false
			}
		case ">=":
			if n < b.n {
				return false
			}
		}
	}
	return equal || !listed
}

// compileProperty takes KEY, or KEY=VALUE, or KEY,VALUE.
func compileProperty(c *compiler, values []value) (condition, error) {
	if len(values) == 0 || len(values) > 2 || values[0].operator != "" || len(values) == 2 && (values[0].key != "" || values[1].key != "" ||
		values[1].operator != "") {
		return nil, c.fault(c.begin, "property: takes KEY or KEY=VALUE")
	}
	key, wanted, compare := values[0].text, "", false
	switch {
	case values[0].key != "":
		key, wanted, compare = values[0].key, values[0].text, true
	case len(values) == 2:
		wanted, compare = values[1].text, true
	}
	return func(e *entry) bool {
		v, ok := e.file().SelectiveProperty(e.i, key)
		return ok && (!compare || strings.EqualFold(v, wanted))
	}, nil
}

func compileCategory(c *compiler, values []value) (condition, error) {
	names, err := c.needWords(values)
	return func(e *entry) bool { return slices.Contains(names, e.file().Category(e.i)) }, err
}

func compilePath(c *compiler, values []value) (condition, error) {
	texts, err := c.needWords(values)
	finders := newFinders(texts)
	return func(e *entry) bool {
		return slices.ContainsFunc(finders, func(f *Finder) bool { return f.Index([]byte(e.file().Path)) >= 0 })
	}, err
}

// compileOutline looks for each text in a title of the outline path.
func compileOutline(c *compiler, values []value) (condition, error) {
	texts, err := c.needWords(values)
	finders := newFinders(texts)
	return func(e *entry) bool {
		titles := e.file().OutlinePath(e.i)
		return !slices.ContainsFunc(finders, func(f *Finder) bool {
			return !slices.ContainsFunc(titles, func(t string) bool { return f.Index([]byte(t)) >= 0 })
		})
	}, err
}

func compileID(c *compiler, values []value) (condition, error) {
	ids, err := c.needWords(values)
	return func(e *entry) bool {
		id, ok := e.file().Property(e.i, "ID")
		return ok && slices.Contains(ids, id)
	}, err
}

func compileHabit(c *compiler, values []value) (condition, error) {
	if len(values) > 0 {
		return c.fail(values[0], "habit: takes no value")
	}
	return func(e *entry) bool {
		style, _ := e.file().SelectiveProperty(e.i, "STYLE")
		return style == "habit"
	}, nil
}

var linkTarget = regexp.MustCompile(`\[\[([^\]\n]*)\](?:\[[^\[\n]+?\])?\]|(?:https?|file|mailto|id|ftp|doi):[^\s\])>]+`)

// compileLink looks for each text in a link, its description included.
func compileLink(c *compiler, values []value) (condition, error) {
	texts, err := c.words(values)
	finders := newFinders(texts)
	return func(e *entry) bool {
		return slices.ContainsFunc(linkTarget.FindAll(e.text(), -1), func(link []byte) bool { return findsAll(finders, link) })
	}, err
}

var sourceBlock = regexp.MustCompile(`(?im)^[ \t]*#\+begin_src(?:[ \t]+(\S+))?`)

// compileSource looks for a source block, of one of the languages.
func compileSource(c *compiler, values []value) (condition, error) {
	var languages []string
	for _, v := range values {
		if v.operator != "" || v.key != "" && v.key != "lang" {
			return c.fail(v, "src: takes languages, like src:go or src:lang=go")
		}
		languages = append(languages, strings.ToLower(v.text))
	}
	return func(e *entry) bool {
		return slices.ContainsFunc(sourceBlock.FindAllSubmatch(e.text(), -1), func(m [][]byte) bool {
			return len(languages) == 0 || slices.Contains(languages, strings.ToLower(string(m[1])))
		})
	}, nil
}
