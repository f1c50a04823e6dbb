package workspace

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/notestore"
)

// commands are what a person does from the shell: `lectern workspace script list`, or
// shorter, `lectern script list`.
func commands() []tools.Command[*Workspaces] {
	name := tools.CommandArgument{Name: "name", Doc: "name of the script: letters, digits, - and _", Required: true}
	workspace := tools.CommandArgument{Name: "workspace", Doc: "the workspace; the source's own when omitted"}
	return []tools.Command[*Workspaces]{
		{
			CommandInfo: tools.CommandInfo{
				Name: "export", Doc: "Write a workspace to a folder of Markdown files.\n\nThe folder then holds exactly the notes of the workspace; " +
					"files that an export wrote before are replaced, others are never touched.",
				Args: []tools.CommandArgument{{Name: "folder", Doc: "where to; made if it is missing", Required: true, Folder: true}, workspace},
			},
			Run: command(exportFolder),
		},
		{
			CommandInfo: tools.CommandInfo{
				Name: "import", Doc: "Take a folder of Markdown files over into a workspace.\n\nNotes with the id of a file get its text, other " +
					"notes stay. `lectern undo` takes it back.",
				Args: []tools.CommandArgument{{Name: "folder", Doc: "where from", Required: true, Folder: true}, workspace},
			},
			Run: command(importFolder),
		},
		{
			CommandInfo: tools.CommandInfo{
				Name: "script list", Doc: "List the saved scripts of a workspace.", Args: []tools.CommandArgument{workspace},
			},
			Run: command(listScripts),
		},
		{
			CommandInfo: tools.CommandInfo{
				Name: "script save", Doc: "Save a script under a name.\n\nThe file is JavaScript, or TypeScript if its name ends in .ts.",
				Args: []tools.CommandArgument{name, {Name: "file", Doc: "the script", Required: true, Folder: true}, workspace},
			},
			Run: command(saveScript), Complete: completion(completeScript),
		},
		{
			CommandInfo: tools.CommandInfo{
				Name: "script run", Doc: "Run a saved script, or one in a file.\n\nIt may do what you may. `lectern undo` takes back what it wrote " +
					"by the ID of the run.",
				Args: []tools.CommandArgument{
					{Name: "name", Doc: "name of a saved script, or a file such as tidy.js or tidy.ts", Required: true, PathOrName: true},
					workspace,
					{Name: "input", Doc: "JSON that the script sees as input"},
					{Name: "dry-run", Doc: "only show what it would change", Flag: true},
				},
			},
			Run: command(runSavedScript), Complete: completion(completeScript),
		},
		{
			CommandInfo: tools.CommandInfo{
				Name: "script remove", Doc: "Remove a saved script.", Args: []tools.CommandArgument{name, workspace}, Confirm: "Remove the script?",
			},
			Run: command(removeScript), Complete: completion(completeScript),
		},
		{
			CommandInfo: tools.CommandInfo{
				Name: "script schedule", Doc: "Run a saved script on a schedule.\n\nIt runs as a client of its own, script:SOURCE/NAME, and may do " +
					"only what you grant " +
					"to that client: here in its own source, by `lectern grant` in others. You see the grant before it is made. What needs an approval " +
					"waits for you like that of any agent.",
				Args: []tools.CommandArgument{
					name, {
						Name: "when", Required: true,
						Doc: `how often, such as 15m or 24h, or a time of the day, such as 07:30, with days before it or not: "mon-fri 07:30", "1,15 07:30", "last 18:00"`,
					}, workspace,
				},
				Grant: &tools.CommandGrant{Client: scheduleClient, Effects: []tools.Effect{tools.Reads, tools.Runs}},
			},
			Run: command(scheduleScript), Complete: completion(completeScript),
		},
		{
			CommandInfo: tools.CommandInfo{
				Name: "script unschedule", Doc: "End the schedule of a script.", Args: []tools.CommandArgument{name, workspace},
			},
			Run: command(unscheduleScript), Complete: completion(completeScript),
		},
		{
			CommandInfo: tools.CommandInfo{Name: "script schedules", Doc: "List the scripts that have a schedule."},
			Run:         command(listSchedules),
		},
		{
			CommandInfo: tools.CommandInfo{Name: "script runs", Doc: "List the newest runs of scripts since the hub started, newest first."},
			Run:         command(listRuns),
		},
	}
}

// A savedScript is a script as it is kept.
type savedScript struct {
	Language Language  `json:"language"`
	Code     string    `json:"code"`
	Saved    time.Time `json:"saved"`
}

var scriptName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// workspaceArgument is the workspace that a command is about.
func workspaceArgument(ctx context.Context, w *Workspaces, call tools.CommandCall) (string, error) {
	id := call.Args["workspace"]
	if id == "" {
		return w.name, nil
	}
	if _, err := w.get(ctx, w.path(ID(id)), nil, &struct{}{}); err != nil {
		return "", err
	}
	return id, nil
}

func listScripts(ctx context.Context, w *Workspaces, call tools.CommandCall, out io.Writer) error {
	workspace, err := workspaceArgument(ctx, w, call)
	if err != nil {
		return err
	}
	saved, err := w.store.Begin(notestore.View{}).Documents(ctx, workspace, notestore.ScriptKind, "", 1000)
	if err != nil {
		return err
	}
	var rows [][]string
	for _, doc := range saved {
		var s savedScript
		if err := json.Unmarshal([]byte(doc.Body), &s); err != nil {
			return fmt.Errorf("read script %s: %w", doc.ID, err)
		}
		rows = append(rows, []string{doc.ID, string(s.Language), strconv.Itoa(len(s.Code)), s.Saved.Local().Format(time.DateTime)})
	}
	return call.PrintList(out, []string{"SCRIPT", "LANGUAGE", "BYTES", "SAVED"}, rows)
}

// saveScript reads the file in the hub, which runs as the person who gives the
// command.
func saveScript(ctx context.Context, w *Workspaces, call tools.CommandCall, out io.Writer) error {
	name, file := call.Args["name"], call.Args["file"]
	workspace, err := workspaceArgument(ctx, w, call)
	if err != nil {
		return err
	}
	if !scriptName.MatchString(name) {
		return tools.Errorf(tools.Invalid, "%.80q is not the name of a script", name).WithHint("Use letters, digits, - and _.")
	}
	s, err := readScript(file)
	if err != nil {
		return err
	}
	s.Saved = w.now().UTC()
	if err := putByPerson(ctx, w, call, notestore.Document{Workspace: workspace, Kind: notestore.ScriptKind, ID: name}, s); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "saved %s; run it with `lectern script run %s`\n", name, name)
	return err
}

// readScript reads a file, whose name tells the language.
func readScript(file string) (savedScript, error) {
	code, err := os.ReadFile(file)
	if err != nil {
		return savedScript{}, tools.Errorf(tools.NotFound, "read the script: %w", err)
	}
	s := savedScript{Language: "js", Code: string(code)}
	if strings.HasSuffix(file, ".ts") {
		s.Language = "ts"
	}
	return s, nil
}

// putByPerson writes a document with value as its body.
func putByPerson(ctx context.Context, w *Workspaces, call tools.CommandCall, d notestore.Document, value any) error {
	body, err := tools.PlainJSON(value)
	if err != nil {
		return err
	}
	d.Body = string(body)
	draft := w.store.Begin(notestore.View{})
	if err := draft.Put(ctx, d); err != nil {
		return err
	}
	return commitByPerson(ctx, call, draft)
}

// commitByPerson makes what a command writes, recorded like any write.
func commitByPerson(ctx context.Context, call tools.CommandCall, draft *notestore.Draft) error {
	changes, err := draft.Changes()
	if err != nil || len(changes) == 0 {
		return err
	}
	if err := call.Context.BeforeWrite(ctx, changes...); err != nil {
		return err
	}
	err = draft.Commit(ctx)
	if reportCommit(err, announcement{call.Context, changes}); err != nil {
		return commitError(err)
	}
	return nil
}

func findScript(ctx context.Context, w *Workspaces, workspace, name string) (s savedScript, err error) {
	doc, err := w.store.Begin(notestore.View{}).Document(ctx, workspace, notestore.ScriptKind, name)
	switch {
	case err != nil:
		return s, err
	case doc == nil:
		return s, tools.Errorf(tools.NotFound, "no script named %.80q in workspace %s", name, workspace).
			WithHint("`lectern script list` shows the saved ones.")
	}
	return s, json.Unmarshal([]byte(doc.Body), &s)
}

func runSavedScript(ctx context.Context, w *Workspaces, call tools.CommandCall, out io.Writer) error {
	workspace, err := workspaceArgument(ctx, w, call)
	if err != nil {
		return err
	}
	var s savedScript
	if name := call.Args["name"]; filepath.IsAbs(name) {
		s, err = readScript(name)
	} else {
		s, err = findScript(ctx, w, workspace, name)
	}
	if err != nil {
		return err
	}
	in := ScriptIn{Code: s.Code, Language: s.Language, WorkspaceID: ID(workspace), DryRun: call.Args["dry-run"] == "true"}
	if given := call.Args["input"]; given != "" {
		if !json.Valid([]byte(given)) {
			return tools.Errorf(tools.Invalid, "the input is not valid JSON")
		}
		in.Input.RawMessage = json.RawMessage(given)
	}
	result, err := w.RunScript(ctx, call.Context, in)
	if err != nil {
		return err
	}
	return printRun(out, result)
}

// printRun writes a run for a person: the value as it is if it is a text.
func printRun(out io.Writer, r ScriptOut) error {
	var b strings.Builder
	for _, line := range r.Logs {
		fmt.Fprintf(&b, "%s: %s\n", line.Level, line.Text)
	}
	var text string
	var pretty bytes.Buffer
	switch {
	case json.Unmarshal(r.Value.RawMessage, &text) == nil && text != "":
		b.WriteString(text + "\n")
	case json.Indent(&pretty, r.Value.RawMessage, "", "  ") == nil:
		b.WriteString(pretty.String() + "\n")
	}
	for _, c := range r.Changes {
		fmt.Fprintf(&b, "%s %s\n%s", c.Action, c.Target, c.Diff)
	}
	for _, c := range r.Calls {
		fmt.Fprintf(&b, "%s %s: %s\n", c.Source, c.Tool, c.Outcome)
	}
	if wrote := len(r.Changes) + countDone(r.Calls); wrote > 0 && !r.DryRun {
		b.WriteString(undoHint(r.Run) + "\n")
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// undoHint is how a person takes back what a run wrote.
func undoHint(run string) string { return "undo: lectern undo " + run }

func removeScript(ctx context.Context, w *Workspaces, call tools.CommandCall, out io.Writer) error {
	workspace, err := workspaceArgument(ctx, w, call)
	if err != nil {
		return err
	}
	name := call.Args["name"]
	if _, err := findScript(ctx, w, workspace, name); err != nil {
		return err
	}
	draft := w.store.Begin(notestore.View{})
	for _, kind := range []notestore.Kind{notestore.ScriptKind, notestore.ScheduleKind} {
		if doc, err := draft.Document(ctx, workspace, kind, name); err != nil || doc == nil {
			if err != nil {
				return err
			}
			continue
		}
		if err := draft.Remove(ctx, workspace, kind, name); err != nil {
			return err
		}
	}
	if err := commitByPerson(ctx, call, draft); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "removed %s\n", name)
	return err
}

func completeScript(ctx context.Context, w *Workspaces, argument, prefix string) (names []string) {
	if argument != "name" {
		return nil
	}
	saved, err := w.store.Begin(notestore.View{}).Documents(ctx, w.name, notestore.ScriptKind, "", 100)
	if err != nil {
		return nil // completion is a convenience
	}
	for _, doc := range saved {
		if strings.HasPrefix(doc.ID, prefix) {
			names = append(names, doc.ID)
		}
	}
	return names
}

func listRuns(_ context.Context, w *Workspaces, call tools.CommandCall, out io.Writer) error {
	var rows [][]string
	for _, r := range w.runs.newest() {
		undo := ""
		if r.status == succeeded && !r.dryRun && r.changed+r.calls > 0 {
			undo = undoHint(r.id)
		}
		rows = append(rows, []string{
			r.began.Local().Format(time.DateTime), r.id, r.client, r.status, r.wrote(), strconv.FormatInt(r.usage.Fuel, 10),
			r.usage.duration.Round(time.Millisecond).String(), undo,
		})
	}
	return call.PrintList(out, []string{"BEGAN", "RUN", "CLIENT", "STATUS", "WROTE", "FUEL", "TIME", "UNDO"}, rows)
}
