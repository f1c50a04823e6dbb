package statustest

import (
	"testing"

	"github.com/lectern-mcp/lectern/status"
)

func TestFake(t *testing.T) {
	Run(t, func(_ *testing.T, f *Fake) status.Client { return f })
	RunLedger(t, func(_ *testing.T, f *Fake) status.History { return f })
	RunDesk(t, func(_ *testing.T, f *Fake) status.Operator { return f })
	RunShelf(t, func(_ *testing.T, f *Fake) status.Browser { return f })
}

var _ status.API = (*Fake)(nil)

func TestEndClosesWhatIsOpen(t *testing.T) {
	f := new(Fake)
	f.AddLine(status.Line{Text: "one"})
	snaps, _ := watch(t, f)
	lines, _ := logs(t, f, status.LogQuery{Follow: true})
	next(t, snaps)
	next(t, lines)
	f.End()
	closes(t, snaps)
	closes(t, lines)
	again, _ := watch(t, f)
	next(t, again)
}
