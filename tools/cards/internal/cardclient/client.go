// Package cardclient is a client of the JSON API of a wiki of cards: Decko's, and
// ours, which answers alike.
//
// It knows requests, tokens and errors, and nothing of what cards mean. The token goes
// to the address of the wiki alone: no proxy gets it, and no redirect is followed.
// tools/cards imports it. Start reading at [Client.Do].
package cardclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Bounds of a request and its answer.
const (
	maxAnswer  = 32 << 20
	maxRequest = 16 << 20
	budget     = 25 * time.Second
	issuer     = "magi-archive"
)

// Options configure a Client.
type Options struct {
	// URL is where the API is, such as https://wiki.example.org/api/mcp. Without a
	// path it is /api/mcp. Only a wiki of this computer may do without https.
	URL string
	// Key reads the API key, each time that a token is needed.
	Key func(ctx context.Context) (string, error)
	Now func() time.Time
	// Transport carries requests; nil: the network, without proxies.
	Transport http.RoundTripper
	// Budget is the time for one call with all its retries; 0: 25 s.
	Budget time.Duration
	// Issuer is what tokens must name; empty: magi-archive.
	Issuer string
	// KeysLast is how long the wiki's public keys are kept; 0: one hour.
	KeysLast time.Duration
}

// A Client speaks to one wiki. It is safe for concurrent use.
type Client struct {
	o    Options
	base *url.URL
	http *http.Client
	keys *keySet

	mu     sync.Mutex
	tokens map[string]*tokenSlot // by role
}

// New returns a client. It asks nothing yet.
func New(o Options) (*Client, error) {
	base, err := parseBase(o.URL)
	if err != nil {
		return nil, err
	}
	if o.Budget == 0 {
		o.Budget = budget
	}
	if o.Issuer == "" {
		o.Issuer = issuer
	}
	if o.KeysLast == 0 {
		o.KeysLast = time.Hour
	}
	if o.Transport == nil {
		o.Transport = &http.Transport{
			DialContext: (&net.Dialer{Timeout: 10 * time.Second}).DialContext, TLSHandshakeTimeout: 10 * time.Second,
			MaxIdleConnsPerHost: 4, IdleConnTimeout: 90 * time.Second, ForceAttemptHTTP2: true,
		}
	}
	c := &Client{o: o, base: base, tokens: map[string]*tokenSlot{}}
	c.http = &http.Client{Transport: o.Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	c.keys = &keySet{client: c}
	return c, nil
}

// Close drops idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

func parseBase(text string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimRight(text, "/"))
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("the address of a wiki looks like https://wiki.example.org/api/mcp")
	}
	loopback := u.Hostname() == "localhost"
	if ip := net.ParseIP(u.Hostname()); ip != nil {
		loopback = ip.IsLoopback()
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !loopback) {
		return nil, fmt.Errorf("the address must begin with https://, because the key of the wiki is sent to it; only http://localhost may do " +
			"without")
	}
	if u.Path == "" {
		u.Path = "/api/mcp"
	}
	return u, nil
}

// A Request is one request of the API.
type Request struct {
	Role   string // that the token is for
	Method string
	Path   string // escaped, below the address: see [Path]
	Query  url.Values
	Body   any // marshalled to JSON; nil: none
	Header http.Header
	// Reads means that the request changes nothing, although its method is POST.
	Reads bool
}

// repeatable reports whether a request may be sent again when it is not known what
// came of it.
func (r Request) repeatable() bool {
	return r.Reads || r.Method == http.MethodGet || r.Method == http.MethodHead
}

// A Response is a successful answer.
type Response struct {
	Status int
	Header http.Header
	Body   json.RawMessage
}

// Do sends a request with a token for its role. A request that changes nothing is
// repeated, within the budget, when the network or the wiki fails for a moment; any
// other only after a 401, with a new token and once. It returns an [APIError] for
// what the wiki refuses, a [NetworkError] if it cannot be reached or answers
// nonsense, and [ErrOutcomeUnknown] if a write was sent and no answer came.
func (c *Client) Do(ctx context.Context, r Request) (Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = encode(r.Body); err != nil {
			return Response{}, fmt.Errorf("encode request: %w", err)
		}
		if len(body) > maxRequest {
			return Response{}, &APIError{
				Status: http.StatusRequestEntityTooLarge, Code: "validation_error",
				Message: fmt.Sprintf("the request has %d bytes, and %d are allowed", len(body), maxRequest),
			}
		}
	}
	ctx, cancel := context.WithTimeout(ctx, c.o.Budget)
	defer cancel()
	return c.retry(ctx, r.repeatable(), func() (Response, error) { return c.authorized(ctx, r, body) })
}

// authorized sends a request once, or a second time with a new token after a 401.
func (c *Client) authorized(ctx context.Context, r Request, body []byte) (Response, error) {
	token, err := c.token(ctx, r.Role)
	if err != nil {
		return Response{}, err
	}
	out, err := c.send(ctx, r, body, token.text)
	if refused, ok := errors.AsType[*APIError](err); !ok || refused.Status != http.StatusUnauthorized {
		c.noteLife(r.Role, token, out.Header)
		return out, err
	}
	c.forget(r.Role, token)
	if token, err = c.token(ctx, r.Role); err != nil {
		return Response{}, err
	}
	return c.send(ctx, r, body, token.text)
}

// send makes one HTTP request.
func (c *Client) send(ctx context.Context, r Request, body []byte, token string) (Response, error) {
	req, err := http.NewRequestWithContext(ctx, r.Method, c.base.String(), bytes.NewReader(body))
	if err != nil {
		return Response{}, fmt.Errorf("make request: %w", err)
	}
	if req.URL, err = c.at(r.Path); err != nil {
		return Response{}, err
	}
	req.URL.RawQuery = r.Query.Encode()
	maps.Copy(req.Header, r.Header)
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := c.http.Do(req)
	if err != nil {
		return Response{}, lost(r, err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	if err != nil {
		return Response{}, lost(r, err)
	}
	return readAnswer(answer, text, c.o.Now())
}

// at is the address of an escaped path, whose escapes stay as they are.
func (c *Client) at(escaped string) (*url.URL, error) {
	u := *c.base
	u.RawPath = c.base.EscapedPath() + escaped
	var err error
	if u.Path, err = url.PathUnescape(u.RawPath); err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	return &u, nil
}

func readAnswer(answer *http.Response, text []byte, now time.Time) (Response, error) {
	switch {
	case len(text) > maxAnswer:
		return Response{}, &NetworkError{Message: fmt.Sprintf("the wiki's answer is larger than %d bytes", maxAnswer)}
	case answer.StatusCode >= 300 && answer.StatusCode < 400:
		return Response{}, &NetworkError{Message: "the wiki redirects to another address, which does not get the key: correct the url of the " +
			"source"}
	case answer.StatusCode >= 300:
		return Response{}, ParseError(answer.StatusCode, answer.Header, text, now)
	case !json.Valid(text):
		return Response{}, &NetworkError{Message: "the wiki's answer is not JSON: is this the address of its API?"}
	}
	return Response{Status: answer.StatusCode, Header: answer.Header, Body: text}, nil
}

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
