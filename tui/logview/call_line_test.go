package logview

import (
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// At 80 columns the row of a call says how it ended, with which tool, whose it was and in
// which source; what else is known comes behind.
func TestLogRowOfACallSaysItsResultFirst(t *testing.T) {
	v := New(widget.DefaultNavKeys(), DefaultLogKeys(), time.UTC)
	line := "call code=not_found tool=search_pages client=claude-code source=notes duration=1.2ms bytes=61 effect=read session=s1"
	v.log.addLine(v.log.ring.add(ringLine{time: time.Unix(0, 0), level: infoLevel, component: "audit", text: line}))
	row := strings.Join(v.Draw(theme.New(theme.Mode{NoColor: true}), 76, 1), "")
	if want := "not_found search_pages claude-code notes"; !strings.Contains(row, want) {
		t.Errorf("%q does not say %q", row, want)
	}
	if !strings.Contains(v.FilteredText(), line) {
		t.Errorf("what is saved is not the line: %q", v.FilteredText())
	}
}

func TestShownText(t *testing.T) {
	for text, want := range map[string]string{
		`call code=ok tool=read_page client="a b" source=notes bytes=1`: `ok read_page "a b" notes bytes=1`,
		`call code=ok tool=read_page client=a source=notes`:             `call code=ok tool=read_page client=a source=notes`, // cut
		`call code=ok tool=read_page bytes=1`:                           `call code=ok tool=read_page bytes=1`,
		`source opened name=notes`:                                      `source opened name=notes`,
	} {
		l := ringLine{component: "audit", text: text}
		if got := l.shownText(); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
	if l := (ringLine{component: "hub", text: "call code=ok tool=a client=b source=c bytes=1"}); l.shownText() != l.text {
		t.Errorf("a line of another component is shown as %q", l.shownText())
	}
}
