package logseq

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/tools"
)

// A condition compares the value of one property.
type condition struct {
	property string // folded
	operator string // "", "!=", ">", ">=", "<", "<=", "~" or "*"
	operand  string
	location *time.Location // of days in Logseq
}

// operators are the beginnings of a condition, the longer first.
var operators = [...]string{">=", "<=", "!=", ">", "<", "~"}

// parseConditions reads the values of an argument, in the order of their names.
func parseConditions(properties PropertyFilter, location *time.Location) ([]condition, error) {
	var all []condition
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		c := condition{property: foldProperty(name), location: location}
		switch value := properties[name].(type) {
		case string:
			c.operand = strings.TrimSpace(value)
			if c.operand == "*" {
				c.operator = "*"
				break
			}
			for _, one := range operators {
				if rest, ok := strings.CutPrefix(c.operand, one); ok {
					c.operator, c.operand = one, strings.TrimSpace(rest)
					break
				}
			}
			if c.operand == "" && c.operator != "" {
				return nil, tools.Errorf(tools.Invalid, "properties: the condition on %.40q has no value after %s", name, c.operator)
			}
		case bool, float64:
			c.operand = fmt.Sprint(value)
		}
		all = append(all, c)
	}
	return all, nil
}

// meetsAll reports whether properties meet all conditions. A property that is
// not there meets none.
func meetsAll(conditions []condition, properties map[string]any) bool {
	if len(conditions) == 0 {
		return true
	}
	folded := foldProperties(properties)
	return !slices.ContainsFunc(conditions, func(c condition) bool {
		value, ok := folded[c.property]
		return !ok || !c.holds(value)
	})
}

// holds compares a value, or each of several: one of them is enough, but with
// != none may be equal.
func (c condition) holds(value any) bool {
	list, many := value.([]any)
	if !many {
		list = []any{value}
	}
	switch c.operator {
	case "*":
		return true
	case "!=":
		return !slices.ContainsFunc(list, func(one any) bool { return c.compare(one) == 0 })
	case "~":
		return slices.ContainsFunc(list, func(one any) bool {
			return strings.Contains(strings.ToLower(valueText(one)), strings.ToLower(c.operand))
		})
	}
	return slices.ContainsFunc(list, func(one any) bool {
		order := c.compare(one)
		switch c.operator {
		case ">":
			return order == 1
		case ">=":
			return order == 0 || order == 1
		case "<":
			return order == -1
		case "<=":
			return order == 0 || order == -1
		default:
			return order == 0
		}
	})
}

// incomparable is the order of values of different types.
const incomparable = 2

// compare orders a value and the operand: as days if the operand is one, as
// numbers if both are, and otherwise as text without regard to case.
func (c condition) compare(value any) int {
	text := strings.TrimPrefix(strings.TrimSuffix(strings.TrimSpace(valueText(value)), "]]"), "[[")
	if day, err := time.Parse(time.DateOnly, c.operand); err == nil {
		if have := c.dayOf(value, text); have != 0 {
			return cmp.Compare(have, dayNumber(day))
		}
		return incomparable
	}
	want, errWant := strconv.ParseFloat(c.operand, 64)
	have, errHave := number(value, text)
	switch {
	case errWant == nil && errHave == nil:
		return cmp.Compare(have, want)
	case (errWant == nil) != (errHave == nil) && c.operator != "" && c.operator != "!=":
		return incomparable
	}
	return strings.Compare(strings.ToLower(text), strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(c.operand, "[["), "]]")))
}

func number(value any, text string) (float64, error) {
	if n, ok := value.(float64); ok {
		return n, nil
	}
	return strconv.ParseFloat(text, 64)
}

// dayOf returns the day of a value as 20261121: of the moment of a datetime, of
// the name of a journal, or of a day as text; 0 if it is none.
func (c condition) dayOf(value any, text string) int {
	if n, err := number(value, text); err == nil {
		if n > 1e11 {
			return dayNumber(time.UnixMilli(int64(n)).In(c.location))
		}
		text = strconv.FormatFloat(n, 'f', -1, 64)
	}
	for _, layout := range []string{time.DateOnly, "20060102", time.RFC3339, "2006-01-02T15:04"} {
		if t, err := time.Parse(layout, text); err == nil {
			return dayNumber(t)
		}
	}
	for _, ending := range []string{"st,", "nd,", "rd,", "th,"} {
		if t, err := time.Parse("Jan 2, 2006", strings.Replace(text, ending, ",", 1)); err == nil {
			return dayNumber(t)
		}
	}
	return 0
}
