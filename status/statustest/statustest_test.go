package statustest

import (
	"testing"

	"github.com/lectern-mcp/lectern/status"
)

func TestFake(t *testing.T) {
	Run(t, func(_ *testing.T, f *Fake) status.Client { return f })
	RunLedger(t, func(_ *testing.T, f *Fake) status.Ledger { return f })
	RunDesk(t, func(_ *testing.T, f *Fake) status.Desk { return f })
	RunShelf(t, func(_ *testing.T, f *Fake) status.Shelf { return f })
}

var _ status.Access = (*Fake)(nil)

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
