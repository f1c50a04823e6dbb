package sandbox

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// thrownError is what the prelude says of what a script threw.
type thrownError struct {
	Name, Message, Stack string
	Host                 bool
	Status               int
	Body                 json.RawMessage
}

func parseThrown(report string) *thrownError {
	t := &thrownError{}
	if err := json.Unmarshal([]byte(strings.ToValidUTF8(report, "\uFFFD")), t); err != nil {
		// Only a body beyond all limits cuts the report.
		return &thrownError{Message: "an error too large to report"}
	}
	return t
}

// returnsOutside says whether a script uses return outside of functions.
func (t *thrownError) returnsOutside() bool {
	return t != nil && t.Name == "SyntaxError" && strings.Contains(t.Message, "return not in a function")
}

// failure is what Run returns: nil, the host's error, or an *Error. cause is what
// stopped the run from outside, nil if the script came to its end.
func (r *run) failure(cause error) error {
	switch {
	case cause == nil && r.thrown != nil:
		return r.scriptError()
	case cause == nil && r.result.Value != nil:
		return nil
	case cause == nil:
		return &Error{Name: ExecutionError, Message: "the script waits for a promise that nothing settles"}
	}
	r.result.Value, r.result.Cut = nil, nil
	switch {
	case r.aborted != nil:
		return fmt.Errorf("run script: %w", r.aborted)
	case errors.Is(cause, errTimeout):
		return &Error{Name: Timeout, Message: fmt.Sprintf("the script ran longer than %s, its host calls included", r.limits.Timeout)}
	case errors.Is(cause, errDeadline):
		return &Error{Name: Timeout, Message: "the deadline of the call passed before the script had ended"}
	case errors.Is(cause, errCancelled):
		return &Error{Name: Cancelled, Message: "the script was cancelled"}
	case errors.Is(cause, errFuel):
		return &Error{Name: FuelExhausted, Message: fmt.Sprintf("the script used all of its fuel, %d instructions. Look for a loop that does "+
			"not end, or do less in one script", r.limits.Fuel)}
	case r.instance.refused.Get() != 0:
		return &Error{
			Name: MemoryExceeded, Message: fmt.Sprintf("the script needs more than its memory of %d bytes. Keep less at a time", r.limits.Memory),
		}
	case int32(r.instance.stack.Get()) < 0:
		return &Error{Name: ExecutionError, Message: "the script nests so deeply that the engine's stack is used up. Build no long chains of " +
			"iterators or proxies"}
	default:
		return &Error{Name: ExecutionError, Message: "the script broke the JavaScript engine, which was dropped: " + firstLine(cause.Error())}
	}
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

var ( //nolint:gochecknoglobals // constants
	stackFrame     = regexp.MustCompile(`^\s*at (?:(.*?) \()?` + regexp.QuoteMeta(scriptFile) + `:(\d+):(\d+)\)?$`)
	missingGlobal  = regexp.MustCompile(`^'?([^']+?)'? is not defined$`)
	ownGlobals     = []string{"host", "HostCallError", "console", "structuredClone", "input"}
	moduleSyntax   = regexp.MustCompile(`^\s*(import|export)\b`)
	maxStackFrames = 20
)

// scriptError makes an *Error of what the script threw.
func (r *run) scriptError() *Error {
	t := r.thrown
	e := &Error{Name: ExecutionError, Message: t.Message}
	switch {
	case t.Host:
		e.Name, e.Status, e.Body = HostCallError, t.Status, t.Body
		if most := int(r.limits.Result); len(e.Body) > most || isTooDeep(string(e.Body)) {
			e.Body = json.RawMessage(cutJSON(string(e.Body), most))
		}
	case t.Name != "" && t.Name != "Error":
		e.Message = t.Name + ": " + t.Message
	}
	if name := missingGlobal.FindStringSubmatch(t.Message); t.Name == "ReferenceError" && name != nil {
		e.Message += ". " + cmp.Or(whyAbsent(name[1]), "Besides the language there are: "+strings.Join(r.globals(), ", "))
	}
	r.addStack(e)
	lines := strings.Split(r.script.Code, "\n")
	atModule := e.Line > 0 && e.Line <= len(lines) && moduleSyntax.MatchString(lines[e.Line-1])
	if t.Name == "SyntaxError" && atModule || strings.Contains(t.Message, "could not load module") {
		e.Message += ". " + whyAbsent("import")
	}
	return e
}

// whyAbsent says of a name that other engines have why it is not here, and what is instead;
// empty: it is none of them.
func whyAbsent(name string) string {
	switch name {
	case "setTimeout", "setInterval", "setImmediate", "clearTimeout", "clearInterval", "clearImmediate", "requestAnimationFrame":
		return "There are no timers: a script never waits. Call the function itself, or after `await null`"
	case "import", "require", "module", "exports", "process", "Buffer", "Deno", "Bun":
		return "There are no modules and no files: all of a script is in its code, and host.call and kb are the only way out"
	case "fetch", "XMLHttpRequest", "WebSocket", "Worker", "navigator":
		return "There is no network: host.call and kb are the only way out"
	case "Intl":
		return "There is no Intl: dates have toISOString, numbers toFixed, texts localeCompare, in one language"
	case "performance":
		return "There is no clock: Date.now() is the time at which the script began"
	default:
		return ""
	}
}

// addStack adds where in the script the error was thrown, by whom.
func (r *run) addStack(e *Error) {
	var frames []string
	for line := range strings.Lines(r.thrown.Stack) {
		m := stackFrame.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil || len(frames) == maxStackFrames {
			continue
		}
		row, err := strconv.Atoi(m[2])
		column, err2 := strconv.Atoi(m[3])
		if err != nil || err2 != nil {
			continue
		}
		if row, column = r.source.place(row, column); row == 0 {
			continue
		}
		if len(frames) == 0 {
			e.Line, e.Column = row, column
		}
		name := m[1]
		if name == "" || name == "<eval>" || name == "$script" {
			name = "script"
		}
		frames = append(frames, fmt.Sprintf("%s:%d:%d", name, row, column))
	}
	e.Stack = strings.Join(frames, "\n")
}

func (r *run) globals() []string {
	names := slices.Concat(ownGlobals, r.sandbox.options.GlobalNames)
	if r.script.WorkspaceID != "" {
		names = append(names, "workspace_id")
	}
	return names
}
