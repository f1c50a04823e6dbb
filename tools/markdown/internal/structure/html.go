package structure

import (
	"regexp"
	"slices"
	"strings"
)

// htmlTags begin HTML wherever a line begins with one, up to a blank line.
const htmlTags = " address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl dt " +
	"fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link main menu " +
	"menuitem nav noframes ol optgroup option p param search section summary table tbody td tfoot th thead title tr track ul "

// codeTags begin HTML up to the end of one of them, which codeTagEnd stands for.
func codeTags() []string { return []string{"script", "pre", "style", "textarea"} }

const codeTagEnd = "</"

// htmlMarks are what other HTML begins and ends with.
var htmlMarks = [][2]string{{"<!--", "-->"}, {"<?", "?>"}, {"<![CDATA[", "]]>"}}

// tagName matches the name of a tag with what makes it one. oneTag matches one tag, with
// nothing behind it.
var (
	tagName = regexp.MustCompile(`^</?([A-Za-z][A-Za-z0-9-]*)(?:[ \t>]|/>|$)`)
	oneTag  = regexp.MustCompile(`^<(?:[A-Za-z][A-Za-z0-9-]*(?:[ \t]+[A-Za-z_:][\w.:-]*(?:[ \t]*=[ \t]*(?:[^\s"'=<>` + "`" +
		`]+|'[^']*'|"[^"]*"))?)*[ \t]*/?|/[A-Za-z][A-Za-z0-9-]*[ \t]*)>$`)
)

// startOfHTML reports whether a line begins HTML, and what ends that; empty: a blank line.
// A tag of no special meaning does so alone on its line, and not in the text of a paragraph.
func startOfHTML(rest string, inText bool) (end string, ok bool) {
	for _, mark := range htmlMarks {
		if strings.HasPrefix(rest, mark[0]) {
			return mark[1], true
		}
	}
	if len(rest) > 2 && rest[1] == '!' && rest[2]|0x20 >= 'a' && rest[2]|0x20 <= 'z' {
		return ">", true
	}
	name := ""
	if m := tagName.FindStringSubmatch(rest); m != nil {
		name = strings.ToLower(m[1])
	}
	isCode := slices.Contains(codeTags(), name)
	switch {
	case isCode && rest[1] != '/':
		return codeTagEnd, true
	case name != "" && strings.Contains(htmlTags, " "+name+" "):
		return "", true
	}
	return "", !inText && !isCode && oneTag.MatchString(rest)
}

// endsText reports whether a line has what ends HTML, a comment or maths.
func endsText(line, end string) bool {
	if end != codeTagEnd {
		return end != "" && strings.Contains(line, end)
	}
	lower := strings.ToLower(line)
	return slices.ContainsFunc(codeTags(), func(tag string) bool { return strings.Contains(lower, "</"+tag+">") })
}
