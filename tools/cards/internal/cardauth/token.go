package cardauth

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
)

// A Principal is who a token speaks for.
type Principal struct {
	Subject   string // of the token: key:ID or user:NAME
	Account   string // the card of the account
	Name      string // of the key or the account, for people
	Claimed   bool   // the name is not proven
	Role      cardstore.Role
	RateLimit int64     // requests an hour; 0: unlimited
	ExpiresAt time.Time // of the token
	TokenID   string
}

// A Token is a signed proof of who somebody is.
type Token struct {
	Text      string
	ExpiresAt time.Time
	Life      time.Duration
}

type claims struct {
	jwt.RegisteredClaims
	Role string `json:"role"`
	Kid  string `json:"kid"`
}

// keyBits is the size of a signing key.
const keyBits = 2048

// How long signing keys last. One is published before it signs, and accepted after
// it has ceased to, so that nobody needs to look at the same moment.
const (
	publishedBefore = 10 * time.Minute
	acceptedAfter   = 24 * time.Hour
	reloadAfter     = 5 * time.Second
)

type signingKey struct {
	kid       string
	private   *rsa.PrivateKey
	signsFrom time.Time
	knownTo   time.Time // zero: it is the youngest
}

// Issue signs a token for a principal.
func (a *Auth) Issue(ctx context.Context, p Principal) (Token, error) {
	keys, err := a.keys(ctx)
	if err != nil {
		return Token{}, err
	}
	now := a.o.Now()
	var by *signingKey
	for _, k := range keys {
		if !k.signsFrom.After(now) && (by == nil || k.signsFrom.After(by.signsFrom)) {
			by = &k
		}
	}
	if by == nil {
		if err := a.Rotate(ctx, true); err != nil {
			return Token{}, err
		}
		return a.Issue(ctx, p)
	}
	expires := now.Add(a.o.TokenLife)
	var id [16]byte
	_, _ = rand.Read(id[:])
	token := jwt.NewWithClaims(jwt.SigningMethodRS256, claims{
		RegisteredClaims: jwt.RegisteredClaims{
			Subject: p.Subject, Issuer: Issuer, IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(expires),
			ID: hex.EncodeToString(id[:]),
		},
		Role: string(p.Role), Kid: by.kid,
	})
	token.Header["kid"] = by.kid
	text, err := token.SignedString(by.private)
	if err != nil {
		return Token{}, fmt.Errorf("sign token: %w", err)
	}
	return Token{text, expires, a.o.TokenLife}, nil
}

// Verify returns whom a token speaks for. It must be signed by a key that is
// published under its kid, name our issuer and when it expires, and be revoked
// neither by itself nor with its key or account.
func (a *Auth) Verify(ctx context.Context, text string) (Principal, error) {
	var c claims
	_, err := jwt.ParseWithClaims(text, &c, func(t *jwt.Token) (any, error) {
		kid, _ := t.Header["kid"].(string)
		return a.publicKey(ctx, kid)
	}, jwt.WithValidMethods([]string{"RS256"}), jwt.WithIssuer(Issuer), jwt.WithExpirationRequired(), jwt.WithIssuedAt(),
		jwt.WithLeeway(a.o.Leeway), jwt.WithTimeFunc(a.o.Now))
	switch {
	case errors.Is(err, jwt.ErrTokenExpired):
		return Principal{}, ErrExpired
	case err != nil:
		return Principal{}, ErrToken
	case !slices.Contains(cardstore.Roles(), cardstore.Role(c.Role)):
		return Principal{}, ErrNobody
	}
	p := Principal{Subject: c.Subject, Role: cardstore.Role(c.Role), ExpiresAt: c.ExpiresAt.Time, TokenID: c.ID}
	return a.current(ctx, p, c)
}

// current checks that what the token says is still so.
func (a *Auth) current(ctx context.Context, p Principal, c claims) (Principal, error) {
	q := a.o.DB.Reader()
	var revoked int
	if err := q.QueryRow(ctx, "SELECT count(*) FROM revoked WHERE subject IN (?, ?) AND before > ?", p.Subject, p.TokenID, c.IssuedAt.Unix()).
		Scan(&revoked); err != nil {
		return Principal{}, err
	}
	if revoked > 0 {
		return Principal{}, ErrToken
	}
	return a.speaksFor(ctx, p)
}

// Subject returns what a subject may do in a role now, or ErrNobody.
func (a *Auth) Subject(ctx context.Context, subject string, role cardstore.Role) (Principal, error) {
	return a.speaksFor(ctx, Principal{Subject: subject, Role: role})
}

// speaksFor fills in what is known of a subject, or returns ErrNobody if it may not
// take the role now.
func (a *Auth) speaksFor(ctx context.Context, p Principal) (Principal, error) {
	q := a.o.DB.Reader()
	if name, ok := strings.CutPrefix(p.Subject, "user:"); ok {
		var has string
		err := q.QueryRow(ctx, "SELECT role FROM account WHERE name = ? AND active = 1", name).Scan(&has)
		all := cardstore.Roles()
		switch {
		case errors.Is(err, sql.ErrNoRows), err == nil && slices.Index(all, p.Role) > slices.Index(all, cardstore.Role(has)):
			return Principal{}, ErrNobody
		case err != nil:
			return Principal{}, err
		}
		p.Account, p.Name, p.RateLimit = name, "user:"+name, a.o.Rate
		return p, nil
	}
	var id int64
	if _, err := fmt.Sscanf(p.Subject, "key:%d", &id); err != nil {
		return Principal{}, ErrNobody
	}
	k, found, err := a.Key(ctx, id)
	switch {
	case err != nil:
		return Principal{}, err
	case !found, !k.Active, !slices.Contains(k.Roles, p.Role), !k.ExpiresAt.IsZero() && !a.o.Now().Before(k.ExpiresAt):
		return Principal{}, ErrNobody
	}
	p.Account, p.Name, p.RateLimit = cardstore.ServiceAccount(p.Role), k.Name, k.RateLimit
	return p, nil
}

// publicKey is the key of a kid. One that is not known yet is looked up at once: another
// hub may have made it.
func (a *Auth) publicKey(ctx context.Context, kid string) (*rsa.PublicKey, error) {
	keys, err := a.keys(ctx)
	if err != nil {
		return nil, err
	}
	k, ok := keys[kid]
	if !ok {
		k, err = scanSigningKey(a.o.DB.Reader().QueryRow(ctx, "SELECT kid, private, signs_from, known_to FROM signing_key WHERE kid = ?", kid))
		if errors.Is(err, sql.ErrNoRows) {
			return nil, ErrToken
		}
		if err != nil {
			return nil, err
		}
	}
	if !k.knownTo.IsZero() && !a.o.Now().Before(k.knownTo) {
		return nil, ErrToken
	}
	return &k.private.PublicKey, nil
}

// keys are all signing keys, as they were at most a few seconds ago.
func (a *Auth) keys(ctx context.Context) (map[string]signingKey, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if age := a.o.Now().Sub(a.loadedAt); len(a.signing) > 0 && age >= 0 && age < reloadAfter {
		return a.signing, nil
	}
	all, err := sqlstore.Select(ctx, a.o.DB.Reader(), scanSigningKey, "SELECT kid, private, signs_from, known_to FROM signing_key")
	if err != nil {
		return nil, err
	}
	a.signing = map[string]signingKey{}
	for _, k := range all {
		a.signing[k.kid] = k
	}
	a.loadedAt = a.o.Now()
	return a.signing, nil
}

func scanSigningKey(row sqlstore.Row) (k signingKey, err error) {
	var text string
	var from, to int64
	if err := row.Scan(&k.kid, &text, &from, &to); err != nil {
		return k, err
	}
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return k, fmt.Errorf("signing key %s is not PEM", k.kid)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return k, fmt.Errorf("signing key %s: %w", k.kid, err)
	}
	private, ok := parsed.(*rsa.PrivateKey)
	if !ok {
		return k, fmt.Errorf("signing key %s is not RSA", k.kid)
	}
	k.private, k.signsFrom = private, time.Unix(0, from)
	if to != 0 {
		k.knownTo = time.Unix(0, to)
	}
	return k, nil
}

// Rotate makes a signing key. At once, or after it was published for a while, it
// signs instead of the others, which are accepted for another day.
func (a *Auth) Rotate(ctx context.Context, atOnce bool) error {
	private, err := rsa.GenerateKey(rand.Reader, keyBits)
	if err != nil {
		return fmt.Errorf("make signing key: %w", err)
	}
	text, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return fmt.Errorf("make signing key: %w", err)
	}
	now := a.o.Now()
	from := now.Add(publishedBefore)
	if atOnce {
		from = now
	}
	var id [6]byte
	_, _ = rand.Read(id[:])
	err = a.o.DB.Write(ctx, func(q *sqlstore.Conn) error {
		if atOnce { // two hubs may start together
			var there int
			if err := q.QueryRow(ctx, "SELECT count(*) FROM signing_key WHERE known_to = 0 AND signs_from <= ?", now.UnixNano()).
				Scan(&there); err != nil || there > 0 {
				return err
			}
		}
		if _, err := q.Exec(ctx, "UPDATE signing_key SET known_to = ? WHERE known_to = 0", from.Add(acceptedAfter).UnixNano()); err != nil {
			return err
		}
		if _, err := q.Exec(ctx, "DELETE FROM signing_key WHERE known_to <> 0 AND known_to < ?", now.UnixNano()); err != nil {
			return err
		}
		_, err := q.Exec(ctx, "INSERT INTO signing_key (kid, private, made_at, signs_from, known_to) VALUES (?, ?, ?, ?, 0)",
			"key-"+hex.EncodeToString(id[:]), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: text})), now.UnixNano(),
			from.UnixNano())
		return err
	})
	a.mu.Lock()
	a.signing = nil
	a.mu.Unlock()
	return err
}

// RotateAfter rotates if the youngest key has signed for so long. Of several hubs that
// find this out one does it.
func (a *Auth) RotateAfter(ctx context.Context, age time.Duration) error {
	return a.o.DB.WithLock(ctx, "cards_rotation", func(ctx context.Context) error {
		var last int64
		if err := a.o.DB.Reader().QueryRow(ctx, "SELECT coalesce(max(signs_from), 0) FROM signing_key").Scan(&last); err != nil {
			return err
		}
		if last == 0 || a.o.Now().Sub(time.Unix(0, last)) < age { // the first key is made when it is needed
			return nil
		}
		return a.Rotate(ctx, false)
	})
}

// A JWK is a public key as RFC 7517 writes it.
type JWK struct {
	Kty string `json:"kty"`
	Use string `json:"use"`
	Alg string `json:"alg"`
	Kid string `json:"kid"`
	N   string `json:"n"`
	E   string `json:"e"`
}

// JWKS are the public keys of all tokens that are accepted, youngest first.
func (a *Auth) JWKS(ctx context.Context) ([]JWK, error) {
	if keys, err := a.keys(ctx); err != nil {
		return nil, err
	} else if len(keys) == 0 {
		if err := a.Rotate(ctx, true); err != nil {
			return nil, err
		}
	}
	keys, err := a.keys(ctx)
	if err != nil {
		return nil, err
	}
	var all []signingKey
	for _, k := range keys {
		if k.knownTo.IsZero() || a.o.Now().Before(k.knownTo) {
			all = append(all, k)
		}
	}
	slices.SortFunc(all, func(a, b signingKey) int { return b.signsFrom.Compare(a.signsFrom) })
	out := []JWK{}
	encode := base64.RawURLEncoding.EncodeToString
	for _, k := range all {
		out = append(out, JWK{"RSA", "sig", "RS256", k.kid, encode(k.private.N.Bytes()), encode(big.NewInt(int64(k.private.E)).Bytes())})
	}
	return out, nil
}
