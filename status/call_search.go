package status

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A CallSearch selects the calls that match every field that is set.
type CallSearch struct {
	Source string    `json:"source,omitempty"` // in full
	Since  time.Time `json:"since,omitzero"`   // by when the call began
	Until  time.Time `json:"until,omitzero"`   // excluded
	// Where is what else must hold; nil: nothing. Of its conditions "effect" and "is" are
	// one of a few words, "since" and "until" times in RFC 3339, and the others part of a
	// name; a word or a phrase is part of the client, source, tool, event, effect, code, message, session or
	// a target. The case of ASCII letters does not matter.
	Where *SearchExpr `json:"where,omitempty"`
}

// callSearchKeys are the keys that [ParseCallSearch] knows.
func callSearchKeys() []string {
	return []string{"client", "source", "tool", "target", "effect", "is", "on", "since", "until"}
}

// ParseCallSearch reads a query, as [ParseSearch] does, with conditions such as
//
//	client:codex target:Private/ (is:refused OR is:error) since:2026-11-21
//
// "on" is a day; times are of zone. A word with a colon whose key is not known is a word,
// and a condition without a value does not count. The error names what cannot be read.
func ParseCallSearch(text string, zone *time.Location) (s CallSearch, err error) {
	query, err := ParseSearch(text)
	if err != nil {
		return s, err
	}
	var where []SearchExpr
	for _, part := range query.Conjuncts() {
		if part, err = readCallCondition(part, zone); err != nil {
			return s, err
		}
		for _, part := range part.Conjuncts() {
			if !s.narrow(part) && part.Op != SearchAll {
				where = append(where, part)
			}
		}
	}
	if len(where) > 0 {
		joined := joinSearch(SearchAll, where)
		s.Where = &joined
	}
	return s, nil
}

// narrow takes a condition about the time into Since and Until; false: it is none.
func (s *CallSearch) narrow(e SearchExpr) bool {
	switch {
	case e.Op != SearchCondition:
		return false
	case e.Key == "since":
		if at := e.Time(); at.After(s.Since) {
			s.Since = at
		}
		return true
	case e.Key == "until":
		if at := e.Time(); s.Until.IsZero() || at.Before(s.Until) {
			s.Until = at
		}
		return true
	}
	return false
}

// readCallConditions checks the conditions in a joined expression. What does not count is
// the [SearchAll] of nothing.
func readCallConditions(e SearchExpr, zone *time.Location) (SearchExpr, error) {
	of := make([]SearchExpr, 0, len(e.Of))
	for _, part := range e.Of {
		part, err := readCallCondition(part, zone)
		if err != nil {
			return e, err
		}
		if part.Op != SearchAll || len(part.Of) > 0 {
			of = append(of, part)
		}
	}
	if len(of) == 0 {
		return SearchExpr{Op: SearchAll}, nil
	}
	e.Of = of
	return e, nil
}

// readCallCondition checks an expression, and gives its times a zone.
func readCallCondition(e SearchExpr, zone *time.Location) (SearchExpr, error) {
	switch {
	case len(e.Of) > 0:
		return readCallConditions(e, zone)
	case e.Op != SearchCondition || !slices.Contains(callSearchKeys(), e.Key):
		if e.Op == SearchCondition {
			e = SearchExpr{Op: SearchWord, Text: e.Text}
		}
		return e, nil
	case e.Sign != ":" && e.Sign != "=":
		return e, fmt.Errorf("%s: write %s:%s", e.Text, e.Key, e.Value)
	case e.Value == "":
		return SearchExpr{Op: SearchAll}, nil
	}
	switch e.Key {
	case "effect":
		return e, checkWord(e.Key, e.Value, "read", "write", "delete", "run", "admin")
	case "is":
		return e, checkWord(e.Key, e.Value, "ok", "error", "refused", Asked, "changed", "event")
	case "on":
		day, err := time.ParseInLocation(time.DateOnly, e.Value, zone)
		if err != nil {
			return e, fmt.Errorf("on:%s is not a day such as 2026-11-21", e.Value)
		}
		return SearchExpr{Op: SearchAll, Of: []SearchExpr{timeCondition("since", day), timeCondition("until", day.AddDate(0, 0, 1))}}, nil
	case "since", "until":
		at, err := parseSearchTime(e.Key, e.Value, zone)
		return timeCondition(e.Key, at), err
	}
	return e, nil
}

func timeCondition(key string, at time.Time) SearchExpr {
	value := at.Format(time.RFC3339)
	return SearchExpr{Op: SearchCondition, Key: key, Sign: ":", Value: value, Text: key + ":" + value}
}

// Time is the value of a condition about a time in a [CallSearch].
func (e *SearchExpr) Time() time.Time {
	at, _ := time.Parse(time.RFC3339, e.Value)
	return at
}

// UnknownFilterNote says of text, as [ParseCallSearch] reads it, that a word in it looks like a
// condition and is none; empty: no word does.
func UnknownFilterNote(text string) (note string) {
	query, _ := ParseSearch(text)
	query.Walk(func(e *SearchExpr) {
		letters := e.Key != "" && strings.Trim(e.Key, "abcdefghijklmnopqrstuvwxyz") == ""
		if note == "" && e.Sign == ":" && letters && !slices.Contains(callSearchKeys(), e.Key) {
			note = fmt.Sprintf("there is no filter %s:, so %s is searched for as a word (filters: %s:)", e.Key, e.Text,
				strings.Join(callSearchKeys(), ":, "))
		}
	})
	return note
}

func checkWord(key, value string, known ...string) error {
	if slices.Contains(known, value) {
		return nil
	}
	return fmt.Errorf("%s:%s is not one of %s", key, value, strings.Join(known, ", "))
}

func parseSearchTime(key, value string, zone *time.Location) (time.Time, error) {
	for _, layout := range []string{time.DateOnly, "2006-01-02T15:04"} {
		if t, err := time.ParseInLocation(layout, value, zone); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%s:%s is not a time such as 2026-11-21 or 2026-11-21T15:04", key, value)
}

// Equal reports whether both select the same calls because they say the same.
func (s CallSearch) Equal(other CallSearch) bool {
	return s.Source == other.Source && s.Since.Equal(other.Since) && s.Until.Equal(other.Until) && s.Where.String() == other.Where.String()
}

// HasOutcome reports whether s asks for how calls ended.
func (s CallSearch) HasOutcome() (has bool) {
	s.Where.Walk(func(e *SearchExpr) { has = has || e.Op == SearchCondition && e.Key == "is" })
	return has
}

// Matches reports whether s selects c.
func (s CallSearch) Matches(c *Call) bool {
	return (s.Source == "" || c.Source == s.Source) && (s.Since.IsZero() || !c.Time.Before(s.Since)) &&
		(s.Until.IsZero() || c.Time.Before(s.Until)) && (s.Where == nil || s.Where.matchesCall(c))
}

func (e *SearchExpr) matchesCall(c *Call) bool {
	holds := func(part SearchExpr) bool { return part.matchesCall(c) }
	has := func(fields ...string) bool {
		return slices.ContainsFunc(fields, func(field string) bool { return containsFold(field, e.Value) })
	}
	switch e.Op {
	case SearchAll:
		return !slices.ContainsFunc(e.Of, func(part SearchExpr) bool { return !holds(part) })
	case SearchAny:
		return slices.ContainsFunc(e.Of, holds)
	case SearchNot:
		return !holds(e.Of[0])
	case SearchWord, SearchPhrase:
		fields := append([]string{c.Tool, c.Event, c.Client, c.Source, c.Code, c.Message, c.Effect, c.Session}, c.Targets...)
		return slices.ContainsFunc(fields, func(field string) bool { return containsFold(field, e.Text) })
	case SearchCondition:
	}
	switch e.Key {
	case "client":
		return has(c.Client)
	case "source":
		return has(c.Source)
	case "tool":
		return has(c.Tool)
	case "target":
		return has(c.Targets...)
	case "effect":
		return c.Effect == e.Value
	case "since":
		return !c.Time.Before(e.Time())
	case "until":
		return c.Time.Before(e.Time())
	}
	if e.Value == "changed" {
		return len(c.Changes) > 0
	}
	return c.outcome() == e.Value
}

func (c *Call) outcome() string {
	switch {
	case c.Event != "":
		return "event"
	case c.Code == "":
		return "ok"
	case c.Code == Asked:
		return Asked
	case c.Refused:
		return "refused"
	default:
		return "error"
	}
}

// containsFold reports whether part is in text; the case of ASCII letters does not
// matter.
func containsFold(text, part string) bool {
	return strings.Contains(strings.Map(lower, text), strings.Map(lower, part))
}

func lower(r rune) rune {
	if 'A' <= r && r <= 'Z' {
		return r + 'a' - 'A'
	}
	return r
}
