package cards

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"time"

	"github.com/lectern-mcp/lectern/internal/loopnet"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardapi"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardauth"
)

// routes are the paths of the API. What exactly is below a path is decided by
// cardapi.
func routes() *tools.Routes {
	const get, post, put, patch, del = http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete
	read := func(path, purpose string) tools.Route {
		return tools.Route{Path: path, Methods: []string{get}, Auth: tools.AuthSource, Purpose: purpose}
	}
	ask := func(path, purpose string, methods ...string) tools.Route {
		return tools.Route{Path: path, Methods: methods, MaxBody: maxRouteBody, Auth: tools.AuthSource, Purpose: purpose}
	}
	return &tools.Routes{Mount: "/api/mcp", List: []tools.Route{
		{
			Path: "/auth", Methods: []string{post}, MaxBody: 64 << 10, Auth: tools.AuthOpen,
			Purpose: "Exchange an API key or a password for a token",
		},
		{Path: "/.well-known/jwks.json", Methods: []string{get}, Auth: tools.AuthOpen, Purpose: "The public keys that tokens are signed with"},
		{Path: "/health", Methods: []string{get}, Auth: tools.AuthOpen, Purpose: "Whether the wiki and its database answer"},
		{Path: "/health/ping", Methods: []string{get}, Auth: tools.AuthOpen, Purpose: "Whether the wiki answers"},
		read("/types", "List the types of cards"),
		read("/types/", "One type of cards"),
		ask("/cards", "Search cards, create one", get, post),
		ask("/cards/", "One card and what belongs to it; several in a batch", get, post, put, patch, del),
		read("/trash", "List deleted cards"),
		ask("/render", "Convert HTML to Markdown", post),
		ask("/render/markdown", "Convert Markdown to HTML", post),
		ask("/run_query", "Find cards by filters or a named query", post),
		ask("/jobs/spoiler-scan", "Find terms in what players can read; with async as a job", post),
		read("/jobs/", "How a job is"),
		ask("/auto_link", "Suggest or write links to other cards", post),
		ask("/validation/", "Check tags and structure", get, post),
		ask("/admin/", "API keys and backups", get, post, patch, del),
	}}
}

// Authenticate implements [tools.Authenticator]: the bearer is a token of the wiki.
func (w *Wiki) Authenticate(ctx context.Context, bearer string) (tools.Identity, error) {
	if w.local == nil {
		return tools.Identity{}, tools.Errorf(tools.Denied, "this wiki is on another server")
	}
	who, err := w.local.auth.Verify(ctx, bearer)
	if err != nil {
		return tools.Identity{}, tools.Errorf(tools.Denied, "the token does not count: %w", err)
	}
	return tools.Identity{Client: who.Name, Proven: true, Role: string(who.Role), Account: who.Subject, ExpiresAt: who.ExpiresAt}, nil
}

// ServeUnauthorized answers a request without a token that counts.
func (w *Wiki) ServeUnauthorized(to http.ResponseWriter, r *http.Request) {
	if w.local == nil {
		loopnet.WriteError(to, r, http.StatusNotFound, "not found: this wiki is on another server")
		return
	}
	send(to, r, w.local.api.Unauthorized(r))
}

// ServeHTTP implements [http.Handler]. It reads by itself, and writes by the tools of
// write_request.go, so that grants, rules, journal and audit hold as for an agent.
func (w *Wiki) ServeHTTP(to http.ResponseWriter, r *http.Request) {
	if w.local == nil {
		loopnet.WriteError(to, r, http.StatusNotFound, "not found: this wiki is on another server")
		return
	}
	api := w.local.api
	if !w.local.allows(r.RemoteAddr) {
		send(to, r, api.Refused(r, http.StatusForbidden, "permission_denied", "This address may not use the API"))
		return
	}
	body, err := io.ReadAll(r.Body) // the hub bounds it by the route's MaxBody
	if err != nil {
		send(to, r, api.Refused(r, http.StatusBadRequest, "validation_error", "The request cannot be read to its end"))
		return
	}
	c := tools.CallContextOf(r.Context())
	effect, known := cardapi.Effect(r, body)
	writes := known && slices.Contains([]cardapi.RouteEffect{cardapi.Writes, cardapi.Deletes, cardapi.Manages}, effect)
	if refusal, bad := api.CheckText(r, body); bad && writes { // what is no text would not reach the tool as it is
		send(to, r, refusal)
		return
	}
	if writes && cardapi.IsQueued(r, body) {
		w.local.serveQueued(to, r, c, body)
		return
	}
	if writes {
		w.local.serveWrite(to, r, c, effect, body)
		return
	}
	if known && effect == cardapi.Open {
		send(to, r, api.Do(cardauth.Principal{}, r, body))
		return
	}
	who, err := w.local.principal(r.Context(), c.Identity)
	if err != nil {
		send(to, r, api.Unauthorized(r))
		return
	}
	expiresIn(to, c.Identity, w.local.now())
	send(to, r, api.Do(who, r, body))
}

// serveWrite has the tool of the effect carry out a request.
func (l *local) serveWrite(to http.ResponseWriter, r *http.Request, c tools.CallContext, effect cardapi.RouteEffect, body []byte) {
	answer, err := l.callWrite(r.Context(), c, effect, RequestIn{
		Method: r.Method, Path: r.URL.EscapedPath(), Query: r.URL.RawQuery, Body: string(body),
		IfMatch: r.Header.Get("If-Match"), IdempotencyKey: r.Header.Get("Idempotency-Key"),
	})
	expiresIn(to, c.Identity, l.now())
	if err != nil {
		answer = l.refusal(r, err)
	}
	send(to, r, answer)
}

// callWrite has the tool of the effect carry out a request.
func (l *local) callWrite(ctx context.Context, c tools.CallContext, effect cardapi.RouteEffect, in RequestIn) (cardapi.Answer, error) {
	args, err := json.Marshal(in)
	if err != nil {
		return cardapi.Answer{}, tools.Errorf(tools.Invalid, "The request is not valid JSON")
	}
	tool := map[cardapi.RouteEffect]string{
		cardapi.Writes: "write_request", cardapi.Deletes: "delete_request", cardapi.Manages: "manage_request",
	}[effect]
	result, err := c.Call(ctx, "", tool, args)
	// Requests that meet are worked out again: one may be the same, with its key.
	for again := 0; again < 2 && err != nil && tools.AsError(err).Code == tools.Conflict; again++ {
		result, err = c.Call(ctx, "", tool, args)
	}
	var out RequestOut
	if err == nil {
		err = json.Unmarshal(result.JSON, &out)
	}
	if err != nil {
		return cardapi.Answer{}, err
	}
	answer := cardapi.Answer{Status: out.Status, Header: http.Header{}, Body: []byte(out.Body)}
	for name, value := range out.Headers {
		answer.Header.Set(name, value)
	}
	return answer, nil
}

// serveQueued answers a scan and then carries it out, as a request of its own.
func (l *local) serveQueued(to http.ResponseWriter, r *http.Request, c tools.CallContext, body []byte) {
	who, err := l.principal(r.Context(), c.Identity)
	if err != nil {
		send(to, r, l.api.Unauthorized(r))
		return
	}
	out, job := l.api.QueueScan(who, r, body)
	if job != nil {
		ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
		l.running.Go(func() {
			defer cancel()
			defer context.AfterFunc(l.closing, cancel)()
			defer l.report.BlockIdleExit("a spoiler scan")()
			err := l.api.RunJob(ctx, job, func(ctx context.Context) (cardapi.Answer, error) {
				return l.callWrite(ctx, c, cardapi.Writes, RequestIn{Method: http.MethodPost, Path: "/jobs/spoiler-scan", Body: string(job.Body)})
			})
			if err != nil {
				l.log.ErrorContext(ctx, "the result of a scan could not be kept", "err", err)
			}
		})
	}
	expiresIn(to, c.Identity, l.now())
	send(to, r, out)
}

// refusal is an error of a call in the words of the API.
func (l *local) refusal(r *http.Request, err error) cardapi.Answer {
	e := tools.AsError(err)
	status, code := http.StatusInternalServerError, "internal_error"
	switch e.Code {
	case tools.Denied:
		status, code = http.StatusForbidden, "permission_denied"
	case tools.Conflict:
		status, code = http.StatusConflict, "conflict"
	case tools.Limited:
		status, code = http.StatusTooManyRequests, "rate_limited"
	case tools.Unavailable, tools.Timeout:
		status, code = http.StatusServiceUnavailable, "unavailable"
	case tools.Invalid:
		status, code = http.StatusBadRequest, "validation_error"
	case tools.NotFound:
		status, code = http.StatusNotFound, "not_found"
	case tools.Internal:
		l.log.ErrorContext(r.Context(), "a request to the wiki failed", "err", err)
		return l.api.Refused(r, status, code, "An unexpected error occurred")
	}
	return l.api.Refused(r, status, code, e.Message)
}

// allows reports whether an address may use the API.
func (l *local) allows(remote string) bool {
	if len(l.allowed) == 0 {
		return true
	}
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		host = remote
	}
	address, err := netip.ParseAddr(host)
	return err == nil && slices.ContainsFunc(l.allowed, func(p netip.Prefix) bool { return p.Contains(address.Unmap().WithZone("")) })
}

func send(to http.ResponseWriter, r *http.Request, a cardapi.Answer) {
	maps.Copy(to.Header(), a.Header)
	to.WriteHeader(a.Status)
	if r.Method != http.MethodHead {
		_, _ = to.Write(a.Body) // the client went away
	}
}

// expiresIn tells a client when its token ends.
func expiresIn(to http.ResponseWriter, id tools.Identity, now time.Time) {
	if !id.ExpiresAt.IsZero() {
		to.Header().Set("X-Token-Expires-In", strconv.Itoa(int(id.ExpiresAt.Sub(now).Seconds())))
	}
}
