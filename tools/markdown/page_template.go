package markdown

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/tools"
)

// templateValues are what the placeholders of a template stand for.
type templateValues struct {
	title      string
	day        time.Time // with the time of day
	dateFormat string    // of {{date}}
	timeFormat string    // of {{time}}
	name       string    // in the place of {{date}}; empty: dateFormat says
	week       weekStart
}

// templateSettings say where an Obsidian vault has its templates, and how they write
// dates.
type templateSettings struct {
	Folder     string `json:"folder"`
	DateFormat string `json:"dateFormat"`
	TimeFormat string `json:"timeFormat"`
}

func readTemplateSettings(n *Notebook) templateSettings {
	var s templateSettings
	if n.layout == obsidianLayout {
		if data, err := n.settings(".obsidian/templates.json"); err != nil || json.Unmarshal(data, &s) != nil {
			s = templateSettings{}
		}
	}
	s.Folder = path.Clean("/" + s.Folder)[1:]
	return s
}

// readTemplate reads a template as the caller may read pages: by its path, or by its
// name in the vault's folder of templates.
func readTemplate(ctx context.Context, n *Notebook, c tools.CallContext, name string) (string, error) {
	file, err := n.find(strings.TrimPrefix(name, "/"))
	if err != nil {
		if dir := readTemplateSettings(n).Folder; dir != "" {
			if inside, findErr := n.find(path.Join(dir, name)); findErr == nil {
				file, err = inside, nil
			}
		}
	}
	if err != nil {
		return "", err
	}
	if c.Sources == nil {
		p, err := n.read(file)
		if err != nil {
			return "", err
		}
		return p.text, nil
	}
	args, err := json.Marshal(ReadPageIn{Path: file})
	if err != nil {
		return "", fmt.Errorf("name template: %w", err)
	}
	answer, err := c.Call(ctx, "", "read_page", args) // rules about reading hold for templates
	if err != nil {
		return "", err
	}
	var read ReadPageOut
	if err := json.Unmarshal(answer.JSON, &read); err != nil {
		return "", fmt.Errorf("read template: %w", err)
	}
	if read.Truncated {
		return "", tools.Errorf(tools.Limited, "template: %s is longer than %d bytes", file, maxContent)
	}
	return read.Content, nil
}

// fillTemplate is a template with its placeholders replaced. What is none stays.
func fillTemplate(text string, v templateValues) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, "{{")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		inside, next, closed := strings.Cut(after, "}}")
		value, known := "", false
		if closed {
			value, known = v.placeholder(inside)
		}
		if !known {
			b.WriteString("{{")
			text = after
			continue
		}
		b.WriteString(value)
		text = next
	}
}

var datePlaceholder = regexp.MustCompile(`^(?i:(date|time|yesterday|tomorrow|title|sunday|monday|tuesday|wednesday|thursday|friday|saturday))` +
	`\s*(?:([+-]\d{1,5})([yQqMmwdhs]))?\s*(?::(.+))?$`)

// placeholder is what {{inside}} stands for.
func (v templateValues) placeholder(inside string) (string, bool) {
	m := datePlaceholder.FindStringSubmatch(strings.TrimSpace(inside))
	if m == nil {
		return "", false
	}
	name, format, at := strings.ToLower(m[1]), strings.TrimSpace(m[4]), v.day
	if m[2] != "" {
		count, err := strconv.Atoi(m[2])
		if err != nil || name != "date" && name != "time" {
			return "", false
		}
		at = addTime(at, count, m[3])
	}
	switch name {
	case "title":
		return v.title, m[4] == ""
	case "date":
		if format == "" && m[2] == "" && v.name != "" {
			return v.name, true
		}
		format = firstText(format, v.dateFormat, "YYYY-MM-DD")
	case "time":
		format = firstText(format, v.timeFormat, "HH:mm")
	case "yesterday":
		at, format = at.AddDate(0, 0, -1), firstText(format, v.dateFormat, "YYYY-MM-DD")
	case "tomorrow":
		at, format = at.AddDate(0, 0, 1), firstText(format, v.dateFormat, "YYYY-MM-DD")
	default:
		at, format = v.week.dayNamed(at, name), firstText(format, v.dateFormat, "YYYY-MM-DD")
	}
	return formatDate(at, format, v.week)
}

func firstText(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// addTime adds so many of a unit of time, by the letters that Obsidian's plugins use.
func addTime(t time.Time, count int, unit string) time.Time {
	switch unit {
	case "y":
		return t.AddDate(count, 0, 0)
	case "Q", "q":
		return t.AddDate(0, 3*count, 0)
	case "M":
		return t.AddDate(0, count, 0)
	case "w":
		return t.AddDate(0, 0, 7*count)
	case "d":
		return t.AddDate(0, 0, count)
	case "h":
		return t.Add(time.Duration(count) * time.Hour)
	case "m":
		return t.Add(time.Duration(count) * time.Minute)
	}
	return t.Add(time.Duration(count) * time.Second)
}

// beginWith is the content of a new page that begins with a template.
func (in CreatePageIn) beginWith(ctx context.Context, n *Notebook, c tools.CallContext, title string) (string, error) {
	now := n.now()
	if !c.Began.IsZero() { // the same when the call is shown to a person and when it is made
		now = c.Began
	}
	var text string
	if n.graph != nil {
		block, err := findGraphTemplate(ctx, n, c, in.Template)
		if err != nil {
			return "", err
		}
		text = block.Fill(n.graph, title, now)
	} else {
		template, err := readTemplate(ctx, n, c, in.Template)
		if err != nil {
			if e := tools.AsError(err); e.Code == tools.NotFound {
				return "", tools.Errorf(tools.NotFound, "Template not found: %s", in.Template).
					WithHint("Give the path of a page, or its name in the vault's folder of templates.")
			}
			return "", err
		}
		s := readTemplateSettings(n)
		text = fillTemplate(template, templateValues{
			title: title, day: now, dateFormat: s.DateFormat, timeFormat: s.TimeFormat, week: readWeekStart(n),
		})
	}
	if in.Content == "" {
		return text, nil
	}
	if strings.HasPrefix(strings.TrimPrefix(in.Content, "\uFEFF"), "---\n") {
		return "", tools.Errorf(tools.Invalid, "content: the page has the front matter of its template").
			WithHint("Leave front matter out, and set properties with edit_page.")
	}
	return strings.TrimRight(text, "\n") + "\n\n" + in.Content, nil
}
