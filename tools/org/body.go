package org

import (
	"regexp"
	"strings"

	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

var blockLine = regexp.MustCompile(`(?im)^[ \t]*#\+(begin|end)_(\S+)`)

// checkBody checks text that goes below a heading of so many stars: it must neither
// end the entry by a heading, nor leave a block open.
func checkBody(body string, level int) error {
	if err := checkLength("body", body, maxBody); err != nil {
		return err
	}
	for line := range strings.SplitSeq(body, "\n") {
		if n := orgfile.Stars([]byte(line)); n > 0 && n <= level {
			return tools.Errorf(tools.Invalid, "Body cannot contain headlines at level %d or shallower (fewer stars)", level).
				WithHint("Put a comma or a space in front of the stars.")
		}
	}
	open := ""
	for _, m := range blockLine.FindAllStringSubmatch(body, -1) {
		kind := strings.ToUpper(m[2])
		switch begins := strings.EqualFold(m[1], "begin"); {
		case begins && open == "":
			open = kind
		case !begins && open == kind:
			open = ""
		case !begins && open == "":
			return tools.Errorf(tools.Invalid, "Orphaned END_%.40s without BEGIN_%.40s", kind, kind).
				WithHint("Add a line #+BEGIN_%.40s above it, or leave it out.", kind)
		}
	}
	if open != "" {
		return tools.Errorf(tools.Invalid, "Body contains unclosed %.40s block", open).
			WithHint("Add a line #+END_%.40s below #+BEGIN_%.40s, or leave both out.", open, open)
	}
	return nil
}

// Limits of what agents write, in bytes: one line of a file is no place for more.
const (
	maxTitle = 2_000
	maxValue = 16 << 10
	maxBody  = 512 << 10
)

// checkLength refuses text that is too long.
func checkLength(what, text string, limit int) error {
	if len(text) > limit {
		return tools.Errorf(tools.Limited, "%s: at most %d bytes, got %d", what, limit, len(text))
	}
	return nil
}

// checkTitle checks the title of a headline.
func checkTitle(title string) error {
	switch {
	case safetext.IsInvisible(title):
		return tools.Errorf(tools.Invalid, "Headline title cannot be empty or contain only whitespace")
	case strings.ContainsAny(title, "\n\r"):
		return tools.Errorf(tools.Invalid, "Headline title cannot contain newlines")
	}
	return checkLength("title", title, maxTitle)
}

// checkTags checks the names of tags.
func checkTags(tags []string) error {
	if err := checkLength("tags", strings.Join(tags, ":"), maxTitle); err != nil {
		return err
	}
	for _, t := range tags {
		if !orgfile.ValidTag(t) {
			return tools.Errorf(tools.Invalid, "Invalid tag name (must be alphanumeric, _, or @): %.60s", t)
		}
	}
	return nil
}
