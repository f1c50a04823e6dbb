package tui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/status"
)

// The Logs go on where the running hub's lines begin: with those that are on disk, of
// hubs before it, as far back as a person goes.
func TestLogsGoBackToTheDisk(t *testing.T) {
	runPanel(t, nextCrowded(), func(r *testPanel) {
		var asked []status.LogPageFilter
		r.queries.logPage = func(f status.LogPageFilter) (status.LogPage, error) {
			asked = append(asked, f)
			if f.Before == "two" {
				return status.LogPage{}, errors.New("the disk is on fire")
			}
			page := status.LogPage{Next: map[string]string{"": "one", "one": "two"}[f.Before]}
			for i := range 50 {
				page.Lines = append(page.Lines, status.Line{Time: noon.AddDate(0, 0, -len(asked)).Add(time.Duration(i) * time.Second), Component: "hub", Text: "of an earlier hub"})
			}
			return page, nil
		}
		r.press("@Logs")
		r.log()
		r.shows("following")
		r.press("g", "g", "k")
		r.shows("of an earlier hub", "Friday 20 November 2026")
		r.press("g")
		r.shows("older ones cannot be read: the disk is on fire")
		if len(asked) != 3 || !asked[0].Until.Equal(noon) || asked[1].Before != "one" {
			t.Errorf("asked %+v", asked)
		}
	})
}

// Without a hub the Logs show what earlier ones have left.
func TestLogsWithoutAHub(t *testing.T) {
	runPanel(t, crashing(), func(r *testPanel) {
		r.queries.logPage = func(status.LogPageFilter) (status.LogPage, error) {
			return status.LogPage{Lines: []status.Line{{Time: noon, Component: "hub", Text: "the last words of it"}}}, nil
		}
		r.press("@Logs")
		r.shows("the last words of it")
	})
}

// LogPage answers status.LogPageQuery.
func (c *fakeQueries) LogPage(_ context.Context, f status.LogPageFilter) (status.LogPage, error) {
	if c.logPage == nil {
		return status.LogPage{}, nil
	}
	return c.logPage(f)
}

// E exports what the filter shows, and without one the whole log.
func TestExportLogs(t *testing.T) {
	runPanel(t, crowded(), func(r *testPanel) {
		r.log()
		r.press("@Logs", "E")
		r.wait(time.Second)
		r.shows("exported the whole log")
		if len(r.saved) > 0 {
			t.Errorf("saved %v", r.saved)
		}
		r.press("/", "vault", "enter", "E")
		r.wait(time.Second)
		if text := r.saved["lectern.log"]; !strings.Contains(text, "open vault") || strings.Count(text, "\n") != strings.Count(text, "vault") {
			t.Errorf("exported %q", text)
		}
		r.press("esc", "/", "no such line", "enter", "E")
		r.shows("There is no line to export.")
	})
}
