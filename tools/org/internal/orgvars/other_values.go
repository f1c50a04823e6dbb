package orgvars

import (
	"errors"
	"maps"
	"reflect"
	"slices"

	"github.com/lectern-mcp/lectern/tools/org/internal/lispdata"
)

// errOther is returned for a value that would change what Emacs writes, in a way that is
// not followed here.
var errOther = errors.New("only its default value is followed; Emacs writes something else with this one")

// onlyDefaults are variables that change what Emacs writes, with the only value of each
// that is followed: the default one.
func onlyDefaults() map[string]string {
	return map[string]string{
		"org-after-refile-insert-hook": "nil", "org-after-todo-state-change-hook": "nil", "org-after-todo-statistics-hook": "nil",
		"org-archive-hook": "nil", "org-archive-stamp-time": "t", "org-archive-subtree-add-inherited-tags": "infile",
		"org-archive-tag": `"ARCHIVE"`, "org-checkbox-hierarchical-statistics": "t", "org-clock-in-hook": "nil",
		"org-clock-in-switch-to-state": "nil", "org-clock-out-hook": "nil", "org-clock-out-switch-to-state": "nil",
		"org-clock-rounding-minutes": "0", "org-comment-string": `"COMMENT"`, "org-datetree-add-timestamp": "nil",
		"org-extend-today-until": "0", "org-hierarchical-todo-statistics": "t", "org-id-method": "uuid", "org-id-prefix": "nil",
		"org-log-note-clock-out": "nil", "org-priority-enable-commands": "t", "org-property-set-functions-alist": "nil",
		"org-read-date-prefer-future": "t", "org-refile-keep": "nil", "org-todo-repeat-hook": "nil", "org-trigger-hook": "nil",
		"org-use-effective-time": "nil",
		"org-log-note-headings": `((done . "CLOSING NOTE %t") (state . "State %-12s from %-12S %t") (note . "Note taken on %t") ` +
			`(reschedule . "Rescheduled from %S on %t") (delschedule . "Not scheduled, was %S on %t") (redeadline . "New deadline from %S on %t") ` +
			`(deldeadline . "Removed deadline, was %S on %t") (refile . "Refiled on %t") (clock-out . ""))`,
	}
}

// checkDefault refuses another value than the default of a variable of onlyDefaults.
func checkDefault(name string, v lispdata.Value) error {
	usual, ok := onlyDefaults()[name]
	if !ok {
		return ErrUnknown
	}
	if want, err := lispdata.Read(usual); err != nil || !reflect.DeepEqual(want, v) {
		return errOther
	}
	return nil
}

func defaultNames() []string { return slices.Sorted(maps.Keys(onlyDefaults())) }
