package statustest

import (
	"testing"

	"github.com/lectern-mcp/lectern/status"
)

func TestFake(t *testing.T) {
	Run(t, func(_ *testing.T, f *Fake) status.Client { return f })
}

func TestEndClosesWhatIsOpen(t *testing.T) {
	f := new(Fake)
	f.AddLine(status.Line{Text: "one"})
	snaps, _ := watch(t, f)
	lines := openLogs(t, f, status.LogFilter{Follow: true})
	next(t, snaps)
	next(t, lines)
	f.End()
	closes(t, snaps)
	closes(t, lines)
	again, _ := watch(t, f)
	next(t, again)
}
