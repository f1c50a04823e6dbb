package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// A Code is what an agent can act on. The list is closed; how a System's
// specification spells each is said by its [ErrorFormat].
type Code string

// The closed list of codes.
const (
	Invalid     Code = "invalid"     // fix the arguments and call again
	NotFound    Code = "not_found"   // search or list first
	Conflict    Code = "conflict"    // read again, then write
	Denied      Code = "denied"      // the user has not granted this
	Unavailable Code = "unavailable" // the other application or folder is not there now
	Limited     Code = "limited"     // too much at once: wait or ask for less
	Timeout     Code = "timeout"     // the deadline passed
	Internal    Code = "internal"    // our fault; the log has the reason
)

// Codes lists every Code in the order shown to people.
func Codes() []Code {
	return []Code{Invalid, NotFound, Conflict, Denied, Unavailable, Limited, Timeout, Internal}
}

// An Error is an error whose Msg, Hint and Data may be shown to an agent. It
// never holds content of a note, but for the Data of an undo that the hub
// refuses, which it marks.
type Error struct {
	Code     Code
	SpecCode string // the specification's own code, when it has several for one Code; else empty
	Message  string // one sentence without a final full stop
	Hint     string // what to do next, as an imperative sentence; may be empty
	Data     any    // further facts, marshalled with the error; may be nil
	Cause    error  // the cause, for the log only; may be nil
}

// Errorf makes an [Error]. A %w verb is kept as the cause, for the log.
func Errorf(c Code, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: c, Message: err.Error(), Cause: errors.Unwrap(err)}
}

// WithHint returns e with the hint set.
func (e *Error) WithHint(format string, args ...any) *Error {
	f := *e
	f.Hint = fmt.Sprintf(format, args...)
	return &f
}

// WithData returns e with the data set.
func (e *Error) WithData(data any) *Error {
	f := *e
	f.Data = data
	return &f
}

// Error implements error: the message alone, which is what a person reads.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// AsError is err as an agent may see it. What is not one of ours becomes
// Internal without detail, but for deadlines and cancellation, which become
// Timeout. It returns nil for nil.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &Error{Code: Timeout, Message: "the call took longer than its deadline", Hint: "Ask for less, or try again.", Cause: err}
	}
	if errors.Is(err, context.Canceled) {
		return &Error{Code: Timeout, Message: "the call was cancelled", Cause: err}
	}
	return &Error{Code: Internal, Message: "the call failed; Lectern's log has the reason", Hint: "Run `lectern logs` to see it.", Cause: err}
}

// A ErrorFormat says how a System's specification writes errors: the code words
// and the object that an agent finds in structuredContent.
type ErrorFormat struct {
	codes  map[Code]string
	schema *jsonschema.Schema
	shape  func(code string, e *Error) any
}

// NewErrorFormat makes a [ErrorFormat]: codes gives the specification's word for each Code
// (a missing one is an error of the declaration, found by the suite) and shape
// makes the object. E must be a struct, so that it has a schema.
func NewErrorFormat[E any](codes map[Code]string, shape func(code string, e *Error) E) ErrorFormat {
	return ErrorFormat{codes: codes, schema: inferSchema[E](), shape: func(c string, e *Error) any { return shape(c, e) }}
}

// Code is the specification's word for e's code.
func (s ErrorFormat) Code(e *Error) string {
	if e.SpecCode != "" {
		return e.SpecCode
	}
	if w, ok := s.codes[e.Code]; ok {
		return w
	}
	return string(e.Code)
}

// MissingCodes lists the Codes that the specification's spelling leaves out. It is
// empty for the plain spelling.
func (s ErrorFormat) MissingCodes() []Code {
	if s.shape == nil {
		return nil
	}
	return slices.DeleteFunc(Codes(), func(c Code) bool { return s.codes[c] != "" })
}

// Object is e as the specification writes it; marshal it to JSON.
func (s ErrorFormat) Object(e *Error) any {
	if s.shape == nil {
		return DefaultErrorObject{Code: string(e.Code), Message: e.Message, Hint: e.Hint, Data: e.Data}
	}
	return s.shape(s.Code(e), e)
}

// DefaultErrorObject is the shape of errors in Systems whose specification has none.
type DefaultErrorObject struct {
	Code    string `json:"code" jsonschema:"what went wrong, one of the documented codes"`
	Message string `json:"message" jsonschema:"one sentence for a person"`
	Hint    string `json:"hint,omitempty" jsonschema:"what to do next"`
	Data    any    `json:"data,omitempty" jsonschema:"further facts"`
}
