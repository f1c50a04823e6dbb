package cardapi

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardtext"
)

// An apiError is an error as the API writes it.
type apiError struct {
	status    int
	code      string
	message   string
	details   map[string]any
	fields    []fieldError
	challenge string // of WWW-Authenticate
	retry     time.Duration
}

type fieldError struct {
	Field string `json:"field"`
	Error string `json:"error"`
}

// Error implements error.
func (e *apiError) Error() string { return e.message }

// invalid is for what a request says wrongly in a field.
func invalid(field, format string, args ...any) *apiError {
	e := &apiError{status: http.StatusBadRequest, code: "validation_error", message: fmt.Sprintf(format, args...)}
	if field != "" {
		e.fields = []fieldError{{field, e.message}}
	}
	return e
}

func notFound(format string, args ...any) *apiError {
	return &apiError{status: http.StatusNotFound, code: "not_found", message: fmt.Sprintf(format, args...)}
}

func forbidden(message string, needs cardstore.Role) *apiError {
	return &apiError{
		status: http.StatusForbidden, code: "permission_denied", message: message, details: map[string]any{"required_role": needs},
	}
}

// noPermission is the sentence for a name or a card that its caller may not have.
const noPermission = "You do not have permission to access this content"

// failure writes an error; one that nobody expected tells nothing.
func failure(err error) answer {
	e, ok := errors.AsType[*apiError](err)
	if !ok {
		e = &apiError{status: http.StatusInternalServerError, code: "internal_error", message: "An unexpected error occurred"}
	}
	object := map[string]any{"code": e.code, "message": e.message}
	if e.details != nil {
		object["details"] = e.details
	} else if e.status != http.StatusUnauthorized {
		object["details"] = map[string]any{}
	}
	if len(e.fields) > 0 {
		object["validation_errors"] = e.fields
	}
	headers := map[string]string{}
	if e.challenge != "" {
		headers["WWW-Authenticate"] = e.challenge
	}
	if e.retry > 0 {
		headers["Retry-After"] = strconv.Itoa(int(e.retry.Seconds()) + 1)
	}
	return answer{status: e.status, value: map[string]any{"error": object}, headers: headers}
}

// failed is the answer to a request that failed in the store.
func (a *API) failed(q *request, route route, err error) answer {
	e := a.apiErrorOf(q, err)
	if e == nil {
		a.Log.Error("answer request", "path", route.path, "err", err)
		return failure(err)
	}
	if route.plainErrors { // this path has another form of errors, which its clients know
		return answer{status: e.status, value: map[string]any{"error": e.message}}
	}
	return failure(e)
}

// apiErrorOf is an error of the store in the words of the API; nil: it is none that
// anybody expected.
func (a *API) apiErrorOf(q *request, err error) *apiError {
	if e, ok := errors.AsType[*apiError](err); ok {
		return e
	}
	if errors.Is(err, sqlstore.ErrBusy) {
		return &apiError{
			status: http.StatusServiceUnavailable, code: "unavailable", message: "The wiki is busy; try again in a moment", retry: time.Second,
		}
	}
	if barred, ok := errors.AsType[*cardstore.BarredError](err); ok {
		return &apiError{
			status: http.StatusForbidden, code: "permission_denied", message: noPermission,
			details: map[string]any{"card": string(barred.Name), "required_role": barred.Role},
		}
	}
	if denied, ok := errors.AsType[*cardstore.DeniedError](err); ok {
		return &apiError{
			status: http.StatusForbidden, code: "permission_denied", message: "You do not have permission to " + denied.Action + " this card",
			details: map[string]any{"card": string(denied.Name)},
		}
	}
	if taken, ok := errors.AsType[*cardstore.TakenError](err); ok {
		return cardInvalid("name", taken.Error())
	}
	if slash, ok := errors.AsType[*cardstore.SlashError](err); ok {
		e := cardInvalid("name", slash.Error())
		e.message, e.fields = "Card name contains invalid characters", []fieldError{{"name", slash.Error()}}
		return e
	}
	if wrong, ok := errors.AsType[*cardstore.InvalidError](err); ok {
		return cardInvalid(wrong.Field, wrong.Message)
	}
	if unknown, ok := errors.AsType[*cardstore.TypeError](err); ok {
		return &apiError{status: http.StatusBadRequest, code: "not_found", message: unknown.Error()}
	}
	if misfit, ok := errors.AsType[*cardtext.PatchError](err); ok {
		e := invalid(misfit.Field, "%s", misfit.Message)
		if misfit.Marker != "" {
			e.details = map[string]any{"marker": misfit.Marker}
		}
		return e
	}
	switch {
	case errors.Is(err, cardstore.ErrNameTaken):
		*q.probes++
		return cardInvalid("name", "Name is not available")
	case errors.Is(err, ErrConflict):
		return &apiError{status: http.StatusConflict, code: "conflict", message: "This was changed meanwhile; read it again"}
	case errors.Is(err, cardstore.ErrConflict):
		return &apiError{status: http.StatusPreconditionFailed, code: "conflict", message: "The card was changed since you read it"}
	case errors.Is(err, cardstore.ErrNotTrash):
		return invalid("from_trash", "Card is not in trash")
	case errors.Is(err, cardstore.ErrSystemCard):
		return &apiError{status: http.StatusBadRequest, code: "delete_failed", message: "Could not delete card"}
	case errors.Is(err, cardstore.ErrNoRevision):
		return notFound("Revision not found")
	case errors.Is(err, cardstore.ErrNotFound):
		name := ""
		if len(q.args) > 0 {
			name = q.args[0]
		}
		return notFound("Card '%s' not found", name)
	}
	return nil
}

// cardInvalid is for a card that cannot be so.
func cardInvalid(field, message string) *apiError {
	return &apiError{
		status: http.StatusBadRequest, code: "validation_error", message: "Card validation failed",
		details: map[string]any{"errors": []string{message}}, fields: []fieldError{{field, strings.TrimPrefix(message, "Name ")}},
	}
}
