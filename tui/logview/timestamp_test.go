package logview

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/status"
)

func TestDistance(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0", time.Millisecond: "+1ms", -999 * time.Millisecond: "-999ms", -12345 * time.Millisecond: "-12.3s",
		4*time.Minute + 5*time.Second: "+4m05s", -time.Hour: "-1h00m", -23*time.Hour - 59*time.Minute: "-23h59m",
		-100 * 24 * time.Hour: "-100d", math.MinInt64: "-99999d", time.Microsecond: "0",
	} {
		if got := relativeTime(d); got != want || len(got) > relativeWidth {
			t.Errorf("%d is %q, want %q", d, got, want)
		}
	}
}

// Distances are measured from the newest line, or from the mark, and say the
// same however late it is.
func TestStamps(t *testing.T) {
	p := testView(100, 1<<16)
	for i, at := range []time.Duration{0, 1500 * time.Millisecond, time.Minute, time.Hour} {
		p = p.Append([]status.Line{{Seq: uint64(i + 1), Level: status.Info, Component: "hub", Text: fmt.Sprintf("line-%d", i), Time: time.Unix(0, 0).Add(at)}})
	}
	shows := func(want ...string) {
		t.Helper()
		seen := strings.Join(shown(p, 96, 22), "\n")
		for _, w := range want {
			if !strings.Contains(seen, w) {
				t.Errorf("no %q in:\n%s", w, seen)
			}
		}
	}
	shows("00:00:01 info", "01:00:00 info")
	p = pressed(p, "t")
	shows("-1h00m info", "-59m58s info", "-59m00s info", "      0 info")
	p = pressed(p, "g", "m", "j")
	shows("      0▸info", "  +1.5s▸info", " +1m00s info")
	p = pressed(p, "t")
	if seen := strings.Join(shown(p, 96, 22), "\n"); strings.Contains(seen, "+1.5s") || strings.Contains(seen, "00:00") {
		t.Errorf("times are shown:\n%s", seen)
	}
	b := p.SaveState()
	if m, ok := b.(savedState); !ok || m.Stamp != "none" {
		t.Errorf("remembered %+v", b)
	}
}
