package tools

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/google/jsonschema-go/jsonschema"
)

// A Code tells an agent how to react to an error. The list is closed; a System's
// [ErrorFormat] translates each into the word of its specification.
type Code string

// The closed list of codes.
const (
	Invalid     Code = "invalid"     // fix the arguments and call again
	NotFound    Code = "not_found"   // search or list first
	Conflict    Code = "conflict"    // read again, then write
	Denied      Code = "denied"      // the user has not granted this
	Unavailable Code = "unavailable" // the other application or folder is not available now
	Limited     Code = "limited"     // too much at once: wait or ask for less
	Timeout     Code = "timeout"     // the deadline passed
	Internal    Code = "internal"    // our fault; the log has the reason
)

// Codes lists every Code in the order shown to people.
func Codes() []Code {
	return []Code{Invalid, NotFound, Conflict, Denied, Unavailable, Limited, Timeout, Internal}
}

// An Error is an error whose Message, Hint and Data may be shown to an agent. It
// never holds content of a note, except in the Data of an undo that was refused,
// which the hub marks as untrusted.
type Error struct {
	Code     Code
	SpecCode string // the specification's own code, if it has several for one Code; else empty
	Message  string // one sentence without a final full stop
	Hint     string // what to do next, as an imperative sentence; may be empty
	Data     any    // more facts, marshalled with the error; may be nil
	// Applied says of a call that was to write whether it has: false or "unknown". Nil: e
	// does not say, or its Data does.
	Applied any
	Cause   error // for the log only; may be nil

	format string // what Message was made from; empty: not known
}

// Errorf makes an [Error]. The operand of a %w verb becomes its cause.
func Errorf(c Code, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: c, Message: err.Error(), Cause: errors.Unwrap(err), format: format}
}

// Summary is Message with … for each operand: it holds nothing of notes and
// arguments, and may be kept. It is empty if Errorf has not made e.
func (e *Error) Summary() string {
	var b strings.Builder
	for rest := e.format; ; {
		text, after, found := strings.Cut(rest, "%")
		b.WriteString(text)
		if !found {
			return b.String()
		}
		verb := strings.IndexFunc(after, func(r rune) bool { return r == '%' || unicode.IsLetter(r) })
		if verb < 0 {
			return b.String()
		}
		if after[verb] == '%' {
			b.WriteString("%")
		} else {
			b.WriteString("…")
		}
		rest = after[verb+1:]
	}
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

// DataOrApplied is Data, or what Applied says where there is no Data.
func (e *Error) DataOrApplied() any {
	if e.Data != nil || e.Applied == nil {
		return e.Data
	}
	return map[string]any{"applied": e.Applied}
}

func (e *Error) withCause(err error) *Error {
	f := *e
	f.Cause = err
	return &f
}

// Error implements error: only the message, which is what a person reads.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// AsError converts err to what an agent may see. An error of another type
// becomes Internal without detail, except deadlines and cancellation, which
// become Timeout. It returns nil for nil.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return Errorf(Timeout, "the call took longer than its deadline").WithHint("Ask for less, or try again.").withCause(err)
	}
	if errors.Is(err, context.Canceled) {
		return Errorf(Timeout, "the call was cancelled, by its client or because the hub stops").withCause(err)
	}
	return Errorf(Internal, "the call failed; Lectern's log has the reason").WithHint("Run `lectern logs` to see it.").withCause(err)
}

// An ErrorFormat is how a System's specification writes errors: its words for
// the codes, and the object that an agent gets in structuredContent.
type ErrorFormat struct {
	codes  map[Code]string
	schema *jsonschema.Schema
	shape  func(code string, e *Error) any
	more   []SpecCode
}

// A SpecCode is a further word of a specification, for some of the errors of a
// Code: [Error.SpecCode] has it.
type SpecCode struct {
	Code                Code
	Word, Meaning, ToDo string // for the tables of errors
}

// WithSpecCode returns the format with a further word.
func (s ErrorFormat) WithSpecCode(c SpecCode) ErrorFormat {
	s.more = append(slices.Clone(s.more), c)
	return s
}

// SpecCodes are the further words.
func (s ErrorFormat) SpecCodes() []SpecCode { return s.more }

// NewErrorFormat makes an [ErrorFormat]: codes has the specification's word for
// each Code (the suite reports a missing one), and shape makes the object. E
// must be a struct, so that it has a schema.
func NewErrorFormat[E any](codes map[Code]string, shape func(code string, e *Error) E) ErrorFormat {
	schema := copyOpen(publishOutput(inferSchema(reflect.TypeFor[E]())))
	return ErrorFormat{codes: codes, schema: schema, shape: func(c string, e *Error) any { return shape(c, e) }}
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

// MissingCodes lists the Codes for which the format has no word. It is empty for
// the default format.
func (s ErrorFormat) MissingCodes() []Code {
	if s.shape == nil {
		return nil
	}
	return slices.DeleteFunc(Codes(), func(c Code) bool { return s.codes[c] != "" })
}

// Object is e as the specification writes it, to be marshalled to JSON.
func (s ErrorFormat) Object(e *Error) any {
	if s.shape == nil {
		return DefaultErrorObject{Code: string(e.Code), Message: e.Message, Hint: e.Hint, Data: e.DataOrApplied()}
	}
	return s.shape(s.Code(e), e)
}

// DefaultErrorObject is the error object of Systems whose specification defines
// none.
type DefaultErrorObject struct {
	Code    string `json:"code" jsonschema:"what went wrong, one of the documented codes"`
	Message string `json:"message" jsonschema:"one sentence for a person"`
	Hint    string `json:"hint,omitempty" jsonschema:"what to do next"`
	Data    any    `json:"data,omitempty" jsonschema:"further facts"`
}
