package orgvars

import (
	"regexp"
	"strings"
	"sync"

	"github.com/lectern-mcp/lectern/tools/org/internal/lispdata"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

// lispEscape matches what a template takes from Lisp or from another file.
var lispEscape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:^|[^\\])%[(\[]`) })

// setCapture keeps a template that needs Lisp with the reason, so that the others
// can be used.
func setCapture(s *orgfile.Settings, v lispdata.Value) error {
	s.Capture = nil
	for _, item := range v.Items {
		if len(item.Items) < 2 || item.Items[0].Kind != lispdata.String {
			return errKind
		}
		if len(item.Items) == 2 {
			continue // the title of a group of keys
		}
		s.Capture = append(s.Capture, readTemplate(item.Items))
	}
	return nil
}

func readTemplate(v []lispdata.Value) orgfile.CaptureTemplate {
	t := orgfile.CaptureTemplate{Key: v[0].Text, Name: v[1].Text, Type: v[2].Text}
	if v[2].Nil() {
		t.Type = "entry"
	}
	usual := map[string]string{"entry": "* %?\n  %a", "item": "- %?", "checkitem": "- [ ] %?", "table-line": "| %? |"}
	text, known := usual[t.Type]
	if t.Text = text; !known {
		t.Unusable = "its type is not entry, item, checkitem or table-line"
		return t
	}
	if len(v) > 3 && !readCaptureTarget(&t, v[3].Items) {
		t.Unusable = "its target is not a file, a headline, an ID or a date tree"
	}
	if len(v) > 4 {
		if v[4].Kind == lispdata.String {
			if strings.TrimSpace(v[4].Text) != "" { // else the usual one
				t.Text = v[4].Text
			}
		} else if !v[4].Nil() {
			t.Unusable = "its text is in another file, or made by a function"
		}
	}
	if lispEscape().MatchString(t.Text) {
		t.Unusable = "its text needs Lisp or another file: %( or %["
	}
	for i := 5; i+1 < len(v); i += 2 {
		switch v[i].Text {
		case ":prepend":
			t.Prepend = !v[i+1].Nil()
		case ":empty-lines":
			t.EmptyLines = min(max(0, v[i+1].Int), 100)
		}
	}
	return t
}

func readCaptureTarget(t *orgfile.CaptureTemplate, v []lispdata.Value) bool {
	for _, part := range v[min(1, len(v)):] {
		if part.Kind != lispdata.String && !part.Nil() {
			return false
		}
	}
	if len(v) < 2 {
		return false
	}
	rest := texts(lispdata.Value{Items: v[2:]})
	switch t.File = v[1].Text; v[0].Text {
	case "file":
	case "id":
		t.File, t.ID = "", v[1].Text
	case "file+headline":
		if len(rest) != 1 {
			return false
		}
		t.Headline = rest[0]
	case "file+olp":
		t.Path = rest
	case "file+datetree", "file+olp+datetree":
		t.Path, t.DateTree = rest, true
	default:
		return false
	}
	return !t.DateTree || t.Type == "entry"
}
