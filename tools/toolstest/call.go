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
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/tools"
)

const (
	// patience is how long a call may take, even a hostile one on a slow machine.
	patience = 30 * time.Second
	// maxMessage bounds what an error says: an argument that is repeated in it
	// may be a megabyte.
	maxMessage = 2000
)

// An answer is how a call ended: exactly one of the two is set.
type answer struct {
	result *tools.Result
	err    *tools.Error
}

func (a answer) String() string {
	if a.err != nil {
		return fmt.Sprintf("error %s: %s", a.err.Code, a.err.Message)
	}
	return string(a.result.JSON)
}

// call calls a tool and checks what every answer must hold.
func (s *suite) call(ctx context.Context, o *tools.OpenedSource, tool tools.ToolInfo, args []byte) answer {
	s.Helper()
	return s.callAs(ctx, &witness{s: s, what: describe(tool, args)}, o, tool, args)
}

// describe names a call in findings.
func describe(tool tools.ToolInfo, args []byte) string {
	return tool.Name + " " + clip(string(args), 120)
}

// callAs is call by a given Caller.
func (s *suite) callAs(ctx context.Context, c tools.CallContext, o *tools.OpenedSource, tool tools.ToolInfo, args []byte) answer {
	s.Helper()
	what := describe(tool, args)
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	r, err := s.guarded(what, func() (tools.Result, error) {
		return o.Call(ctx, c, tool.Name, args)
	})
	if ctx.Err() == context.DeadlineExceeded {
		s.Errorf("%s: took longer than %v", what, patience)
	}
	if err != nil {
		return answer{err: s.checkError(what, tool, err)}
	}
	s.checkResult(what, tool, r)
	return answer{result: &r}
}

// guarded turns a panic into a finding.
func (s *suite) guarded(what string, call func() (tools.Result, error)) (r tools.Result, err error) {
	s.Helper()
	defer func() {
		if p := recover(); p != nil {
			s.Errorf("%s: panic: %v\n%s", what, p, debug.Stack())
			err = tools.Errorf(tools.Internal, "panic")
		}
	}()
	return call()
}

// checkError checks that err is one of ours, that the tool declares its code
// and that clients will accept the object they get.
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
	s.fits(what+": error object", tool.Out, object)
	return e
}

func (s *suite) checkResult(what string, tool tools.ToolInfo, r tools.Result) {
	s.Helper()
	s.fits(what+": result", tool.Out, r.JSON)
	for i, c := range r.Content {
		if !wellFormed(c) {
			s.Errorf("%s: content block %d of kind %q lacks what its kind needs", what, i, c.Kind)
		}
	}
}

// wellFormed says whether a block has the fields that its kind needs.
func wellFormed(c tools.Content) bool {
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

// fits checks JSON against a published schema. A null list does not fit: no
// published type admits null.
func (s *suite) fits(what string, schema *jsonschema.Schema, data []byte) {
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
		s.Errorf("%s does not fit the published schema: %v\n%s", what, err, clip(string(data), 400))
	}
}

// A witness is a Caller that checks what a tool reports.
type witness struct {
	tools.NopCallContext // but for what follows
	s                    *suite
	what                 string

	mu   sync.Mutex
	done float64
}

// Progress implements [tools.CallContext]: it never goes back, nor past its total.
func (w *witness) Progress(done, total float64, _ string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if done < w.done || total > 0 && done > total {
		w.s.Errorf("%s: progress %v of %v after %v", w.what, done, total, w.done)
	}
	w.done = done
}

// Log implements [tools.CallContext].
func (w *witness) Log(_ slog.Level, message string) {
	if message == "" {
		w.s.Errorf("%s: logs an empty message", w.what)
	}
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[:n] + "…"
}
