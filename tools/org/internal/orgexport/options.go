package orgexport

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// exportOptions are those of "#+OPTIONS:" and the keywords beside it, with the
// defaults of Emacs.
type exportOptions struct {
	levels, toc, numbers                                          int // -1 for no limit, 0 for none
	todo, priority, tags, timestamps, footnotes, tables, fixed    bool
	emphasis, entities, special, breaks, planning, clocks, cookie bool
	inlineTasks, tex, properties, author, date, title             bool
	scripts, archived                                             string // "t", "nil" or "{}"; "t", "nil" or "headline"
	tagsOfTOC                                                     bool
	drawers                                                       map[string]bool // nil for all but those in skipDrawers
	skipDrawers                                                   map[string]bool
	exclude, selected                                             []string
	keywords                                                      map[string]string // TITLE, AUTHOR, DATE, LANGUAGE and so on
	smartQuotes                                                   bool
}

func defaultOptions() exportOptions {
	return exportOptions{
		levels: 3, toc: -1, numbers: -1, todo: true, tags: true, timestamps: true, footnotes: true, tables: true, fixed: true,
		emphasis: true, entities: true, special: true, cookie: true, inlineTasks: true, tex: true, author: true, date: true, title: true,
		scripts: "t", archived: "headline", tagsOfTOC: true, skipDrawers: map[string]bool{"LOGBOOK": true},
		exclude: []string{"noexport"}, selected: []string{"export"}, keywords: map[string]string{"LANGUAGE": "en"},
	}
}

// keyword applies one keyword line of the file.
func (o *exportOptions) keyword(key, value string) {
	switch key {
	case "OPTIONS":
		o.parse(value)
	case "EXCLUDE_TAGS":
		o.exclude = strings.Fields(value)
	case "SELECT_TAGS":
		o.selected = strings.Fields(value)
	case "TITLE", "SUBTITLE", "DATE", "AUTHOR", "DESCRIPTION", "KEYWORDS":
		if old := o.keywords[key]; old != "" {
			value = strings.TrimRight(old+" "+value, " ")
		}
		o.keywords[key] = value
	case "EMAIL", "LANGUAGE", "LATEX_CLASS", "LATEX_CLASS_OPTIONS":
		o.keywords[key] = value
	case "LATEX_HEADER", "LATEX_HEADER_EXTRA", "HTML_HEAD", "HTML_HEAD_EXTRA":
		o.keywords[key] += value + "\n"
	}
}

// parse applies a line of options, "H:2 toc:nil".
func (o *exportOptions) parse(line string) {
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		colon := strings.IndexByte(line[1:], ':')
		if colon < 0 {
			return
		}
		key := line[:colon+1]
		if i := strings.LastIndexAny(key, " \t"); i >= 0 {
			key = key[i+1:]
		}
		value := line[colon+2:]
		end := strings.IndexAny(value, " \t")
		if strings.HasPrefix(value, "(") {
			if end = strings.IndexByte(value, ')') + 1; end == 0 {
				end = -1
			}
		}
		line = ""
		if end >= 0 {
			value, line = value[:end], value[end:]
		}
		o.set(key, value)
	}
}

func (o *exportOptions) set(key, value string) {
	on := value != "nil" && value != ""
	flags := map[string]*bool{
		"todo": &o.todo, "pri": &o.priority, "<": &o.timestamps, "f": &o.footnotes, "|": &o.tables, ":": &o.fixed, "*": &o.emphasis,
		"e": &o.entities, "-": &o.special, "\\n": &o.breaks, "p": &o.planning, "c": &o.clocks, "stat": &o.cookie, "inline": &o.inlineTasks,
		"prop": &o.properties, "author": &o.author, "date": &o.date, "title": &o.title, "'": &o.smartQuotes,
	}
	if flag := flags[key]; flag != nil {
		*flag = on
		return
	}
	switch key {
	case "H":
		if n, err := strconv.Atoi(value); err == nil {
			o.levels = n
		}
	case "toc":
		o.toc = limit(value)
	case "num":
		o.numbers = limit(value)
	case "^":
		o.scripts = value
	case "arch":
		o.archived = value
	case "tags":
		o.tags, o.tagsOfTOC = on, on && value != "not-in-toc"
	case "tex":
		o.tex = on
	case "d":
		o.setDrawers(value)
	}
}

func (o *exportOptions) setDrawers(value string) {
	names := map[string]bool{}
	not := false
	for word := range strings.FieldsSeq(strings.Trim(value, "()")) {
		if word = strings.Trim(word, `"`); word == "not" {
			not = true
			continue
		}
		names[strings.ToUpper(word)] = true
	}
	switch {
	case value == "t":
		o.drawers, o.skipDrawers = nil, nil
	case value == "nil":
		o.drawers = map[string]bool{}
	case not:
		o.drawers, o.skipDrawers = nil, names
	default:
		o.drawers = names
	}
}

func (o *exportOptions) drawer(name string) bool {
	name = strings.ToUpper(name)
	return (o.drawers == nil || o.drawers[name]) && !o.skipDrawers[name]
}

// limit reads "t", "nil" or a number.
func limit(value string) int {
	if n, err := strconv.Atoi(value); err == nil {
		return n
	}
	if value == "nil" {
		return 0
	}
	return -1
}

// width returns how many columns text takes.
func width(text string) int {
	n := 0
	for _, r := range text {
		n += runeWidth(r)
	}
	return n
}

func runeWidth(r rune) int {
	switch {
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3, r >= 0xf900 && r <= 0xfaff,
		r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60, r >= 0xffe0 && r <= 0xffe6, r >= 0x1f300 && r <= 0x1f64f,
		r >= 0x1f900 && r <= 0x1f9ff:
		return 2
	case r == utf8.RuneError, r >= 0x300 && r <= 0x36f, r >= 0x200b && r <= 0x200f, r == 0xfeff, r == 0xfe0f:
		return 0
	}
	return 1
}
