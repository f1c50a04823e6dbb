package logview

import (
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/status"
)

// pressed presses keys in the usual view.
func pressed(p View, keys ...string) View { return press(p, 96, 22, keys...) }

// The lines of one client are those that name it and those of its sessions,
// also the ones from before it was known whose session that is.
func TestLinesOfAClient(t *testing.T) {
	p := testView(1000, 1<<20)
	seq := uint64(0)
	read := func(part, text string) {
		seq++
		p = p.Append([]status.Line{{Seq: seq, Level: status.Info, Component: part, Text: text}})
	}
	shown := func(want ...string) {
		t.Helper()
		var got []string
		for i := range p.log.len() {
			l := p.log.ring.line(p.log.lineNumberAt(i))
			got = append(got, l.text)
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s shows\n%s\nwant\n%s", p.Summary(), strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	read("hub", "session opened session=s1")
	read("hub", "session opened session=s2")
	read("audit", "call session=s1 client=zed code=ok")
	read("hub", `call failed session=s2 client="Claude Code" err="no client=zed here"`)
	read("hub", "session closed session=s12 client=\"\"")
	p = pressed(p, "p", "p", "p")
	shown("session opened session=s1", "call session=s1 client=zed code=ok")
	read("hub", "session opened session=s3")
	read("hub", "call failed session=s1 err=timeout")
	shown("session opened session=s1", "call session=s1 client=zed code=ok", "call failed session=s1 err=timeout")
	read("audit", "call session=s3 client=zed code=ok")
	shown("session opened session=s1", "call session=s1 client=zed code=ok", "session opened session=s3", "call failed session=s1 err=timeout", "call session=s3 client=zed code=ok")
	p = pressed(p, "p")
	shown("session opened session=s2", `call failed session=s2 client="Claude Code" err="no client=zed here"`)
	if m, ok := p.StateToSave().(savedState); !ok || m.Client != "Claude Code" || !strings.Contains(p.Summary(), "client Claude Code") {
		t.Errorf("remembered %+v, note %s", p.StateToSave(), p.Summary())
	}
	p = pressed(p, "p")
	if p.log.len() != 8 {
		t.Errorf("after the last client %d lines are shown, want all", p.log.len())
	}
	seq = 0
	p = pressed(p, "p", "p", "p")
	read("hub", "session opened session=s1")
	if n := p.log.len(); n != 6 { // those of before, and the remark
		t.Errorf("a session of another hub is taken for one of this: %s", p.Summary())
	}
}
