package cards

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardclient"
)

// A doer answers requests of the API: a transport, or the server of another behind one.
type doer interface {
	Do(ctx context.Context, c tools.CallContext, r apiRequest) (apiAnswer, error)
}

// A requester asks for one caller.
type requester struct {
	to   doer
	call tools.CallContext
}

func getOf(parts ...string) apiRequest {
	return apiRequest{Method: http.MethodGet, Path: cardclient.Path(parts...)}
}

// send sends a request and decodes its answer into out, which may be nil. Its errors
// are of type [tools.Error].
func (r requester) send(ctx context.Context, q apiRequest, out any) (http.Header, error) {
	answer, err := r.to.Do(ctx, r.call, q)
	if err != nil {
		return nil, err
	}
	if answer.Status >= http.StatusMultipleChoices {
		return nil, refusalError(cardclient.ParseError(answer.Status, answer.Header, answer.Body, time.Time{}))
	}
	if out == nil {
		return answer.Header, nil
	}
	if err := json.Unmarshal(answer.Body, out); err != nil {
		return nil, &tools.Error{
			Code: tools.Unavailable, Message: "the wiki's answer cannot be read",
			Hint: "Ask the user whether the url of the source is that of its API.", Cause: err,
		}
	}
	return answer.Header, nil
}

// networkError is what a client of a wiki returns as tools answer it.
func networkError(err error) error {
	if e, ok := errors.AsType[*cardclient.NetworkError](err); ok && !errors.Is(err, context.Canceled) {
		return &tools.Error{
			Code: tools.Unavailable, Message: e.Message, Hint: "Try again; if it fails again, ask the user to check the url and key of the source.",
			Cause: err,
		}
	}
	if errors.Is(err, cardclient.ErrOutcomeUnknown) {
		return &tools.Error{
			Code: tools.Unavailable, Message: cardclient.ErrOutcomeUnknown.Error(), Hint: "Read the card to see whether it was written.",
			Cause: errors.Join(tools.ErrOutcomeUnknown{}, err),
		}
	}
	return err
}

// refusal is what an error of a wiki holds besides its sentence.
type refusal struct {
	RequiredRole string                  `json:"required_role,omitempty"`
	RetryAfter   int                     `json:"retry_after,omitempty"` // seconds
	Fields       []cardclient.FieldError `json:"-"`
}

// refusalError is a refusal of a wiki as tools answer it.
func refusalError(e *cardclient.APIError) *tools.Error {
	data := refusal{RequiredRole: e.RequiredRole, RetryAfter: int(e.RetryAfter.Seconds()), Fields: e.Fields}
	switch e.Code {
	case "permission_denied":
		return tools.Errorf(tools.Denied, "%s", e.Error()).WithHint("The role of this session may not do that; ask the user.").WithData(data)
	case "unauthorized":
		return tools.Errorf(tools.Denied, "the wiki does not accept the key: %s", e.Error()).
			WithHint("Ask the user to check the key of the source, and the roles that it has.")
	case "not_found":
		if e.Status != http.StatusNotFound { // of something that the request names beside its card
			return tools.Errorf(tools.Invalid, "%s", e.Error()).WithHint("Types are named as RichText, PlainText, Pointer, Phrase.").WithData(data)
		}
		return tools.Errorf(tools.NotFound, "%s", e.Error()).WithHint("Find the name with search_cards.")
	case "conflict":
		return tools.Errorf(tools.Conflict, "the card was changed since you read it").
			WithHint("Read the card again, then write with its new revision.")
	case "rate_limited":
		return tools.Errorf(tools.Limited, "%s", e.Error()).WithHint("Wait as long as retry_after says, in seconds.").WithData(data)
	case "validation_error":
		return tools.Errorf(tools.Invalid, "%s", e.Error()).WithData(data)
	}
	return &tools.Error{
		Code: tools.Unavailable, Message: "the wiki failed: " + e.Message, Hint: "Try again later, or ask the user to look at the wiki.",
		Cause: e,
	}
}

func absentError(name string) *tools.Error {
	return tools.Errorf(tools.NotFound, "Card '%.300s' not found", name).WithHint("Find the name with search_cards.")
}

func isCode(err error, codes ...tools.Code) bool {
	e, ok := errors.AsType[*tools.Error](err)
	for _, c := range codes {
		if ok && e.Code == c {
			return true
		}
	}
	return false
}
