package markdown

import (
	"context"
	"path"
	"time"

	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/tools"
)

// CreateDailyNoteIn are the arguments of create_daily_note.
type CreateDailyNoteIn struct {
	Date   string     `json:"date,omitempty" jsonschema:"a day in it, as 2026-11-21; today when omitted"`
	Period NotePeriod `json:"period,omitempty" jsonschema:"of the note"`
	DryRun bool       `json:"dry_run,omitempty" jsonschema:"write nothing"`
}

// CreateDailyNoteOut is the answer of create_daily_note.
type CreateDailyNoteOut struct {
	Path    string `json:"path" jsonschema:"file of the note"`
	Content string `json:"content" jsonschema:"what it holds"`
	Etag    string `json:"etag,omitempty" jsonschema:"its version, for if_match"`
	Created bool   `json:"created" jsonschema:"false: it was there already, or this is a dry run"`
	DryRun  bool   `json:"dry_run,omitempty" jsonschema:"nothing was written"`
}

// Targets implements [tools.TargetProvider].
func (out CreateDailyNoteOut) Targets() []string { return []string{out.Path} }

func createDailyNote() tools.Tool[*Notebook] {
	return tools.WithTargets(tools.DefineWithContext(tools.Spec[CreateDailyNoteIn, CreateDailyNoteOut]{
		Name: "create_daily_note", Title: "Open a daily or periodic note", Effect: tools.Writes, Additive: true, OptIn: true,
		Normalize: aliases("date", "period"),
		Doc: "Reads the note of a day, week, month, quarter or year, and creates it first if there is none.\n" +
			"Folder, name and template are those of Obsidian's or Logseq's settings.",
		Errors: []tools.Code{tools.NotFound, tools.Conflict},
		Examples: []tools.Example[CreateDailyNoteIn, CreateDailyNoteOut]{{
			Purpose: "begin a day's note", In: CreateDailyNoteIn{Date: "2026-11-21"}, AnyAnswer: true,
			Want: CreateDailyNoteOut{Path: "Daily/2026-11-21.md", Content: "# 2026-11-21\n\n## Log\n", Etag: "5f2c0a1b9d3e7f48", Created: true},
		}},
	}, func(n *Notebook, ctx context.Context, c tools.CallContext, in CreateDailyNoteIn) (CreateDailyNoteOut, error) {
		return in.create(ctx, n, c)
	}), func(n *Notebook, _ context.Context, in CreateDailyNoteIn) ([]string, error) {
		note, err := in.plan(n, tools.CallContext{})
		return namedTargets(n, note.file), err
	})
}

// create carries create_daily_note out.
func (in CreateDailyNoteIn) create(ctx context.Context, n *Notebook, c tools.CallContext) (CreateDailyNoteOut, error) {
	note, err := in.plan(n, c)
	if err != nil {
		return CreateDailyNoteOut{}, err
	}
	text := ""
	if _, err := n.findExact(note.file); err != nil { // before the folder is taken for writing: a template may be read by a call
		if text, err = note.begin(ctx, n, c); err != nil {
			return CreateDailyNoteOut{}, err
		}
	}
	if err := n.writing.Acquire(ctx, 1); err != nil {
		return CreateDailyNoteOut{}, err
	}
	defer n.writing.Release(1)
	if found, err := n.findExact(note.file); err == nil {
		p, err := n.read(found)
		if err != nil {
			return CreateDailyNoteOut{}, err
		}
		n.versions.keep(p)
		return CreateDailyNoteOut{Path: found, Content: safetext.Truncate(p.text, maxContent), Etag: p.etag(), DryRun: in.DryRun}, nil
	}
	o, err := n.outline(ctx)
	if err != nil {
		return CreateDailyNoteOut{}, err
	}
	file, err := n.checkNewPage(o, note.file)
	if err != nil {
		return CreateDailyNoteOut{}, err
	}
	if n.view.Hides(file, []byte(text)) {
		return CreateDailyNoteOut{}, hiddenError()
	}
	out := CreateDailyNoteOut{Path: file, Content: safetext.Truncate(text, maxContent), DryRun: in.DryRun}
	if in.DryRun {
		return out, nil
	}
	if err := n.addPage(ctx, c, o, file, []byte(text)); err != nil {
		return CreateDailyNoteOut{}, err
	}
	out.Etag, out.Created = versionOf([]byte(text)), true
	return out, nil
}

// A periodicNote is the note of a day or of a longer time: where it is, and how it
// begins.
type periodicNote struct {
	file     string
	values   templateValues
	template string // its path, or its name in a Logseq graph
	graph    bool
}

// plan finds out which note is asked for, by the settings of the application.
func (in CreateDailyNoteIn) plan(n *Notebook, c tools.CallContext) (periodicNote, error) {
	day := n.now()
	if !c.Began.IsZero() { // the same when the call is shown to a person and when it is made
		day = c.Began.In(day.Location())
	}
	if in.Date != "" {
		d, err := time.Parse(time.DateOnly, in.Date)
		if err != nil {
			return periodicNote{}, tools.Errorf(tools.Invalid, "date: must be like 2026-11-21, got %.40q", in.Date)
		}
		day = time.Date(d.Year(), d.Month(), d.Day(), day.Hour(), day.Minute(), day.Second(), 0, day.Location())
	}
	if n.graph != nil {
		file, ok := n.graph.JournalFile(day)
		if in.Period != "" && in.Period != dailyNote {
			return periodicNote{}, tools.Errorf(tools.Invalid, "period: Logseq has journals of days only").
				WithHint("Leave it out, or use create_page.")
		}
		if !ok {
			return periodicNote{}, unknownFormatError(n.graph.NameFormat)
		}
		v := templateValues{title: n.graph.PageTitle(file + ".md"), day: day}
		return periodicNote{file: file + ".md", template: n.graph.JournalTemplate, graph: true, values: v}, nil
	}
	week := readWeekStart(n)
	s := readPeriodSettings(n, in.Period)
	day = in.Period.begin(day, week)
	name, ok := formatDate(day, s.Format, week)
	if !ok {
		return periodicNote{}, unknownFormatError(s.Format)
	}
	v := templateValues{title: path.Base(name), day: day, week: week}
	if in.Period != "" && in.Period != dailyNote {
		v.name = v.title
	}
	return periodicNote{file: path.Join(s.Folder, name+".md"), template: s.Template, values: v}, nil
}

func unknownFormatError(format string) error {
	return tools.Errorf(tools.Invalid, "The vault's settings name these notes by an unknown date format: %.80s", format).
		WithHint("Use create_page.")
}

// begin is the text of the new note.
func (p periodicNote) begin(ctx context.Context, n *Notebook, c tools.CallContext) (string, error) {
	if p.template == "" {
		return "", nil
	}
	missing := tools.Errorf(tools.NotFound, "The template that the vault's settings name for such notes cannot be read").
		WithHint("Use create_page, or ask the user.")
	if p.graph {
		block, err := findGraphTemplate(ctx, n, c, p.template)
		if e := tools.AsError(err); e != nil && e.Code == tools.NotFound {
			return "", missing
		}
		return block.Fill(n.graph, p.values.title, p.values.day), err
	}
	text, err := readTemplate(ctx, n, c, p.template)
	if e := tools.AsError(err); e != nil && e.Code == tools.NotFound {
		return "", missing
	}
	return fillTemplate(text, p.values), err
}
