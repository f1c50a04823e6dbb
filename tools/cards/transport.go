package cards

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardapi"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardauth"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
)

// An apiRequest is a request to the API of a wiki.
type apiRequest struct {
	Method string
	Path   string // below the mount, escaped: /cards/Home+GM
	Query  url.Values
	Header http.Header // If-Match, Idempotency-Key; nil: none
	Body   any         // becomes JSON; a json.RawMessage stays as it is; nil: none
}

// An apiAnswer is what a wiki answers. A request that it refuses is an answer too.
type apiAnswer struct {
	Status int
	Header http.Header
	Body   json.RawMessage
}

// A transport reaches a wiki: one in a database of ours, or one over the network.
// Tools know only this.
type transport interface {
	tools.Restorer
	// Do asks for the caller of c, in its role. What the request changes is reported
	// to c before it is changed; an error means that nothing was. A request with
	// dry_run is not reported.
	Do(ctx context.Context, c tools.CallContext, r apiRequest) (apiAnswer, error)
	Close() error
}

// local is the transport to a database of ours.
type local struct {
	store   *cardstore.Store
	auth    *cardauth.Auth
	api     *cardapi.API
	allowed []netip.Prefix // that may use the API; none: all
	folder  string         // of files and backups
	privacy tools.Privacy
	hides   func(cardstore.Description) bool // nil: nothing is hidden
	log     *slog.Logger
	now     func() time.Time
	report  tools.Reporter

	reveal tools.Reveal

	running sync.WaitGroup // jobs
	closing context.Context
	stop    context.CancelFunc

	authOptions cardauth.Options
	signingTime time.Duration // how long a key signs tokens
	remove      func() error  // removes the copy that a draft is; nil: this is none
}

// Close implements [tools.Source].
func (l *local) Close() error {
	l.stop()
	l.running.Wait()
	err := l.store.Close()
	if l.remove != nil {
		err = errors.Join(err, l.remove())
	}
	return err
}

// Do implements [transport].
func (l *local) Do(ctx context.Context, c tools.CallContext, r apiRequest) (apiAnswer, error) {
	body, err := encodeBody(r.Body)
	if err != nil {
		return apiAnswer{}, err
	}
	target := r.Path
	if len(r.Query) > 0 {
		target += "?" + r.Query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, target, http.NoBody)
	if err != nil {
		return apiAnswer{}, tools.Errorf(tools.Invalid, "%.80q is not a path of the API", r.Path)
	}
	if r.Header != nil {
		req.Header = r.Header
	}
	who, err := l.principal(ctx, c.Identity)
	if err != nil {
		return apiAnswer{}, err
	}
	effect, known := cardapi.Effect(req, body)
	var out cardapi.Answer
	if known && (effect == cardapi.Writes || effect == cardapi.Deletes || effect == cardapi.Manages) {
		out, err = l.write(c, who, req, body)
	} else {
		out = l.api.Do(who, req, body)
	}
	if err == nil {
		err = ctx.Err()
	}
	return apiAnswer{out.Status, out.Header, out.Body}, err
}

func encodeBody(body any) (json.RawMessage, error) {
	switch body := body.(type) {
	case nil:
		return nil, nil
	case json.RawMessage:
		return body, nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(body)
	return bytes.TrimSpace(b.Bytes()), err
}

// principal is who calls, as the wiki knows it: the subject of a token, or a client of
// Lectern's in the role that the user gave it, which no limit of the API counts.
func (l *local) principal(ctx context.Context, id tools.Identity) (cardauth.Principal, error) {
	role := cardstore.Role(id.Role)
	if id.Via == tools.ViaRoute && id.Account != "" {
		who, err := l.auth.Subject(ctx, id.Account, role)
		if err != nil {
			return who, tools.Errorf(tools.Denied, "this key or account may no longer be used in this role").WithHint("Ask for a new one.")
		}
		return who, nil
	}
	if role == "" {
		role = cardstore.User
	}
	return cardauth.Principal{
		Subject: "client:" + id.Client, Account: cardstore.ServiceAccount(role), Name: id.Client, Claimed: !id.Proven, Role: role,
	}, nil
}
