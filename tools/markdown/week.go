package markdown

import (
	"encoding/json"
	"strings"
	"time"
)

// A weekStart is the first day of a week, as the vault has it. The first week of a
// year is the one that Obsidian's English calendar numbers so.
type weekStart time.Weekday

// readWeekStart reads the setting of Obsidian's calendar plugin: Sunday, unless it says
// otherwise.
func readWeekStart(n *Notebook) weekStart {
	var calendar struct {
		WeekStart string `json:"weekStart"`
	}
	if n.layout != obsidianLayout {
		return weekStart(time.Sunday)
	}
	if data, err := n.settings(".obsidian/plugins/calendar/data.json"); err == nil && json.Unmarshal(data, &calendar) == nil {
		for day := time.Sunday; day <= time.Saturday; day++ {
			if strings.EqualFold(calendar.WeekStart, day.String()) {
				return weekStart(day)
			}
		}
	}
	return weekStart(time.Sunday)
}

// begin is the first day of the week with a day.
func (w weekStart) begin(day time.Time) time.Time {
	return day.AddDate(0, 0, -((int(day.Weekday()) - int(w) + 7) % 7))
}

// dayNamed is the day of that name in the week with a day.
func (w weekStart) dayNamed(day time.Time, name string) time.Time {
	first := w.begin(day)
	for i := range 7 {
		if at := first.AddDate(0, 0, i); strings.EqualFold(at.Weekday().String(), name) {
			return at
		}
	}
	return day
}

// lastOfFirst is the day of January that always is in the first week of a year, less
// than which a week that begins on Sunday counts from: moment.js calls it doy.
const lastOfFirst = 6

// firstDay is the day of the year, from 0, before which its first week begins.
func (w weekStart) firstDay(year int) int {
	in := 7 + int(w) - lastOfFirst
	weekday := int(time.Date(year, time.January, in, 0, 0, 0, 0, time.UTC).Weekday())
	return in - 1 - (7+weekday-int(w))%7
}

// weeks is the number of weeks of a year.
func (w weekStart) weeks(year int) int {
	days := time.Date(year, time.December, 31, 0, 0, 0, 0, time.UTC).YearDay()
	return (days - w.firstDay(year) + w.firstDay(year+1)) / 7
}

// number is the week of a day, and the year that the week belongs to.
func (w weekStart) number(day time.Time) (year, week int) {
	year = day.Year()
	from := day.YearDay() - w.firstDay(year) - 1
	if from < 0 {
		return year - 1, w.weeks(year - 1)
	}
	if week = from/7 + 1; week > w.weeks(year) {
		return year + 1, week - w.weeks(year)
	}
	return year, week
}
