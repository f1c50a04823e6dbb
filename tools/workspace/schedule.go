package workspace

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/notestore"
)

// shortestSchedule is how often a script may be run, and how often schedules are
// read: another hub on the same database, or an undo, may have changed them.
const shortestSchedule = time.Minute

// longestSchedule keeps a mistake from being a script that is never run.
const longestSchedule = 366 * 24 * time.Hour

// A scriptSchedule is when a saved script is run: every so often, or at a time of the
// day on some days.
type scriptSchedule struct {
	Every string       `json:"every,omitempty"` // a duration
	Daily string       `json:"daily,omitempty"` // HH:MM, local time
	Days  scheduleDays `json:"days,omitempty"`  // on which Daily counts
	Since time.Time    `json:"since"`
}

const timeOfDay = "15:04"

// parseSchedule reads "15m", "36h", "07:30", "mon-fri 07:30" or "1,15 07:30".
func parseSchedule(text string, now time.Time) (scriptSchedule, error) {
	days, at := scheduleDays(""), text
	if i := strings.LastIndexByte(text, ' '); i >= 0 {
		var err error
		if days, err = parseDays(text[:i]); err != nil {
			return scriptSchedule{}, err
		}
		at = text[i+1:]
	}
	if parsed, err := time.Parse(timeOfDay, at); err == nil {
		return scriptSchedule{Daily: parsed.Format(timeOfDay), Days: days, Since: now.UTC()}, nil
	}
	if every, err := time.ParseDuration(text); err == nil && every >= shortestSchedule && every <= longestSchedule {
		return scriptSchedule{Every: every.String(), Since: now.UTC()}, nil
	}
	return scriptSchedule{}, tools.Errorf(tools.Invalid, "%.40q is not a time for a schedule", text).
		WithHint("Write how often, from 1m, such as 15m or 24h; a time of the day, such as 07:30; or days and a time, such as %q, %q or %q.",
			"mon-fri 07:30", "1,15 07:30", "last 18:00")
}

// String is the schedule as a person reads it.
func (s scriptSchedule) String() string {
	switch {
	case s.Daily == "":
		return "every " + s.Every
	case s.Days == "":
		return "daily at " + s.Daily
	default:
		return s.Days.String() + " at " + s.Daily
	}
}

// next is the first time after last, in whose location a day begins.
func (s scriptSchedule) next(last time.Time) (time.Time, error) {
	if s.Daily == "" {
		every, err := time.ParseDuration(s.Every)
		return last.Add(max(every, shortestSchedule)), err
	}
	at, err := time.Parse(timeOfDay, s.Daily)
	if err != nil {
		return last, err
	}
	for i := range longestWait {
		day := time.Date(last.Year(), last.Month(), last.Day()+i, at.Hour(), at.Minute(), 0, 0, last.Location())
		if day.After(last) && s.Days.includes(day) {
			return day, nil
		}
	}
	return last, fmt.Errorf("the schedule %q has no day", s)
}

// A scheduledScript is a schedule with its script and its newest run.
type scheduledScript struct {
	scriptSchedule
	workspace, name string
	last            time.Time // since when the next time counts
	ran             bool      // at last
	newest          scheduledRun
}

// label is the script as people name it; in the source's own workspace by its name.
func (s scheduledScript) label(source string) string {
	if s.workspace == source {
		return s.name
	}
	return s.workspace + "/" + s.name
}

// scheduleClient is the client as which a script runs, by the arguments of the command.
func scheduleClient(source string, args map[string]string) string {
	s := scheduledScript{workspace: cmp.Or(args["workspace"], source), name: args["name"]}
	return "script:" + source + "/" + s.label(source)
}

// schedules are those of all workspaces.
func (w *Workspaces) schedules(ctx context.Context) (list []scheduledScript, err error) {
	draft := w.store.Begin(notestore.View{})
	workspaces, err := draft.Documents(ctx, "", notestore.WorkspaceKind, "", maxScheduled)
	if err != nil {
		return nil, err
	}
	for _, in := range workspaces {
		docs, err := draft.Documents(ctx, in.Workspace, notestore.ScheduleKind, "", maxScheduled)
		if err != nil {
			return nil, err
		}
		for _, doc := range docs {
			one, err := readSchedule(ctx, draft, doc)
			if err != nil {
				return nil, err
			}
			list = append(list, one)
		}
	}
	return list, nil
}

func readSchedule(ctx context.Context, draft *notestore.Draft, doc notestore.Document) (s scheduledScript, err error) {
	s.workspace, s.name = doc.Workspace, doc.ID
	if err := json.Unmarshal([]byte(doc.Body), &s.scriptSchedule); err != nil {
		return s, fmt.Errorf("read schedule of %s: %w", doc.ID, err)
	}
	run, err := draft.Document(ctx, doc.Workspace, notestore.ScheduledRunKind, doc.ID)
	if err == nil && run != nil {
		err = json.Unmarshal([]byte(run.Body), &s.newest)
	}
	if s.last, s.ran = s.newest.At, s.newest.At.After(s.Since); !s.ran {
		s.last = s.Since
	}
	return s, err
}

// maxScheduled bounds what is read of workspaces, and of schedules in each.
const maxScheduled = 1000

// A scheduledRun is when a script was last run by its schedule, and how that ended.
type scheduledRun struct {
	At      time.Time `json:"at"`
	Outcome string    `json:"outcome,omitempty"` // succeeded or failed; empty: it has not ended, or its hub has
	Why     string    `json:"why,omitempty"`     // it failed
}

// describeLast says for a person when the newest run was and how it ended.
func (s scheduledScript) describeLast() string {
	if !s.ran {
		return "not yet"
	}
	at := s.last.Local().Format(time.DateTime)
	switch s.newest.Outcome {
	case succeeded:
		return at + " succeeded"
	case failed:
		return at + " failed: " + s.newest.Why
	default:
		return at + " has not ended, or was cut off"
	}
}

func scheduleScript(ctx context.Context, w *Workspaces, call tools.CommandCall, out io.Writer) error {
	workspace, err := workspaceArgument(ctx, w, call)
	if err != nil {
		return err
	}
	name := call.Args["name"]
	if _, err := findScript(ctx, w, workspace, name); err != nil {
		return err
	}
	schedule, err := parseSchedule(call.Args["when"], w.now())
	if err != nil {
		return err
	}
	if err := putByPerson(ctx, w, call, notestore.Document{Workspace: workspace, Kind: notestore.ScheduleKind, ID: name},
		schedule); err != nil {
		return err
	}
	w.wakeSchedule()
	s := scheduledScript{scriptSchedule: schedule, workspace: workspace, name: name}
	next, err := schedule.next(w.now())
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s runs %s as the client script:%s/%s, next on %s\n", name, schedule, w.name, s.label(w.name),
		next.Format(time.DateTime))
	return err
}

func unscheduleScript(ctx context.Context, w *Workspaces, call tools.CommandCall, out io.Writer) error {
	workspace, err := workspaceArgument(ctx, w, call)
	if err != nil {
		return err
	}
	name := call.Args["name"]
	draft := w.store.Begin(notestore.View{})
	doc, err := draft.Document(ctx, workspace, notestore.ScheduleKind, name)
	switch {
	case err != nil:
		return err
	case doc == nil:
		return tools.Errorf(tools.NotFound, "%.80q has no schedule in workspace %s", name, workspace).
			WithHint("`lectern script schedules` lists those that have one.")
	}
	if err := draft.Remove(ctx, workspace, notestore.ScheduleKind, name); err != nil {
		return err
	}
	if err := commitByPerson(ctx, call, draft); err != nil {
		return err
	}
	w.wakeSchedule()
	label := scheduledScript{workspace: workspace, name: name}.label(w.name)
	_, err = fmt.Fprintf(out, "%s no longer has a schedule; `lectern grant script:%s/%s %s --reset` removes what it may do\n", name, w.name,
		label, w.name)
	return err
}

func listSchedules(ctx context.Context, w *Workspaces, call tools.CommandCall, out io.Writer) error {
	list, err := w.schedules(ctx)
	if err != nil {
		return err
	}
	var rows [][]string
	for _, s := range list {
		next, err := s.next(s.last.In(w.now().Location()))
		if err != nil {
			return err
		}
		rows = append(rows, []string{s.label(w.name), s.String(), next.Local().Format(time.DateTime), s.describeLast()})
	}
	return call.PrintList(out, []string{"SCRIPT", "SCHEDULE", "NEXT", "LAST"}, rows)
}
