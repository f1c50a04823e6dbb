package cards

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardapi"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardauth"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
)

// RequestIn is a request to the API that changes something.
type RequestIn struct {
	Method         string `json:"method" jsonschema:"POST, PUT, PATCH or DELETE"`
	Path           string `json:"path" jsonschema:"below the mount and escaped, such as /cards/Home"`
	Query          string `json:"query,omitempty" jsonschema:"what stands after the question mark"`
	Body           string `json:"body,omitempty" jsonschema:"JSON"`
	IfMatch        string `json:"if_match,omitempty" jsonschema:"the ETag that the card must have"`
	IdempotencyKey string `json:"idempotency_key,omitempty" jsonschema:"the same key answers the first answer again"`
}

// RequestOut is what the API answers. A refusal is an answer.
type RequestOut struct {
	Status  int               `json:"status" jsonschema:"of HTTP"`
	Headers map[string]string `json:"headers" jsonschema:"of the answer"`
	Body    string            `json:"body" jsonschema:"JSON"`
}

// AuditDetails implements [tools.AuditProvider].
func (o RequestOut) AuditDetails() map[string]any { return map[string]any{"status": o.Status} }

// The tools that routes write by. Which one decides what grants and rules say.
func writeRequest() tools.Tool[*Wiki] {
	return requestTool("write_request", "Write over HTTP", tools.Writes, "Carry out a request that writes cards.",
		"create a card", RequestIn{
			Method: "POST", Path: "/cards", Body: `{"name":"Lighthouse","type":"RichText","content":"<p>It stands on a rock.</p>"}`,
		}, cardapi.Writes)
}

func deleteRequest() tools.Tool[*Wiki] {
	return requestTool("delete_request", "Delete over HTTP", tools.Deletes, "Carry out a request that deletes cards.",
		"delete a card", RequestIn{Method: "DELETE", Path: "/cards/Harbour"}, cardapi.Deletes)
}

func manageRequest() tools.Tool[*Wiki] {
	return requestTool("manage_request", "Manage over HTTP", tools.Writes, "Carry out a request that changes API keys or backups.",
		"make an API key", RequestIn{Method: "POST", Path: "/admin/api_keys", Body: `{"name":"reader","roles":["user"]}`}, cardapi.Manages)
}

func requestTool(
	name, title string, effect tools.Effect, doc, purpose string, example RequestIn, does cardapi.RouteEffect,
) tools.Tool[*Wiki] {
	return tools.DefineWithContext(tools.Spec[RequestIn, RequestOut]{
		Name: name, Title: title, Effect: effect, Unlisted: true,
		Doc:    doc + "\n\nThe routes of the wiki call it, so that grants and rules hold for them.",
		Errors: []tools.Code{tools.Conflict},
		Examples: []tools.Example[RequestIn, RequestOut]{{
			Purpose: purpose, In: example, AnyAnswer: true, Want: RequestOut{Headers: map[string]string{}},
		}},
	}, func(w *Wiki, ctx context.Context, c tools.CallContext, in RequestIn) (RequestOut, error) {
		return w.request(ctx, c, in, does)
	})
}

// request carries out a request of the kind that the tool is for.
func (w *Wiki) request(ctx context.Context, c tools.CallContext, in RequestIn, does cardapi.RouteEffect) (RequestOut, error) {
	if w.local == nil {
		return RequestOut{}, tools.Errorf(tools.Unavailable, "this wiki is on another server").WithHint("Ask that server.")
	}
	query, err := url.ParseQuery(in.Query)
	if err != nil {
		return RequestOut{}, tools.Errorf(tools.Invalid, "the query cannot be read")
	}
	r := apiRequest{Method: in.Method, Path: in.Path, Query: query, Header: http.Header{}, Body: json.RawMessage(in.Body)}
	for name, value := range map[string]string{"If-Match": in.IfMatch, "Idempotency-Key": in.IdempotencyKey} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	req, err := http.NewRequestWithContext(ctx, in.Method, in.Path, http.NoBody)
	if err != nil || req.URL.Path == "" {
		return RequestOut{}, tools.Errorf(tools.Invalid, "%.80q is not a path of the API", in.Path)
	}
	if effect, known := cardapi.Effect(req, []byte(in.Body)); !known || effect != does {
		return RequestOut{}, tools.Errorf(tools.Invalid, "this is not a request that %s", does)
	}
	out, err := w.Do(ctx, c, r)
	if err != nil {
		return RequestOut{}, err
	}
	answer := RequestOut{out.Status, map[string]string{}, string(out.Body)}
	for name := range out.Header {
		answer.Headers[name] = out.Header.Get(name)
	}
	return answer, nil
}

// write carries out a request and reports to c what it changes.
func (l *local) write(c tools.CallContext, who cardauth.Principal, r *http.Request, body []byte) (cardapi.Answer, error) {
	seed := c.Seed
	if seed == 0 { // nobody runs this call twice
		seed = rand.Uint64() //nolint:gosec // it makes ids, which keep nothing secret
	}
	var announced []tools.Change
	announce := func(ctx context.Context, changes ...tools.Change) error {
		announced = append(announced, changes...)
		return c.BeforeWrite(ctx, changes...)
	}
	furthest := -1
	out, err := l.api.Write(who, r, body, cardapi.WriteOptions{
		Seed: seed,
		Before: func(ctx context.Context, changes []cardstore.StateChange) error {
			var report []tools.Change
			for _, change := range changes {
				report = append(report, toolChange(change))
			}
			return announce(ctx, report...)
		},
		BeforeKey: func(id int64, before, after *cardauth.KeyState) error {
			return announce(r.Context(), tools.Change{Target: keyTarget(id), Before: stateOf(before), After: stateOf(after)})
		},
		After: func(err error) { reportCommit(c, err, announced...) },
		Progress: func(done, total int) {
			if done > furthest { // a request that runs again begins again
				furthest = done
				c.Progress(float64(done), float64(total), "")
			}
		},
	})
	switch {
	case errors.Is(err, cardapi.ErrConflict):
		return out, tools.Errorf(tools.Conflict, "this was changed while the call waited").WithHint("Read it again, then write.")
	case errors.Is(err, cardstore.ErrHidden):
		return out, tools.HiddenError("cards like these are hidden from agents").WithHint("Choose another name, or ask the user.")
	}
	return out, commitError(err)
}

// toolChange is a change of a card as one of tools.
func toolChange(c cardstore.StateChange) tools.Change {
	change := tools.Change{Target: string(c.Name), Before: stateOf(c.Before), After: stateOf(c.After)}
	change.After.Revision = actText(c.Act)
	return change
}

// actText is an act as a revision; empty: none.
func actText(act int64) string {
	if act == 0 {
		return ""
	}
	return strconv.FormatInt(act, 10)
}

// reportCommit tells what became of changes that were announced: err is that of their
// transaction.
func reportCommit(c tools.CallContext, err error, changes ...tools.Change) {
	switch {
	case err == nil:
		c.ReportWritten(changes...)
	case errors.Is(err, sqlstore.ErrCommitUnknown):
		for _, change := range changes {
			c.OutcomeUnknown(change.Target)
		}
	}
}

// commitError says that nobody knows whether something was written, if that is so.
func commitError(err error) error {
	if errors.Is(err, sqlstore.ErrCommitUnknown) {
		return tools.Errorf(tools.Unavailable, "the connection to the database was lost, so this may or may not have been written").
			WithHint("Read before you write it again.")
	}
	return err
}

// keyTarget names an API key among targets: no card's name begins with a joint.
func keyTarget(id int64) string { return keyTargetPrefix + strconv.FormatInt(id, 10) }

const keyTargetPrefix = "+api_key "
