package orgexport

import (
	"regexp"
	"strconv"
	"strings"
)

// A codeLine is a line of a source or example block.
type codeLine struct {
	text   string
	number int    // 0 for none
	ref    string // its label, "" for none
}

var (
	numberSwitch = regexp.MustCompile(`(?:^|\s)([-+])n(?:\s*([0-9]+))?(?:\s|$)`)
	labelSwitch  = regexp.MustCompile(`-l +"([^"\n]+)"`)
	flagSwitch   = regexp.MustCompile(`(?:^|\s)-([kr])(?:\s|$)`)
)

// codeLines returns the lines of a block with what its switches add, and keeps
// the labels for links to them.
func (d *document) codeLines(n *node) []codeLine {
	code := strings.TrimSuffix(n.Code(d.text), "\n")
	start := d.firstNumber(n.Arguments)
	label := labelPattern(n.Arguments)
	flags := strings.Join(flagSwitch.FindAllString(n.Arguments, -1), "")
	remove, keep := strings.Contains(flags, "r"), strings.Contains(flags, "k")
	var lines []codeLine
	for i, text := range strings.Split(code, "\n") {
		line := codeLine{text: text}
		if start > 0 {
			line.number = start + i
			d.sourceLen = line.number
		}
		if m := label.FindStringSubmatch(text); len(m) > 2 {
			line.ref = m[2]
			if remove {
				line.text = text[:len(text)-len(m[0])]
			}
			r := codeReference{line: i + 1, label: m[2]}
			if line.number > 0 {
				r.line = line.number
			}
			if start == 0 && !remove || keep {
				r.line = 0 // shown by its label
			}
			d.refs[m[2]] = r
		}
		lines = append(lines, line)
	}
	return lines
}

// firstNumber returns the number of a block's first line as its switches ask for,
// 0 if its lines have none.
func (d *document) firstNumber(switches string) int {
	m := numberSwitch.FindStringSubmatch(switches)
	if m == nil {
		return 0
	}
	start := 1
	if m[2] != "" {
		start, _ = strconv.Atoi(m[2]) // digits only: too many give the largest number
	}
	switch {
	case m[1] != "+":
		return start
	case m[2] == "":
		return d.sourceLen + 1
	}
	return start + d.sourceLen
}

// labelPattern returns what finds a label at the end of a line, which the switches
// of a block may ask to be written in another way.
func labelPattern(switches string) *regexp.Regexp {
	format := `(ref:%s)`
	if m := labelSwitch.FindStringSubmatch(switches); m != nil {
		format = m[1]
	}
	return regexp.MustCompile(`[ \t]*(` + strings.Replace(regexp.QuoteMeta(format), "%s", `([-a-zA-Z0-9_][-a-zA-Z0-9_ ]*)`, 1) + `)[ \t]*$`)
}

// attributes reads the "#+ATTR_X: :key value" lines of an element.
func attributes(n *node, key string) (keys []string, values map[string]string) {
	values = map[string]string{}
	for _, a := range n.Affiliated {
		if a.Key != key {
			continue
		}
		name := ""
		for word := range strings.FieldsSeq(a.Value) {
			if strings.HasPrefix(word, ":") && len(word) > 1 {
				name = word[1:]
				if _, ok := values[name]; !ok {
					keys = append(keys, name)
				}
				values[name] = ""
				continue
			}
			if name != "" {
				values[name] = strings.TrimSpace(values[name] + " " + word)
			}
		}
	}
	for k, v := range values {
		if len(v) > 1 && v[0] == '"' && v[len(v)-1] == '"' {
			values[k] = v[1 : len(v)-1]
		}
	}
	return keys, values
}

// caption returns the text of an element's caption, "" for none.
func caption(n *node) string {
	var lines []string
	for _, a := range n.Affiliated {
		if a.Key == "CAPTION" {
			lines = append(lines, a.Value)
		}
	}
	return strings.Join(lines, " ")
}
