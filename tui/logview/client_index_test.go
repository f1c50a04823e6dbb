package pane

import (
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/status"
)

// The lines of one client are those that name it and those of its sessions,
// also the ones from before it was known whose session that is.
func TestLinesOfAClient(t *testing.T) {
	p := newLogs(DefaultKeys(), time.UTC, 1000, 1<<20)
	seq := uint64(0)
	read := func(part, text string) {
		seq++
		p = p.AppendLines([]status.Line{{Seq: seq, Level: status.Info, Component: part, Text: text}}).(Logs)
	}
	shown := func(want ...string) {
		t.Helper()
		var got []string
		for i := range p.view.len() {
			l := p.view.ring.line(p.view.at(i))
			got = append(got, string(p.view.ring.text(l)))
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s shows\n%s\nwant\n%s", p.note(), strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	read("hub", "session opened session=s1")
	read("hub", "session opened session=s2")
	read("audit", "call session=s1 client=zed code=ok")
	read("hub", `call failed session=s2 client="Claude Code" err="no client=zed here"`)
	read("hub", "session closed session=s12 client=\"\"")
	p, _ = pressed(p, "p", "p", "p")
	shown("session opened session=s1", "call session=s1 client=zed code=ok")
	read("hub", "session opened session=s3")
	read("hub", "call failed session=s1 err=timeout")
	shown("session opened session=s1", "call session=s1 client=zed code=ok", "call failed session=s1 err=timeout")
	read("audit", "call session=s3 client=zed code=ok")
	shown("session opened session=s1", "call session=s1 client=zed code=ok", "session opened session=s3", "call failed session=s1 err=timeout", "call session=s3 client=zed code=ok")
	p, _ = pressed(p, "p")
	shown("session opened session=s2", `call failed session=s2 client="Claude Code" err="no client=zed here"`)
	if m, ok := p.SaveState().(logsState); !ok || m.Client != "Claude Code" || !strings.Contains(p.note(), "client Claude Code") {
		t.Errorf("remembered %+v, note %s", p.SaveState(), p.note())
	}
	p, _ = pressed(p, "p")
	if p.view.len() != 8 {
		t.Errorf("after the last client %d lines are shown, want all", p.view.len())
	}
	seq = 0
	p, _ = pressed(p, "p", "p", "p")
	read("hub", "session opened session=s1")
	if n := p.view.len(); n != 6 { // those of before, and the remark
		t.Errorf("a session of another hub is taken for one of this: %s", p.note())
	}
}
