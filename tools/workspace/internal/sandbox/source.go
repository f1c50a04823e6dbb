package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/lectern-mcp/lectern/internal/typescript"
)

// scriptFile is the name that scripts have in stacks.
const scriptFile = "script.js"

// source is a script as the engine gets it.
type source struct {
	code     string
	position func(line, column int) (int, int) // nil: as they are
	prefix   int                               // characters before the first line
}

// source checks a script, and compiles it if that is needed.
func (s *Sandbox) source(ctx context.Context, script Script, limits Limits) (source, error) {
	refuse := func(format string, arguments ...any) (source, error) {
		return source{}, &Error{Name: ExecutionError, Message: fmt.Sprintf(format, arguments...)}
	}
	size := int64(len(script.Code))
	switch {
	case size > limits.Code:
		return refuse("the script has %d bytes; at most %d are allowed", size, limits.Code)
	case int64(len(script.Input)) > limits.Input:
		return refuse("the input has %d bytes; at most %d are allowed", len(script.Input), limits.Input)
	case len(script.Input) > 0 && !json.Valid(script.Input):
		return refuse("the input is not valid JSON")
	}
	switch script.Language {
	case "", JavaScript:
		return source{code: script.Code}, nil
	case TypeScript:
		if s.options.TypeScript == nil {
			return refuse("this sandbox has no compiler for TypeScript; write the script in JavaScript")
		}
		if size > limits.TypeScript {
			return refuse("the script has %d bytes; at most %d are allowed in TypeScript", size, limits.TypeScript)
		}
		return s.compileTypeScript(ctx, script.Code)
	default:
		return refuse("no language %q: use %q or %q", script.Language, JavaScript, TypeScript)
	}
}

func (s *Sandbox) compileTypeScript(ctx context.Context, code string) (source, error) {
	output, err := s.options.TypeScript.Compile(ctx, code)
	var fault *typescript.Error
	switch {
	case err == nil:
		return source{code: output.Code, position: output.Position}, nil
	case errors.As(err, &fault):
		return source{}, &Error{Name: ExecutionError, Message: fault.Message, Line: fault.Line, Column: fault.Column}
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return source{}, &Error{Name: Timeout, Message: "the time limit was reached before the script was compiled"}
	case ctx.Err() != nil:
		return source{}, &Error{Name: Cancelled, Message: "the script was cancelled"}
	default:
		return source{}, fmt.Errorf("run script: %w", err)
	}
}

const (
	wrapStart = "(async function $script() {"
	wrapEnd   = "\n})()"
)

// wrap makes the script the body of a function, so that it can return.
func (s source) wrap() source {
	s.code, s.prefix = wrapStart+s.code+wrapEnd, len(wrapStart)
	return s
}

// place maps a position in code to the script, zeros if it is outside.
func (s source) place(line, column int) (int, int) {
	if line == 1 {
		// The engine places some errors at the start of their function.
		column = max(1, column-s.prefix)
	}
	if s.prefix > 0 && line > strings.Count(s.code, "\n") {
		return 0, 0
	}
	if s.position != nil {
		return s.position(line, column)
	}
	return line, column
}
