package cards

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardclient"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardtext"
)

// remote is the transport to a wiki of others: Decko's, or one of ours elsewhere. It
// answers requests as our own server would, whatever the wiki makes of them: what
// Decko ignores or does in its own way is worked out here, from plain reads, and what
// is written is sent as plain contents.
type remote struct {
	client    *cardclient.Client
	role      cardstore.Role // the most that callers get
	now       func() time.Time
	converter *cardtext.Converter
	isDecko   atomic.Bool // as far as the last answer tells
}

// Close implements [tools.Source].
func (m *remote) Close() error {
	m.client.Close()
	return nil
}

// Do implements [transport].
func (m *remote) Do(ctx context.Context, c tools.CallContext, r apiRequest) (apiAnswer, error) {
	answer, err := m.answer(ctx, c, r)
	if refused, ok := errors.AsType[*tools.Error](err); ok && refused.Code != tools.Unavailable && !tools.IsHidden(err) {
		return refusedAnswer(refused), nil
	}
	return answer, err
}

func (m *remote) answer(ctx context.Context, c tools.CallContext, r apiRequest) (apiAnswer, error) {
	body, err := encodeBody(r.Body)
	if err != nil {
		return apiAnswer{}, err
	}
	parts := strings.Split(strings.Trim(r.Path, "/"), "/")
	last := parts[len(parts)-1]
	d := direct{m}
	switch {
	case r.Method == http.MethodGet && r.Path == "/cards":
		return m.search(ctx, c, r)
	case r.Method == http.MethodGet && last == "nested_in":
		return m.nestedIn(ctx, c, r)
	case r.Method == http.MethodGet:
		return d.Do(ctx, c, r)
	case r.Path == "/run_query":
		return m.runQuery(ctx, c, body)
	case r.Path == "/render" || r.Path == "/render/markdown":
		return m.render(r.Path, body)
	}
	return m.write(ctx, c, r, body)
}

// direct sends requests to the wiki as they are.
type direct struct{ *remote }

// Do implements [doer]. A card is answered with an entity tag that is made of it,
// because Decko has none that counts.
func (d direct) Do(ctx context.Context, c tools.CallContext, r apiRequest) (apiAnswer, error) {
	out, err := d.client.Do(ctx, cardclient.Request{
		Role: string(d.roleOf(c)), Method: r.Method, Path: r.Path, Query: r.Query, Body: r.Body, Header: r.Header,
		Reads: slices.Contains([]string{"/run_query", "/render", "/render/markdown"}, r.Path),
	})
	if refused, ok := errors.AsType[*cardclient.APIError](err); ok {
		d.isDecko.Store(d.isDecko.Load()) // a refusal tells nothing
		return apiAnswer{}, refusalError(refused)
	}
	if err != nil {
		return apiAnswer{}, networkError(err)
	}
	d.isDecko.Store(out.Header.Get("X-Token-Expires-In") == "")
	header := out.Header.Clone()
	header.Del("ETag")
	var held card
	if json.Unmarshal(out.Body, &held) == nil && held.ID != 0 {
		header.Set("ETag", `"`+held.digest()+`"`)
	}
	return apiAnswer{Status: out.Status, Header: header, Body: out.Body}, nil
}

// digest changes with all that a writer of the card must know of.
func (c card) digest() string { return digest(c.Name + "\x00" + c.Type + "\x00" + c.Content) }

// roleOf is the role of the caller, and no more than that of the source.
func (m *remote) roleOf(c tools.CallContext) cardstore.Role {
	all := cardstore.Roles()
	return all[max(0, min(slices.Index(all, cardstore.Role(c.Identity.Role)), slices.Index(all, m.role)))]
}

func (m *remote) render(path string, body []byte) (apiAnswer, error) {
	var in struct{ HTML, Content, Markdown string }
	_ = json.Unmarshal(body, &in) // the tools have made it
	if path == "/render" {
		text, err := m.converter.Markdown(in.HTML + in.Content)
		return jsonAnswer(map[string]any{"markdown": text, "format": "gfm"}), err
	}
	text, err := m.converter.HTML(in.Markdown+in.Content, false)
	return jsonAnswer(map[string]any{"html": text, "format": "html"}), err
}

func jsonAnswer(value any) apiAnswer {
	body, err := encodeBody(value)
	if err != nil {
		panic("cards: encode answer: " + err.Error()) // plain values
	}
	return apiAnswer{Status: http.StatusOK, Header: http.Header{}, Body: body}
}

// refusedAnswer is an error as our own server writes it.
func refusedAnswer(e *tools.Error) apiAnswer {
	status := map[tools.Code]int{
		tools.Invalid: http.StatusBadRequest, tools.NotFound: http.StatusNotFound, tools.Conflict: http.StatusPreconditionFailed,
		tools.Denied: http.StatusForbidden, tools.Limited: http.StatusTooManyRequests, tools.Timeout: http.StatusGatewayTimeout,
	}[e.Code]
	if status == 0 {
		status = http.StatusInternalServerError
	}
	object, header := map[string]any{"code": errorFormat().Code(e), "message": e.Message}, http.Header{}
	if data, ok := e.Data.(refusal); ok {
		object["details"] = data
		if len(data.Fields) > 0 {
			object["validation_errors"] = data.Fields
		}
		if data.RetryAfter > 0 {
			header.Set("Retry-After", strconv.Itoa(data.RetryAfter))
		}
	}
	out := jsonAnswer(map[string]any{"error": object})
	out.Status, out.Header = status, header
	return out
}
