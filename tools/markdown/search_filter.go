package markdown

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/index"
)

// readProperty reads a filter by a property: key, key=value, or a comparison such as
// rating>=4 or created>2026-11-01.
func readProperty(f *index.Filter, text string, now time.Time) error {
	at := strings.IndexAny(text, "<>=!")
	if at < 0 {
		f.Property = strings.TrimSpace(text)
		return nil
	}
	key, rest := strings.TrimSpace(text[:at]), text[at:]
	sign := strings.TrimRight(rest[:min(2, len(rest))], " ")
	if len(sign) < 2 || sign[1] != '=' {
		sign = rest[:1]
	}
	value := strings.TrimSpace(rest[len(sign):])
	switch {
	case key == "":
		return tools.Errorf(tools.Invalid, "property: %q has no key", safetext.Truncate(text, 50)).
			WithHint("Use key, key=value, or a comparison such as created>2026-11-01.")
	case sign == "!" || value == "" && sign != "=" && sign != "==":
		return tools.Errorf(tools.Invalid, "property: %q cannot be read", safetext.Truncate(text, 50)).
			WithHint("Signs are =, !=, <, <=, > and >=, and a value follows.")
	}
	return setProperty(f, key, sign, value, now)
}

// setProperty has f compare a property with a value.
func setProperty(f *index.Filter, key, sign, value string, now time.Time) error {
	f.Property = key
	if sign == ":" || sign == "=" || sign == "==" {
		f.Value = value
		return nil
	}
	if agePattern.MatchString(value) {
		if since, err := parseSince(value, now); err == nil {
			value = since.Format(time.DateOnly)
		}
	}
	value = index.Fold(value)
	f.Test = func(has string) bool {
		order, comparable := compareValues(has, value)
		if !comparable {
			return sign == "!="
		}
		switch sign {
		case "<":
			return order < 0
		case "<=":
			return order <= 0
		case ">":
			return order > 0
		case ">=":
			return order >= 0
		}
		return order != 0
	}
	return nil
}

var (
	datePattern = regexp.MustCompile(`^\d{4}-\d\d-\d\d`)
	agePattern  = regexp.MustCompile(`^\d+[dh]$`)
)

func isDate(value string) bool { return datePattern.MatchString(value) }

// compareValues compares a value of a property with one that is asked for, both folded:
// as numbers, as days if one of them has no time, or else as text. A number is not
// comparable with what is none, nor is a day.
func compareValues(has, wanted string) (order int, comparable bool) {
	if y, err := strconv.ParseFloat(wanted, 64); err == nil {
		x, err := strconv.ParseFloat(has, 64)
		return cmp.Compare(x, y), err == nil
	}
	if isDate(wanted) && !isDate(has) {
		return 0, false
	}
	if day := len(time.DateOnly); isDate(wanted) && min(len(has), len(wanted)) == day {
		return cmp.Compare(has[:day], wanted[:day]), true
	}
	return cmp.Compare(has, wanted), true
}

// readTimes reads when pages were modified: since a date, a time or an age, or between
// two of them. A day at the end counts.
func readTimes(f *index.Filter, text string, now time.Time) (err error) {
	from, to, between := strings.Cut(text, "..")
	if from != "" || !between {
		if f.Since, err = parseSince(from, now); err != nil {
			return err
		}
	}
	if to == "" {
		return nil
	}
	f.Until, err = parseSince(to, now)
	if isDate(to) && len(to) == len(time.DateOnly) {
		f.Until = f.Until.AddDate(0, 0, 1)
	}
	return err
}
