package org

import (
	"strings"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

// plainTitle is a title that Org reads as nothing else.
const plainTitle = "-"

// checkReading refuses a title of which Org would read a part as something else: line
// is the heading with it, and plain with a title that is nothing but a title.
func checkReading(line, plain string, s *orgfile.Settings) error {
	line, _, _ = strings.Cut(line, "\n")
	plain, _, _ = strings.Cut(plain, "\n")
	h, p := orgfile.ParseHeading([]byte(line), s), orgfile.ParseHeading([]byte(plain), s)
	text := func(line string, span orgfile.Span) string { return line[span.Start:span.End] }
	var read []string
	differs := func(with, without, kind string) {
		if with != without {
			read = append(read, strings.TrimSpace(with)+" as "+kind)
		}
	}
	differs(text(line, h.Keyword), text(plain, p.Keyword), "its state")
	differs(text(line, h.Cookie), text(plain, p.Cookie), "its priority")
	if h.Commented && !p.Commented {
		read = append(read, "COMMENT as a word that comments it out")
	}
	differs(text(line, h.Tags), text(plain, p.Tags), "its tags")
	if len(read) == 0 {
		return nil
	}
	return tools.Errorf(tools.Invalid, "title: Org would read %.200s", strings.Join(read, ", and ")).
		WithHint("Give state, priority and tags by their own arguments or tools, or choose other words.")
}

// createIDs gives the headlines that an agent has written between two bytes an ID, where
// the configuration says so.
func (e *edit) createIDs(f *editedFile, start, end int) {
	if idPolicy(e.s.config.IDs) == neverIDs {
		return
	}
	for i := len(f.File().Headlines) - 1; i >= 0; i-- { // what is above stays where it is
		if at := int(f.File().Headlines[i].Begin); at >= start && at < end {
			f.CreateID(i)
		}
	}
}
