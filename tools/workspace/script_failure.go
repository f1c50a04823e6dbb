package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/sandbox"
)

// scriptAudit is what the audit keeps of a run: never the code.
type scriptAudit struct {
	workspace, code, status string
	usage                   ScriptUsage
}

func newScriptAudit(in ScriptIn, u sandbox.Usage, failure error) scriptAudit {
	digest := sha256.Sum256([]byte(in.Code))
	return scriptAudit{string(in.WorkspaceID), "sha256:" + hex.EncodeToString(digest[:]), statusOfRun(failure), newScriptUsage(u)}
}

// succeeded is the status of a run without an error, failed that of a scheduled one
// with some error.
const (
	succeeded = "success"
	failed    = "failed"
)

// statusOfRun is how a run ended, for the audit: success, or the name of the error.
func statusOfRun(failure error) string {
	if failure == nil {
		return succeeded
	}
	if fault, ok := errors.AsType[*sandbox.Error](failure); ok {
		return string(fault.Name)
	}
	e := tools.AsError(failure)
	return errorFormat().Code(runError(e))
}

// runError is e as a script's answer names it: what was changed meanwhile is a call
// that failed.
func runError(e *tools.Error) *tools.Error {
	named := *e
	switch {
	case e.Code == tools.Conflict:
		named.SpecCode = string(sandbox.HostCallError)
	case errors.Is(e, context.Canceled):
		named.SpecCode = string(sandbox.Cancelled)
	}
	return &named
}

func (a scriptAudit) details() map[string]any {
	return map[string]any{
		"workspace_id": a.workspace, "code_hash": a.code, "result_status": a.status, "fuel_used": a.usage.Fuel,
		"peak_memory": a.usage.PeakMemory, "host_calls": a.usage.HostCalls, "duration_ms": a.usage.duration.Milliseconds(),
	}
}

// A scriptFailure is why a script failed. It is the data of a [tools.Error], for the
// agent, and its cause, for the audit.
type scriptFailure struct {
	err    error
	result sandbox.Result
	audit  scriptAudit
	hint   string // of the error, without what the console wrote, which its object has by itself
}

func (f *scriptFailure) Error() string { return f.err.Error() }

func (f *scriptFailure) Unwrap() error { return f.err }

// AuditDetails implements [tools.AuditProvider].
func (f *scriptFailure) AuditDetails() map[string]any { return f.audit.details() }

// describe adds what the agent needs to correct the script.
func (f *scriptFailure) describe(o *ErrorObject) {
	usage := f.audit.usage
	o.Usage, o.Hint, o.Logs = &usage, f.hint, f.result.Logs
	if fault, ok := errors.AsType[*sandbox.Error](f.err); ok {
		o.Line, o.Column, o.Stack, o.Status = fault.Line, fault.Column, fault.Stack, fault.Status
		if len(fault.Body) > 0 {
			o.Body = fault.Body
		}
	}
}

// scriptError is the error of a run, by the name that the specification has for
// it. Messages of scripts may hold text of notes, so only their format is kept.
func scriptError(err error, result sandbox.Result, audit scriptAudit) error {
	var e *tools.Error
	if fault, ok := errors.AsType[*sandbox.Error](err); ok {
		message := fault.Message
		var answer struct {
			Detail struct{ Message string }
		}
		if json.Unmarshal(fault.Body, &answer) == nil && answer.Detail.Message != "" {
			message += ": " + safetext.Truncate(answer.Detail.Message, maxMessage)
		}
		if fault.Line > 0 {
			message += fmt.Sprintf(" (line %d, column %d)", fault.Line, fault.Column)
		}
		e = tools.Errorf(scriptCode(fault), "%s", message)
		e.SpecCode = string(fault.Name)
	} else {
		e = runError(tools.AsError(err))
	}
	failure := &scriptFailure{err, result, audit, e.Hint}
	e.Data, e.Cause, e.Hint = failure, failure, strings.TrimSpace(e.Hint+consoleHint(result.Logs))
	return e
}

// maxConsoleHint is how much of what the console wrote stands beside an error, in bytes.
const maxConsoleHint = 8 << 10

// consoleHint is the end of what the console of a script that failed wrote, for readers of
// the error's sentence.
func consoleHint(logs []sandbox.LogLine) string {
	if len(logs) == 0 {
		return ""
	}
	var b strings.Builder
	for _, line := range logs {
		fmt.Fprintf(&b, "\n%s: %s", line.Level, line.Text)
	}
	text := b.String()
	if len(text) > maxConsoleHint {
		text = "\n…" + strings.ToValidUTF8(text[len(text)-maxConsoleHint:], "")
	}
	return " The console wrote:" + text
}

func scriptCode(fault *sandbox.Error) tools.Code {
	switch fault.Name {
	case sandbox.FuelExhausted, sandbox.MemoryExceeded:
		return tools.Limited
	case sandbox.Timeout, sandbox.Cancelled:
		return tools.Timeout
	case sandbox.HostCallError:
		return codeOfStatus(fault.Status)
	default:
		return tools.Invalid
	}
}

// newScriptChange is a change as a script's answer tells it.
func newScriptChange(c tools.Change, withDiff bool) ScriptChange {
	change := ScriptChange{Target: c.Target, Action: "update"}
	switch {
	case !c.Before.Exists:
		change.Action = "create"
	case !c.After.Exists:
		change.Action = "delete"
	}
	if withDiff {
		change.Diff = safetext.Truncate(udiff.Unified(c.Target, c.Target, stateText(c.Before), stateText(c.After)), maxDiff)
	}
	return change
}

// maxDiff is how much of each diff a dry run shows, in bytes.
const maxDiff = 16 << 10

// stateText is what people read of a state: the text of a note, otherwise JSON.
func stateText(s tools.State) string {
	var note struct {
		Markdown *string `json:"markdown"`
	}
	if json.Unmarshal(s.Data, &note) == nil && note.Markdown != nil {
		return *note.Markdown
	}
	return string(s.Data)
}
