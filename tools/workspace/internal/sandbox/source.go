package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
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
		if s.options.Compiler == nil {
			return refuse("this sandbox has no compiler for TypeScript; write the script in JavaScript")
		}
		if size > limits.TypeScript {
			return refuse("the script has %d bytes; at most %d are allowed in TypeScript", size, limits.TypeScript)
		}
		compiled, err := s.options.Compiler.Compile(ctx, script.Code)
		if err != nil {
			return source{}, err
		}
		return source{code: compiled.Code, position: compiled.Position}, nil
	default:
		return refuse("no language %q: use %q or %q", script.Language, JavaScript, TypeScript)
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
