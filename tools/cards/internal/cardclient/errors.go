package cardclient

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/internal/safetext"
)

// ErrOutcomeUnknown means that a write was sent, and no answer came: the wiki may or
// may not have carried it out.
var ErrOutcomeUnknown = errors.New("the connection to the wiki was lost after a write was sent")

// A NetworkError means that the wiki cannot be reached, or that what answers is no
// wiki.
type NetworkError struct {
	Message string
	Cause   error
}

// Error implements error.
func (e *NetworkError) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *NetworkError) Unwrap() error { return e.Cause }

// A FieldError is what is wrong with one field of a request; Field may be empty.
type FieldError struct {
	Field string `json:"field"`
	Error string `json:"error"`
}

// An APIError is a refusal of the wiki.
type APIError struct {
	Status       int
	Code         string // validation_error, permission_denied, not_found, conflict, rate_limited, ...
	Message      string
	RequiredRole string // the least role that may do it; empty: not said
	Fields       []FieldError
	RetryAfter   time.Duration // 0: not said
}

// Error implements error.
func (e *APIError) Error() string {
	if len(e.Fields) > 0 && !strings.Contains(e.Message, e.Fields[0].Error) {
		return e.Message + ": " + e.Fields[0].Error
	}
	return e.Message
}

// lost is the error of a request that was not answered.
func lost(r Request, err error) error {
	dial, ok := errors.AsType[*net.OpError](err)
	if sent := !ok || dial.Op != "dial"; sent && !r.repeatable() {
		return fmt.Errorf("%w: %w", ErrOutcomeUnknown, err)
	}
	return &NetworkError{Message: "the wiki does not answer", Cause: err}
}

// errorBody is every form in which wikis write errors:
//
//	{"error": {"code", "message", "details"}}   most paths
//	{"error": "message"}                        /auto_link
//	{"error": "code", "message": "..."}         /admin
//	{"error_status", "errors": [[field, text]]} Decko itself, for paths that the API lacks
//	{"status", "error"}                         Rails itself, when the API breaks
type errorBody struct {
	Error   json.RawMessage `json:"error"`
	Message string          `json:"message"`
	Errors  json.RawMessage `json:"errors"`
}

type errorObject struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Details struct {
		Errors       []string `json:"errors"`
		Marker       string   `json:"marker"`
		RequiredRole string   `json:"required_role"`
		RetryAfter   float64  `json:"retry_after"`
		Hint         string   `json:"hint"`
	} `json:"details"`
	Fields []FieldError `json:"validation_errors"`
}

// ParseError reads a refusal, whatever its form. What is no JSON tells its status alone.
func ParseError(status int, header http.Header, text []byte, now time.Time) *APIError {
	e := &APIError{Status: status, RetryAfter: retryAfter(header.Get("Retry-After"), now)}
	var body errorBody
	_ = json.Unmarshal(text, &body) // a page of a proxy
	var object errorObject
	var plain string
	switch {
	case json.Unmarshal(body.Error, &plain) == nil && body.Message != "":
		e.Code, e.Message = plain, body.Message
	case plain != "":
		e.Message = plain
	case json.Unmarshal(body.Error, &object) == nil || object.Message != "":
		e.fill(object)
	}
	e.Code = commonCode(e.Code, status)
	e.Message = bound(cmp.Or(e.Message, "the wiki answers "+strconv.Itoa(status)+" "+http.StatusText(status)))
	return e
}

func (e *APIError) fill(o errorObject) {
	e.Code, e.Message, e.RequiredRole, e.Fields = o.Code, o.Message, o.Details.RequiredRole, o.Fields
	if len(e.Fields) == 0 {
		for _, text := range o.Details.Errors {
			e.Fields = append(e.Fields, FieldError{fieldOf(text), text})
		}
	}
	e.Fields = e.Fields[:min(len(e.Fields), 20)]
	if o.Details.Marker != "" {
		e.Message += ": " + o.Details.Marker
	}
	if e.RetryAfter == 0 && o.Details.RetryAfter > 0 && o.Details.RetryAfter < 1e6 {
		e.RetryAfter = time.Duration(o.Details.RetryAfter * float64(time.Second))
	}
}

// fieldOf is the field that a sentence of Decko is about: it begins with its name.
func fieldOf(sentence string) string {
	word, _, _ := strings.Cut(sentence, " ")
	if word = strings.ToLower(word); slices.Contains([]string{"name", "content", "type"}, word) {
		return word
	}
	return ""
}

// commonCode is one of the specification's codes. Decko has more, and says not_found
// with 400 for what a request names beside its card, such as a type.
func commonCode(code string, status int) string {
	switch {
	case status == http.StatusPreconditionFailed, status == http.StatusConflict:
		return "conflict"
	case status == http.StatusTooManyRequests:
		return "rate_limited"
	case status == http.StatusUnauthorized:
		return "unauthorized"
	case status == http.StatusForbidden:
		return "permission_denied"
	case status == http.StatusNotFound:
		return "not_found"
	case status >= http.StatusInternalServerError:
		return "internal_error"
	case code == "not_found":
		return code
	}
	return "validation_error"
}

// bound keeps a message of others short, and on one line.
func bound(message string) string {
	return safetext.Shorten(strings.Join(strings.Fields(message), " "), 500)
}
