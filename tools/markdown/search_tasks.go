package markdown

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/tools/markdown/internal/index"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/taskfields"
)

// readProperty reads the filter by a property: of tasks one of theirs, if they have that.
func (s *search) readProperty(text string, now time.Time) error {
	var f index.Filter
	if err := readProperty(&f, text, now); err != nil {
		return err
	}
	key := strings.ToLower(f.Property)
	if s.kind != findTasks || !slices.Contains(taskfields.Names(), key) {
		s.query.Property, s.query.Value, s.query.Test = f.Property, f.Value, f.Test
		return nil
	}
	s.task = func(fields taskfields.Fields) bool {
		value := fields.Value(key)
		return value != "" && f.SelectsValue(index.Fold(value))
	}
	return nil
}

// compareTasks orders tasks by what was asked for; those without it are last.
func (s *search) compareTasks(a, b PageMatch) int {
	if s.order == "priority" {
		return cmp.Compare(taskfields.Rank(a.Task.Priority), taskfields.Rank(b.Task.Priority))
	}
	x, y := a.Task.Value(string(s.order)), b.Task.Value(string(s.order))
	if (x == "") != (y == "") {
		return cmp.Compare(y, x)
	}
	return cmp.Compare(x, y)
}
