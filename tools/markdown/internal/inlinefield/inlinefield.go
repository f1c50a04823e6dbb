// Package inlinefield finds the fields of Dataview in the text of a page: key:: value on a
// line or in an item, [key:: value] and (key:: value) within one.
//
// It changes nothing. Only tools/markdown imports it. Start reading at [Find].
package inlinefield

import (
	"regexp"
	"strings"

	"github.com/lectern-mcp/lectern/tools/markdown/internal/structure"
)

// A Field is a key with its value.
type Field struct{ Key, Value string }

// lineField is a field that fills its line, behind the marks of quotes, items and tasks.
var lineField = regexp.MustCompile(`^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[^\]]\][ \t]+)?)?([^:\[\]()|]{1,100}?)::(?:[ \t]+(.*))?$`)

// Find are the fields of a page whose lines are known, outside of code, comments and maths.
func Find(text string, lines []structure.Line) (all []Field) {
	if !strings.Contains(text, "::") { // faster than asking each line
		return nil
	}
	for _, l := range lines {
		line := text[l.Start:l.End]
		if l.Code || l.Raw || !strings.Contains(line, "::") {
			continue
		}
		if m := lineField.FindStringSubmatch(strings.TrimRight(line, " \t\r")); m != nil {
			all = add(all, m[1], m[2])
			continue
		}
		all = append(all, InLine(line)...)
	}
	return all
}

// InLine are the fields in brackets of a line. Brackets in a value belong to it.
func InLine(line string) (all []Field) {
	for at := 0; at < len(line); {
		open := strings.IndexAny(line[at:], "[(`")
		if open < 0 {
			break
		}
		at += open + 1
		if line[at-1] == '`' {
			if end := strings.IndexByte(line[at:], '`'); end >= 0 {
				at += end + 1
			}
			continue
		}
		if at > 1 && line[at-2:at] == "](" { // of a link
			continue
		}
		key, value, found := strings.Cut(line[at:], "::")
		if !found {
			break
		}
		end := closing(value, line[at-1])
		if strings.ContainsAny(key, "[]()`:") || end < 0 {
			continue
		}
		all = add(all, key, value[:end])
		at += len(key) + 2 + end
	}
	return all
}

// closing is where the bracket that opened is closed; -1: nowhere.
func closing(text string, opened byte) int {
	closes := map[byte]byte{'[': ']', '(': ')'}[opened]
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case opened:
			depth++
		case closes:
			if depth--; depth < 0 {
				return i
			}
		}
	}
	return -1
}

// add adds a field. As Dataview has it, a key is written without emphasis.
func add(all []Field, key, value string) []Field {
	if key = strings.Trim(key, " \t*_~"); key == "" {
		return all
	}
	return append(all, Field{key, strings.TrimSpace(value)})
}
