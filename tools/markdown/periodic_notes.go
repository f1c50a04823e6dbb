package markdown

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// NotePeriod is how long a time a periodic note is about.
type NotePeriod string

// The periods; a day when omitted.
const (
	dailyNote     NotePeriod = "day"
	weeklyNote    NotePeriod = "week"
	monthlyNote   NotePeriod = "month"
	quarterlyNote NotePeriod = "quarter"
	yearlyNote    NotePeriod = "year"
)

// JSONSchema implements [tools.SchemaProvider].
func (NotePeriod) JSONSchema() *jsonschema.Schema {
	return enumeration("day", "week", "month", "quarter", "year")
}

// begin is the first day of the period with a day, at the same time of day.
func (p NotePeriod) begin(day time.Time, week weekStart) time.Time {
	month := day.Month()
	switch p {
	case weeklyNote:
		return week.begin(day)
	case quarterlyNote:
		month = (month-1)/3*3 + 1
	case yearlyNote:
		month = time.January
	case monthlyNote:
	default:
		return day
	}
	return time.Date(day.Year(), month, 1, day.Hour(), day.Minute(), day.Second(), 0, day.Location())
}

// format is how notes of the period are named without a setting.
func (p NotePeriod) format() string {
	switch p {
	case weeklyNote:
		return "gggg-[W]ww"
	case monthlyNote:
		return "YYYY-MM"
	case quarterlyNote:
		return "YYYY-[Q]Q"
	case yearlyNote:
		return "YYYY"
	default:
		return "YYYY-MM-DD"
	}
}

// periodSettings say where the notes of a period are and how they begin.
type periodSettings struct {
	Enabled  bool   `json:"enabled"` // by the plugin; Obsidian itself does not say
	Format   string `json:"format"`
	Folder   string `json:"folder"`
	Template string `json:"template"`
	// TemplatePath is Template in newer versions of the plugin.
	TemplatePath string `json:"templatePath"`
}

// readPeriodSettings reads the settings of the application: those of Obsidian's plugin
// for periodic notes, or else Obsidian's own for days and those of its calendar plugin
// for weeks.
func readPeriodSettings(n *Notebook, period NotePeriod) periodSettings {
	var s periodSettings
	if n.layout == obsidianLayout {
		var enabled bool
		if s, enabled = readPeriodicNotes(n.settings, period); !enabled {
			switch period {
			case "", dailyNote:
				s = readSettingsFile[periodSettings](n.settings, ".obsidian/daily-notes.json")
			case weeklyNote:
				c := readSettingsFile[struct {
					WeeklyNoteFormat, WeeklyNoteFolder, WeeklyNoteTemplate string
				}](n.settings, ".obsidian/plugins/calendar/data.json")
				s = periodSettings{Format: c.WeeklyNoteFormat, Folder: c.WeeklyNoteFolder, Template: c.WeeklyNoteTemplate}
			case monthlyNote, quarterlyNote, yearlyNote:
				s = periodSettings{}
			}
		}
	}
	s.Format = firstText(s.Format, period.format())
	s.Template = strings.TrimPrefix(firstText(s.Template, s.TemplatePath), "/")
	s.Folder = path.Clean("/" + s.Folder)[1:]
	return s
}

// periodSettingsSet has the settings of each period, by the names of either version.
type periodSettingsSet struct {
	Day, Week, Month, Quarter, Year           periodSettings
	Daily, Weekly, Monthly, Quarterly, Yearly periodSettings
}

// A calendarSet is one of several sets of settings, of which one is active.
type calendarSet struct {
	ID string
	periodSettingsSet
}

// readPeriodicNotes reads the settings of the plugin for periodic notes, in the form of
// its versions 0 and 1.
func readPeriodicNotes(settings func(file string) ([]byte, error), period NotePeriod) (s periodSettings, enabled bool) {
	const file = ".obsidian/plugins/periodic-notes/data.json"
	all := readSettingsFile[struct {
		periodSettingsSet
		ActiveCalendarSet string
		CalendarSets      []calendarSet
	}](settings, file)
	found := all.periodSettingsSet
	if len(all.CalendarSets) > 0 {
		i := slices.IndexFunc(all.CalendarSets, func(set calendarSet) bool { return set.ID == all.ActiveCalendarSet })
		found = all.CalendarSets[max(i, 0)].periodSettingsSet
	}
	pair := map[NotePeriod][2]periodSettings{
		weeklyNote: {found.Weekly, found.Week}, monthlyNote: {found.Monthly, found.Month},
		quarterlyNote: {found.Quarterly, found.Quarter}, yearlyNote: {found.Yearly, found.Year},
	}
	either, ok := pair[period]
	if !ok {
		either = [2]periodSettings{found.Daily, found.Day}
	}
	if either[0].Enabled {
		return either[0], true
	}
	return either[1], either[1].Enabled
}

// readSettingsFile reads a file of settings in JSON; what cannot be read is empty.
func readSettingsFile[T any](settings func(file string) ([]byte, error), file string) T {
	var s, none T
	data, err := settings(file)
	if err != nil || json.Unmarshal(data, &s) != nil {
		return none
	}
	return s
}
