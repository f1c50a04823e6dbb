package logseq

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// What was given and what is stored are spelled in different ways: Logseq
// makes pages, days and numbers of values, and lists of what stands between
// commas. They are compared by what they mean.

// hasProperties reports whether every wanted property was set, or removed if
// it is nil. location is that of days in Logseq.
func hasProperties(have map[string]any, want Properties, location *time.Location) bool {
	have = foldProperties(have)
	for name, value := range want {
		now, there := findProperty(have, name)
		if removes(value) == there || there && !sameMeaning(now, value, location) {
			return false
		}
	}
	return true
}

// removes reports whether a value takes the property away.
func removes(value any) bool {
	list, isList := value.([]any)
	return value == nil || value == "" || isList && len(list) == 0
}

// findProperty finds a property by its name or, on a DB graph, by its ident.
func findProperty(folded map[string]any, name string) (any, bool) {
	if value, ok := folded[foldProperty(name)]; ok || !strings.HasPrefix(name, ":") {
		return value, ok
	}
	_, key, _ := strings.Cut(foldProperty(name), "/")
	for have, value := range folded {
		if key == have || strings.HasPrefix(key, have+"-") { // Logseq puts letters behind it
			return value, true
		}
	}
	return nil, false
}

// sameMeaning reports whether a stored value is what was wanted. What is given
// as a uuid is shown by its name, which is not known here.
func sameMeaning(now, want any, location *time.Location) bool {
	if text, is := want.(string); is && isJSONOf(text, now) {
		return true
	}
	have, wanted := valueList(now), valueList(want)
	if len(have) != len(wanted) {
		have, wanted = valueParts(have), valueParts(wanted)
	}
	matches := func(one any, list []any, same func(a, b any) bool) bool {
		return slices.ContainsFunc(list, func(other any) bool { return same(one, other) })
	}
	same := func(want, now any) bool { return sameSingleValue(now, want, location) }
	return !slices.ContainsFunc(wanted, func(one any) bool { return !matches(one, have, same) }) &&
		!slices.ContainsFunc(have, func(one any) bool { return !matches(one, wanted, func(now, want any) bool { return same(want, now) }) })
}

// isJSONOf reports whether a text is that of an object or list.
func isJSONOf(text string, value any) bool {
	var read any
	return json.Unmarshal([]byte(text), &read) == nil && reflect.DeepEqual(read, value)
}

func sameSingleValue(now, want any, location *time.Location) bool {
	text := strings.TrimSpace(valueText(want))
	c := condition{operand: text, location: location}
	if c.compare(now) == 0 || uuidPattern.MatchString(plainReference(text)) {
		return true
	}
	if at, err := time.ParseInLocation("2006-01-02T15:04", strings.Replace(text, " ", "T", 1), location); err == nil {
		ms, isMoment := now.(float64)
		return isMoment && int64(ms) == at.UnixMilli()
	}
	day := c.dayOf(want, plainReference(text))
	return day != 0 && (c.dayOf(now, plainReference(valueText(now))) == day || namesDay(valueText(now), day))
}

// namesDay reports whether a text names a day, in whatever order of year, month
// and day: journals are named as the user has chosen.
func namesDay(text string, day int) bool {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	at := time.Date(day/10_000, time.Month(day/100%100), day%100, 0, 0, 0, 0, time.UTC)
	has := func(number int) bool {
		return slices.ContainsFunc(words, func(word string) bool {
			digits := strings.TrimRightFunc(word, unicode.IsLetter)
			n, err := strconv.Atoi(digits)
			return err == nil && n == number
		})
	}
	month := strings.ToLower(at.Month().String())
	isMonth := slices.ContainsFunc(words, func(word string) bool { return word == month || word == month[:3] })
	return has(at.Year()) && has(at.Day()) && (isMonth || has(int(at.Month())))
}

func valueList(value any) []any {
	if list, is := value.([]any); is {
		return list
	}
	return []any{value}
}

// valueParts are the values in texts: what they refer to, or what stands
// between commas.
func valueParts(list []any) (parts []any) {
	for _, value := range list {
		text, is := value.(string)
		if !is {
			parts = append(parts, value)
			continue
		}
		if found := referenceOrTag.FindAllString(text, -1); found != nil {
			for _, ref := range found {
				parts = append(parts, plainReference(strings.TrimPrefix(ref, "#")))
			}
			continue
		}
		for part := range strings.SplitSeq(text, ",") {
			parts = append(parts, strings.TrimSpace(part))
		}
	}
	return parts
}

func plainReference(text string) string {
	return strings.TrimSuffix(strings.TrimPrefix(text, "[["), "]]")
}
