package frontmatter

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// An entry is where a key of a block stands with its value, as offsets in the block.
type entry struct {
	block      string
	value      *yaml.Node
	start, end int // whole lines
	colon      int // behind it
	from, to   int // of the value
	// below: the value has lines of its own, which begin behind the colon: a list, keys or text.
	below bool
}

// findEntry finds a key; false: it is not there, or not on a line of its own.
func findEntry(block, key string) (e entry, ok bool) {
	var doc yaml.Node
	if yaml.Unmarshal([]byte(block), &doc) != nil || len(doc.Content) != 1 || doc.Content[0].Style&yaml.FlowStyle != 0 {
		return e, false
	}
	nodes := doc.Content[0].Content
	e = entry{block: block, end: len(block)}
	column := 0
	for i := 0; i+1 < len(nodes) && !ok; i += 2 {
		if ok = nodes[i].Value == key; ok {
			e.start, e.value, column = offsetOf(block, nodes[i]), nodes[i+1], nodes[i].Column-1
			if i+2 < len(nodes) {
				e.end = offsetOf(block, nodes[i+2])
				e.end = strings.LastIndexByte(block[:e.end], '\n') + 1
			}
		}
	}
	if !ok {
		return e, false
	}
	size := quoteEnd(block[e.start:])
	if size < 0 {
		size = len(key)
	}
	rest := strings.TrimLeft(block[min(e.start+size, len(block)):e.end], " \t")
	e.colon = e.end - len(rest) + 1
	e.end = e.trimmed(e.start, e.end, column)
	if !strings.HasPrefix(rest, ":") || e.end < e.colon ||
		strings.TrimLeft(block[strings.LastIndexByte(block[:e.start], '\n')+1:e.start], " ") != "" {
		return e, false
	}
	e.start -= column
	e.findValue()
	return e, true
}

// offsetOf is where a node begins: columns are counted in characters.
func offsetOf(block string, n *yaml.Node) (at int) {
	for range n.Line - 1 {
		at += strings.IndexByte(block[at:], '\n') + 1
	}
	for range n.Column - 1 {
		_, size := utf8.DecodeRuneInString(block[at:])
		at += size
	}
	return at
}

// trimmed is where lines end without the last ones that are blank or comments and no more
// indented than what stands before them.
func (e entry) trimmed(start, end, indent int) int {
	for {
		line := strings.LastIndexByte(e.block[start:max(end-1, start)], '\n') + 1 + start
		text := e.block[line:end]
		words := strings.TrimLeft(text, " \t")
		if line == start || strings.TrimSpace(words) != "" && (words[0] != '#' || len(text)-len(words) > indent) {
			return end
		}
		end = line
	}
}

var (
	properties = regexp.MustCompile(`^(?:[&!][^ \t\n]*[ \t]+)*`) // an anchor and a tag
	comment    = regexp.MustCompile(`(?:^|[ \t\n])[ \t]*#`)
)

func (e *entry) findValue() {
	e.from = offsetOf(e.block, e.value)
	text := e.block[e.from:e.end]
	lead := len(properties.FindString(text))
	text = text[lead:]
	switch {
	case e.value.Kind == yaml.ScalarNode && e.value.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0,
		(e.value.Kind == yaml.SequenceNode || e.value.Kind == yaml.MappingNode) && e.value.Style&yaml.FlowStyle == 0:
		e.below, e.to = true, e.end
	case e.value.Kind == yaml.SequenceNode || e.value.Kind == yaml.MappingNode:
		e.to = e.from + lead + flowEnd(text, 0)
	case quoteEnd(text) > 0:
		e.to = e.from + lead + quoteEnd(text)
	default:
		if m := comment.FindStringIndex(text); m != nil {
			text = text[:m[0]]
		}
		e.to = e.from + len(strings.TrimRight(e.block[e.from:e.from+lead]+text, " \t\n"))
	}
}

// flowEnd is where a list or keys in brackets end that text begins with; of an element in
// them, before the mark or the comment behind it.
func flowEnd(text string, from int) int {
	depth, opens := 0, true // opens: a quote may begin here
	for i := from; i < len(text); i++ {
		c := text[i]
		end := -1
		if opens {
			end = quoteEnd(text[i:])
		}
		switch {
		case end > 0:
			i += end - 1
		case c == '#' && i > 0 && strings.IndexByte(" \t\n", text[i-1]) >= 0:
			if depth == 0 {
				return len(strings.TrimRight(text[:i], " \t\n"))
			}
			i += max(strings.IndexByte(text[i:], '\n'), 0)
			continue
		case depth == 0 && strings.IndexByte(",]}", c) >= 0:
			return len(strings.TrimRight(text[:i], " \t\n"))
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		opens = strings.IndexByte("[{,:", c) >= 0 || opens && strings.IndexByte(" \t\n", c) >= 0
	}
	return len(text)
}

// with is the block with another value.
func (e entry) with(v Value) string {
	if !e.below && v.lines == "" && v.inline != "" && e.from < e.to {
		return e.block[:e.from] + v.inline + e.block[e.to:]
	}
	rest := e.block[e.colon:e.end] // has the comment on the line of the key, which stays
	if !e.below {
		rest = e.block[e.colon:e.from] + e.block[e.to:e.end]
	}
	line, _, _ := strings.Cut(rest, "\n")
	said := ""
	if at := strings.IndexByte(line, '#'); at >= 0 {
		said = strings.TrimSpace(line[at:])
	}
	return e.block[:e.colon] + v.behindColon(said) + "\n" + e.block[e.end:]
}

// elements are where the elements of a list stand: whole lines, or the texts in brackets.
func (e entry) elements() (all [][2]int) {
	if e.value.Style&yaml.FlowStyle != 0 {
		for _, n := range e.value.Content {
			start := offsetOf(e.block, n)
			all = append(all, [2]int{start, flowEnd(e.block[:e.to], start)})
		}
		return all
	}
	indent := e.value.Column - 1
	dash := regexp.MustCompile(`(?m)^[ \t]{` + strconv.Itoa(indent) + `}-(?:[ \t]|$)`)
	for _, m := range dash.FindAllStringIndex(e.block[e.colon:e.end], -1) {
		if n := len(all); n > 0 {
			all[n-1][1] = e.trimmed(all[n-1][0], e.colon+m[0], indent)
		}
		all = append(all, [2]int{e.colon + m[0], e.end})
	}
	if n := len(all); n > 0 && n == len(e.value.Content) {
		all[n-1][1] = e.trimmed(all[n-1][0], e.end, indent)
		return all
	}
	return nil
}

// withElement is the block with one more element at the end of a list that has some.
func (e entry) withElement(v Value) string {
	all := e.elements()
	if len(all) == 0 {
		return e.block
	}
	last := all[len(all)-1]
	added := ", " + v.inline
	if e.below {
		line := e.block[last[0]:last[1]]
		mark := strings.IndexByte(line, '-') + 1
		blanks := len(line[mark:]) - len(strings.TrimLeft(line[mark:], " "))
		added = line[:mark] + strings.Repeat(" ", max(blanks, 1)) + v.inline + "\n"
	}
	return e.block[:last[1]] + added + e.block[last[1]:]
}

// withoutElements is the block without some elements of a list that keeps others.
func (e entry) withoutElements(gone map[int]bool) string {
	now, next := e.block, 0 // where the next one that stays begins
	all := e.elements()
	for i, at := range slices.Backward(all) {
		switch {
		case !gone[i]:
			next = at[0]
			continue
		case e.below:
		case next > 0:
			at[1], next = next, at[0]
		default: // with the comma before it
			at[0] = all[max(i-1, 0)][1]
		}
		now = now[:at[0]] + now[at[1]:]
	}
	return now
}
