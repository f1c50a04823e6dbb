package markdown

import (
	"context"
	"encoding/json"
	"path"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/tools"
)

// CreateDailyNoteIn are the arguments of create_daily_note.
type CreateDailyNoteIn struct {
	Date   string `json:"date,omitempty" jsonschema:"day as 2026-11-21; today when omitted"`
	DryRun bool   `json:"dry_run,omitempty" jsonschema:"write nothing"`
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
	return tools.DefineWithContext(tools.Spec[CreateDailyNoteIn, CreateDailyNoteOut]{
		Name: "create_daily_note", Title: "Open a daily note", Effect: tools.Writes, OptIn: true,
		Doc: "Reads the note of a day, and first makes it if there is none.\n" +
			"Folder, name and template are those of Obsidian's or Logseq's settings.",
		Errors: []tools.Code{tools.NotFound, tools.Conflict},
		Examples: []tools.Example[CreateDailyNoteIn, CreateDailyNoteOut]{{
			Purpose: "begin a day's note", In: CreateDailyNoteIn{Date: "2026-11-21"}, AnyAnswer: true,
			Want: CreateDailyNoteOut{Path: "Daily/2026-11-21.md", Content: "# 2026-11-21\n\n## Log\n", Etag: "5f2c0a1b9d3e7f48", Created: true},
		}},
	}, func(n *Notebook, ctx context.Context, c tools.CallContext, in CreateDailyNoteIn) (CreateDailyNoteOut, error) {
		return in.create(ctx, n, c)
	})
}

// create carries create_daily_note out.
func (in CreateDailyNoteIn) create(ctx context.Context, n *Notebook, c tools.CallContext) (CreateDailyNoteOut, error) {
	day := n.now()
	if in.Date != "" {
		d, err := time.Parse(time.DateOnly, in.Date)
		if err != nil {
			return CreateDailyNoteOut{}, tools.Errorf(tools.Invalid, "date: must be like 2026-11-21, got %.40q", in.Date)
		}
		day = time.Date(d.Year(), d.Month(), d.Day(), day.Hour(), day.Minute(), day.Second(), 0, day.Location())
	}
	s := readDailySettings(n)
	name, ok := formatDate(day, s.Format)
	if n.graph != nil {
		var file string
		file, ok = n.graph.JournalFile(day)
		s.Folder, name = path.Split(file)
	}
	if !ok {
		return CreateDailyNoteOut{}, tools.Errorf(tools.Invalid, "The vault's settings name daily notes by a form of dates that is not known: %.80s", s.Format).
			WithHint("Use create_page.")
	}
	file := path.Join(s.Folder, name+".md")
	n.writing.Lock()
	defer n.writing.Unlock()
	if found, err := n.findExact(file); err == nil {
		p, err := n.read(found)
		if err != nil {
			return CreateDailyNoteOut{}, err
		}
		n.versions.keep(p)
		return CreateDailyNoteOut{Path: found, Content: tools.Truncate(p.text, maxContent), Etag: p.etag(), DryRun: in.DryRun}, nil
	}
	o, err := n.outline(ctx)
	if err != nil {
		return CreateDailyNoteOut{}, err
	}
	if file, err = n.checkNewPage(o, file); err != nil {
		return CreateDailyNoteOut{}, err
	}
	text, err := s.fillTemplate(n, path.Base(name), day)
	if err != nil {
		return CreateDailyNoteOut{}, err
	}
	if n.view.Hides(file, []byte(text)) {
		return CreateDailyNoteOut{}, hiddenError()
	}
	out := CreateDailyNoteOut{Path: file, Content: tools.Truncate(text, maxContent), DryRun: in.DryRun}
	if in.DryRun {
		return out, nil
	}
	if err := n.addPage(ctx, c, o, file, []byte(text)); err != nil {
		return CreateDailyNoteOut{}, err
	}
	out.Etag, out.Created = versionOf([]byte(text)), true
	return out, nil
}

// dailySettings say where daily notes are and how they begin.
type dailySettings struct {
	Enabled  bool   `json:"enabled"` // by the plugin; Obsidian itself does not say
	Format   string `json:"format"`
	Folder   string `json:"folder"`
	Template string `json:"template"`
}

// readDailySettings reads the settings of the application: those of Obsidian's plugin for
// periodic notes before Obsidian's own.
func readDailySettings(n *Notebook) dailySettings {
	s := dailySettings{Format: "YYYY-MM-DD"}
	switch n.layout {
	case plainLayout, mirrorLayout: // they have no settings
	case logseqLayout: // see the caller
		return dailySettings{}
	case obsidianLayout:
		var periodic struct {
			Daily dailySettings `json:"daily"`
		}
		data, err := n.settings(".obsidian/plugins/periodic-notes/data.json")
		if err == nil && json.Unmarshal(data, &periodic) == nil && periodic.Daily.Enabled {
			s = periodic.Daily
		} else if data, err = n.settings(".obsidian/daily-notes.json"); err == nil {
			if json.Unmarshal(data, &s) != nil {
				s = dailySettings{}
			}
		}
		if s.Format == "" {
			s.Format = "YYYY-MM-DD"
		}
	}
	s.Folder = path.Clean("/" + s.Folder)[1:]
	return s
}

// fillTemplate is the text of the template with its placeholders replaced.
func (s dailySettings) fillTemplate(n *Notebook, title string, day time.Time) (string, error) {
	if s.Template == "" {
		return "", nil
	}
	file, err := n.find(strings.TrimPrefix(s.Template, "/"))
	if err != nil {
		return "", tools.Errorf(tools.NotFound, "The template that the vault's settings name for daily notes cannot be read").
			WithHint("Use create_page, or ask the user.")
	}
	p, err := n.read(file)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for rest := p.text; ; {
		before, after, found := strings.Cut(rest, "{{")
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		inside, next, closed := strings.Cut(after, "}}")
		value, known := placeholder(inside, title, day)
		if !closed || !known {
			b.WriteString("{{")
			rest = after
			continue
		}
		b.WriteString(value)
		rest = next
	}
}

// placeholder is what {{inside}} stands for.
func placeholder(inside, title string, day time.Time) (string, bool) {
	name, format, formatted := strings.Cut(strings.TrimSpace(inside), ":")
	switch name = strings.ToLower(strings.TrimSpace(name)); {
	case name == "title" && !formatted:
		return title, true
	case (name == "date" || name == "time") && formatted:
		return formatDate(day, strings.TrimSpace(format))
	case name == "date":
		return day.Format(time.DateOnly), true
	case name == "time":
		return day.Format("15:04"), true
	}
	return "", false
}
