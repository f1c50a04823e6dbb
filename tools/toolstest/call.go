package toolstest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/tools"
)

// maxMessage limits the length of an error, because an argument that it quotes
// may be a megabyte.
const maxMessage = 2000

// A callResult is the result of a call: exactly one of the fields is set.
type callResult struct {
	result *tools.Result
	err    *tools.Error
}

func (a callResult) String() string {
	if a.err != nil {
		return fmt.Sprintf("error %s: %s", a.err.Code, a.err.Message)
	}
	return string(a.result.JSON)
}

// call calls a tool and checks what every answer must satisfy.
func (s *suite) call(ctx context.Context, o *tools.OpenedSource, tool tools.ToolInfo, args []byte) callResult {
	s.Helper()
	return s.callAs(ctx, callContext(s.manifest, &progressChecker{s: s, what: describeCall(tool, args)}, nil), o, tool, args)
}

// callContext is that of a caller who has proved its name and may call every
// tool: the roles of a System are least first.
func callContext(m *tools.Manifest, notify tools.Notifier, writes tools.WriteObserver) tools.CallContext {
	who := tools.Identity{Client: "suite", Proven: true, Session: "s1", Via: tools.ViaStdio}
	if roles := m.Roles; len(roles) > 0 {
		who.Role = roles[len(roles)-1].Name
	}
	return tools.CallContext{Identity: who, Notify: notify, Writes: writes}
}

// describeCall names a call in findings.
func describeCall(tool tools.ToolInfo, args []byte) string {
	return tool.Name + " " + abbreviate(string(args), 120)
}

// callAs is call with a given CallContext.
func (s *suite) callAs(ctx context.Context, c tools.CallContext, o *tools.OpenedSource, tool tools.ToolInfo, args []byte) callResult {
	s.Helper()
	what := describeCall(tool, args)
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	c.Sources = directCaller{s, o, c}
	r, err := s.recoverPanic(what, func() (tools.Result, error) {
		return o.Call(ctx, c, tool.Name, args)
	})
	if ctx.Err() == context.DeadlineExceeded {
		s.Errorf("%s: took longer than %v", what, s.patience)
	}
	if err != nil {
		return callResult{err: s.checkError(what, tool, err)}
	}
	s.checkResult(what, tool, r)
	return callResult{result: &r}
}

// recoverPanic reports a panic as a finding.
func (s *suite) recoverPanic(what string, call func() (tools.Result, error)) (r tools.Result, err error) {
	s.Helper()
	defer func() {
		if p := recover(); p != nil {
			s.Errorf("%s: panic: %v\n%s", what, p, debug.Stack())
			err = tools.Errorf(tools.Internal, "panic")
		}
	}()
	return call()
}

// checkError checks that err is a *tools.Error, that the tool declares its
// code, and that clients will accept the error object.
func (s *suite) checkError(what string, tool tools.ToolInfo, err error) *tools.Error {
	s.Helper()
	e := tools.AsError(err)
	if _, ours := errors.AsType[*tools.Error](err); !ours && e.Code == tools.Internal {
		s.Errorf("%s: the error is not a *tools.Error: %v", what, err)
	}
	always := []tools.Code{tools.Invalid, tools.Denied, tools.Unavailable, tools.Limited, tools.Timeout, tools.Internal}
	if !slices.Contains(always, e.Code) && !slices.Contains(tool.Errors, e.Code) {
		s.Errorf("%s: answers %s (%s), which the tool does not declare in Errors", what, e.Code, e.Message)
	}
	if e.Message == "" || len(e.Message)+len(e.Hint) > maxMessage {
		s.Errorf("%s: an error's message has 1 to %d bytes, this one %d", what, maxMessage, len(e.Message)+len(e.Hint))
	}
	object, err := json.Marshal(s.manifest.ErrorFormat.Object(e))
	if err != nil {
		s.Errorf("%s: marshal error object: %v", what, err)
		return e
	}
	s.checkAgainstSchema(what+": error object", tool.Out, object)
	return e
}

func (s *suite) checkResult(what string, tool tools.ToolInfo, r tools.Result) {
	s.Helper()
	s.checkAgainstSchema(what+": result", tool.Out, r.JSON)
	for i, c := range r.Content {
		if !isComplete(c) {
			s.Errorf("%s: content block %d of kind %q lacks a field that its kind needs", what, i, c.Kind)
		}
	}
}

// isComplete reports whether a content block has the fields that its kind
// needs.
func isComplete(c tools.Content) bool {
	switch c.Kind {
	case tools.Text:
		return true
	case tools.Image, tools.Audio:
		return len(c.Data) > 0 && c.MIME != ""
	case tools.Embedded:
		return c.URI != "" && c.MIME != ""
	case tools.Link:
		return c.URI != "" && c.Name != ""
	default:
		return false
	}
}

// checkAgainstSchema checks JSON against a published schema. A null list is an
// error, because no published type allows null.
func (s *suite) checkAgainstSchema(what string, schema *jsonschema.Schema, data []byte) {
	s.Helper()
	resolved, err := schema.CloneSchemas().Resolve(nil)
	if err != nil {
		s.Errorf("%s: resolve schema: %v", what, err)
		return
	}
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		s.Errorf("%s: not JSON: %v", what, err)
		return
	}
	if err := resolved.Validate(v); err != nil {
		s.Errorf("%s does not fit the published schema: %v\n%s", what, err, abbreviate(string(data), 400))
	}
}

// A progressChecker is a Notifier that checks the progress and messages of
// a tool.
type progressChecker struct {
	s    *suite
	what string

	mu   sync.Mutex
	done float64
}

// Progress implements [tools.Notifier]: it must not decrease or exceed its
// total.
func (w *progressChecker) Progress(done, total float64, _ string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if done < w.done || total > 0 && done > total {
		w.s.Errorf("%s: progress %v of %v after %v", w.what, done, total, w.done)
	}
	w.done = done
}

// Log implements [tools.Notifier].
func (w *progressChecker) Log(_ slog.Level, message string) {
	if message == "" {
		w.s.Errorf("%s: logs an empty message", w.what)
	}
}

func abbreviate(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[:n] + "…"
}
