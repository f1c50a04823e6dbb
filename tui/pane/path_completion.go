package pane

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// A pathCompletion is what completes the path in the field of a [SourceForm] that
// has the focus.
type pathCompletion struct {
	of     CompletePathQuery // what found answers; empty: nothing yet
	found  status.PathCompletion
	failed bool // there was no answer
	wanted bool // the key came before the answer
}

// pathQuery asks what completes the path in the field with the focus; ok is false if
// there is none.
func (f SourceForm) pathQuery() (q CompletePathQuery, ok bool) {
	k, _ := f.focusedKey()
	path := strings.TrimLeft(f.typed[k.Name].Value(), " ")
	switch k.Type {
	case "folder":
	case "secret":
		if path, q.Files = strings.CutPrefix(path, "file:"); !q.Files {
			return q, false
		}
	default:
		return q, false
	}
	if path != "" && !isAbsolute(path) {
		path = "~/" + path // where a shell begins
	}
	q.Path = path
	return q, path != ""
}

// WantedQuery is what the form needs to know to complete a path; nil: nothing.
func (f SourceForm) WantedQuery() Query {
	if q, ok := f.pathQuery(); ok && q != f.paths.of {
		return q
	}
	return nil
}

// TakePaths takes the Result of a [CompletePathQuery], and completes the path if
// that was asked for meanwhile.
func (f SourceForm) TakePaths(r Result) SourceForm {
	q, ok := f.pathQuery()
	if !ok || r.Query != Query(q) {
		return f
	}
	wanted := f.paths.wanted
	f.paths = pathCompletion{of: q, found: r.Paths, failed: r.Err != nil}
	if wanted {
		next, done := f.completePath()
		if done {
			return next.moveFocus(1)
		}
		return next
	}
	return f
}

// completePath completes the path in the field with the focus as far as it is
// certain, as a shell does. done reports that there is nothing left to complete: the
// field has no path, or the path names a folder.
func (f SourceForm) completePath() (next SourceForm, done bool) {
	k, _ := f.focusedKey()
	q, ok := f.pathQuery()
	switch {
	case !ok && k.Type == "folder" && k.Required:
		return f.withPath(k, "~/"), false
	case !ok || q == f.paths.of && f.paths.failed:
		return f, true
	case q != f.paths.of:
		f.paths.wanted = true
		return f, false
	}
	found := f.paths.found
	longer := found.Dir + commonPrefix(found.Names)
	if found.Folder && !q.Files && longer == q.Path+"/" { // there is only a separator to add
		return f, true
	}
	if len(found.Names) > 0 && found.More == 0 && longer != q.Path {
		return f.withPath(k, longer), false
	}
	switch {
	case found.Folder && !q.Files, q.Files && len(found.Names) == 1:
		return f, true
	case len(found.Names) == 0:
		f.problem = "Nothing on this machine begins with " + q.Path + "."
	}
	return f, false
}

// withPath replaces the path of a key.
func (f SourceForm) withPath(k status.ConfigKey, path string) SourceForm {
	if k.Type == "secret" {
		path = "file:" + path
	}
	return f.withFieldInput(k.Name, widget.NewTextInput(path))
}

// commonPrefix is how all names begin.
func commonPrefix(names []string) string {
	if len(names) == 0 {
		return ""
	}
	prefix := names[0]
	for _, name := range names[1:] {
		for !strings.HasPrefix(name, prefix) {
			_, last := utf8.DecodeLastRuneInString(prefix)
			prefix = prefix[:len(prefix)-last]
		}
	}
	return prefix
}

// maxPathRows is how many rows the names take that complete a path.
const maxPathRows = 3

// pathRows are the names that complete the path in the field with the focus; none if
// that is not known, or nothing does.
func (f SourceForm) pathRows(t theme.Theme, w int) []string {
	q, ok := f.pathQuery()
	names := f.paths.found.Names
	if !ok || q != f.paths.of || len(names) == 0 {
		return nil
	}
	rows := []string{""}
	for i, name := range names {
		name, last := theme.Sanitize(name), &rows[len(rows)-1]
		room := w
		if len(rows) == maxPathRows {
			room -= len("  and 9999 more")
		}
		switch {
		case *last == "":
			*last = name
		case theme.Width(*last)+2+theme.Width(name) <= room:
			*last += "  " + name
		case len(rows) == maxPathRows:
			*last += fmt.Sprintf("  and %d more", len(names)-i+f.paths.found.More)
			return cutRowsToWidth(t, rows, w)
		default:
			rows = append(rows, name)
		}
	}
	return cutRowsToWidth(t, rows, w)
}

func cutRowsToWidth(t theme.Theme, rows []string, w int) []string {
	for i := range rows {
		rows[i] = t.Text.Cut(rows[i], w)
	}
	return rows
}
