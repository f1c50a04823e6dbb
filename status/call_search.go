package status

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A CallSearch selects the calls that match every field that is set. Those that
// say part match a part of a name; the case of ASCII letters does not matter.
type CallSearch struct {
	Source     string `json:"source,omitempty"` // in full
	ClientPart string `json:"client_part,omitempty"`
	SourcePart string `json:"source_part,omitempty"`
	ToolPart   string `json:"tool_part,omitempty"`
	TargetPart string `json:"target_part,omitempty"` // of a target
	Effect     string `json:"effect,omitempty"`
	// "ok", "error", "refused" or "asked"; "changed": it changed something; "event": it is none
	Outcome string    `json:"outcome,omitempty"`
	Since   time.Time `json:"since,omitzero"` // by when the call began
	Until   time.Time `json:"until,omitzero"` // excluded
	// separated by spaces; each part of the client, source, tool, effect, code, message, session or a target
	Words string `json:"words,omitempty"`
}

// callSearchKeys are the keys that [ParseCallSearch] knows.
func callSearchKeys() []string {
	return []string{"client", "source", "tool", "target", "effect", "is", "on", "since", "until"}
}

// ParseCallSearch reads words and conditions such as
//
//	client:codex target:Private/ is:refused since:2026-11-21
//
// separated by spaces. "on" is a day; times are of zone. A word with a colon
// whose key is not known is a word. The error names what cannot be read.
func ParseCallSearch(text string, zone *time.Location) (s CallSearch, err error) {
	for _, word := range splitWords(text) {
		key, value, found := strings.Cut(word, ":")
		if !found || !slices.Contains(callSearchKeys(), key) {
			s.Words = strings.TrimPrefix(s.Words+" "+word, " ")
			continue
		}
		if err := s.set(key, value, zone); err != nil {
			return s, err
		}
	}
	return s, nil
}

// UnknownFilterNote says of text, as [ParseCallSearch] reads it, that a word in it looks like a
// condition and is none; empty: no word does.
func UnknownFilterNote(text string) string {
	for _, word := range splitWords(text) {
		key, value, found := strings.Cut(word, ":")
		letters := key != "" && strings.Trim(key, "abcdefghijklmnopqrstuvwxyz") == ""
		if found && letters && !strings.HasPrefix(value, "//") && !slices.Contains(callSearchKeys(), key) {
			return fmt.Sprintf("there is no filter %s:, so %s is searched for as a word (filters: %s:)", key, word,
				strings.Join(callSearchKeys(), ":, "))
		}
	}
	return ""
}

// SplitWords returns the Words one by one.
func (s *CallSearch) SplitWords() []string { return splitWords(s.Words) }

// splitWords splits at the space alone: all else can be a part of a name.
func splitWords(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ' ' })
}

func (s *CallSearch) set(key, value string, zone *time.Location) (err error) {
	switch key {
	case "client":
		s.ClientPart = value
	case "source":
		s.SourcePart = value
	case "tool":
		s.ToolPart = value
	case "target":
		s.TargetPart = value
	case "effect":
		s.Effect = value
		return checkWord(key, value, "read", "write", "delete", "run", "admin")
	case "is":
		s.Outcome = value
		return checkWord(key, value, "ok", "error", "refused", Asked, "changed", "event")
	case "on":
		s.Since, err = time.ParseInLocation(time.DateOnly, value, zone)
		if err != nil {
			return fmt.Errorf("on:%s is not a day such as 2026-11-21", value)
		}
		s.Until = s.Since.AddDate(0, 0, 1)
	case "since":
		s.Since, err = parseSearchTime(key, value, zone)
	case "until":
		s.Until, err = parseSearchTime(key, value, zone)
	}
	return err
}

func checkWord(key, value string, known ...string) error {
	if value == "" || slices.Contains(known, value) {
		return nil
	}
	return fmt.Errorf("%s:%s is not one of %s", key, value, strings.Join(known, ", "))
}

func parseSearchTime(key, value string, zone *time.Location) (time.Time, error) {
	if value == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.DateOnly, "2006-01-02T15:04"} {
		if t, err := time.ParseInLocation(layout, value, zone); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%s:%s is not a time such as 2026-11-21 or 2026-11-21T15:04", key, value)
}

// Matches reports whether s selects c.
func (s *CallSearch) Matches(c *Call) bool {
	switch {
	case s.Source != "" && c.Source != s.Source,
		!containsFold(c.Client, s.ClientPart), !containsFold(c.Source, s.SourcePart), !containsFold(c.Tool, s.ToolPart),
		!slices.ContainsFunc(append(c.Targets, ""), func(target string) bool { return containsFold(target, s.TargetPart) }),
		s.Effect != "" && c.Effect != s.Effect, !s.matchesOutcome(c),
		!s.Since.IsZero() && c.Time.Before(s.Since), !s.Until.IsZero() && !c.Time.Before(s.Until):
		return false
	}
	for _, word := range s.SplitWords() {
		fields := append([]string{c.Tool, c.Event, c.Client, c.Source, c.Code, c.Message, c.Effect, c.Session}, c.Targets...)
		if !slices.ContainsFunc(fields, func(field string) bool { return containsFold(field, word) }) {
			return false
		}
	}
	return true
}

func (s *CallSearch) matchesOutcome(c *Call) bool {
	switch s.Outcome {
	case "":
		return true
	case "changed":
		return len(c.Changes) > 0
	default:
		return c.outcome() == s.Outcome
	}
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
