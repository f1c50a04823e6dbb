package cardclient

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// A token is a proof of the wiki that we may ask in one role.
type token struct {
	text    string
	expires time.Time
	renew   time.Time // from then on a new one is asked for
}

// A tokenSlot holds the token of one role. Its lock is held while one is asked for, so
// that many calls ask once.
type tokenSlot struct {
	mu  sync.Mutex
	now *token
}

// renewBefore is how long before its end a token is renewed, or a fifth of its life if
// that is less.
const renewBefore = 5 * time.Minute

// leeway is how far the clocks of the wiki and of this computer may differ.
const leeway = time.Minute

func (c *Client) slot(role string) *tokenSlot {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tokens[role] == nil {
		c.tokens[role] = &tokenSlot{}
	}
	return c.tokens[role]
}

// token returns a token that is still good for a while.
func (c *Client) token(ctx context.Context, role string) (*token, error) {
	slot := c.slot(role)
	slot.mu.Lock()
	defer slot.mu.Unlock()
	now := c.o.Now()
	if slot.now != nil && now.Before(slot.now.renew) {
		return slot.now, nil
	}
	fresh, err := c.login(ctx, role)
	if err == nil {
		slot.now = fresh
		return fresh, nil
	}
	if _, passes := passing(err); passes && slot.now != nil && now.Before(slot.now.expires) {
		return slot.now, nil // the wiki takes it for some minutes yet
	}
	return nil, err
}

// forget drops a token that the wiki refused, unless another call has done so.
func (c *Client) forget(role string, refused *token) {
	slot := c.slot(role)
	slot.mu.Lock()
	defer slot.mu.Unlock()
	if slot.now == refused {
		slot.now = nil
	}
}

// noteLife takes the wiki's word for how long a token lasts, if that is less than the
// token says.
func (c *Client) noteLife(role string, used *token, header http.Header) {
	seconds, err := strconv.Atoi(header.Get("X-Token-Expires-In"))
	if err != nil {
		return
	}
	slot := c.slot(role)
	slot.mu.Lock()
	defer slot.mu.Unlock()
	if left := time.Duration(seconds) * time.Second; slot.now == used && left < renewBefore && c.o.Now().Add(left).
		Before(used.expires.Add(-leeway)) {
		slot.now = &token{text: used.text, expires: c.o.Now().Add(left), renew: c.o.Now()}
	}
}

// login exchanges the API key for a token, and checks that the wiki signed it, for
// this role.
func (c *Client) login(ctx context.Context, role string) (*token, error) {
	key, err := c.o.Key(ctx)
	if err != nil {
		return nil, err
	}
	body, err := encode(map[string]string{"api_key": key, "role": role})
	if err != nil {
		return nil, fmt.Errorf("encode request: %w", err)
	}
	r := Request{Method: http.MethodPost, Path: "/auth", Reads: true}
	answer, err := c.retry(ctx, true, func() (Response, error) { return c.send(ctx, r, body, "") })
	if err != nil {
		return nil, err
	}
	var in struct {
		Token string `json:"token"`
	}
	if json.Unmarshal(answer.Body, &in) != nil || in.Token == "" {
		return nil, &NetworkError{Message: "the wiki gives no token for the key: is this the address of its API?"}
	}
	return c.verify(ctx, in.Token, role)
}

type claims struct {
	jwt.RegisteredClaims
	Role string `json:"role"`
}

// verify reads a token that a public key of the wiki signed.
func (c *Client) verify(ctx context.Context, text, role string) (*token, error) {
	var in claims
	var unavailable error
	_, err := jwt.ParseWithClaims(text, &in, func(t *jwt.Token) (any, error) {
		kid, _ := t.Header["kid"].(string)
		key, err := c.keys.find(ctx, kid)
		if err != nil {
			unavailable = err
			return nil, err
		}
		return key, nil
	}, jwt.WithValidMethods([]string{"RS256"}), jwt.WithIssuer(c.o.Issuer), jwt.WithExpirationRequired(), jwt.WithIssuedAt(),
		jwt.WithLeeway(leeway), jwt.WithTimeFunc(c.o.Now))
	switch {
	case unavailable != nil:
		return nil, unavailable
	case err != nil:
		return nil, &NetworkError{Message: "the token of the wiki is not valid: " + bound(err.Error())}
	case in.Role != role:
		return nil, &NetworkError{Message: fmt.Sprintf("the wiki gives a token for the role %.20q, and %q was asked for", in.Role, role)}
	}
	expires := in.ExpiresAt.Time
	return &token{text, expires, expires.Add(-min(renewBefore, expires.Sub(c.o.Now())/5))}, nil
}
