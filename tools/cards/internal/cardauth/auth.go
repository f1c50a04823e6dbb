// Package cardauth says who a request to a wiki of cards comes from: API keys and
// accounts, the tokens that they get, and the keys that sign these.
//
// It decides no permissions; that is the store's. Everything is in the wiki's
// database, so that hubs which share it agree. tools/cards imports it. Start reading
// at [Auth.Issue] and [Auth.Verify].
package cardauth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/bcrypt"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
)

// Defaults of [Options].
const (
	DefaultTokenLife = time.Hour
	DefaultLeeway    = 30 * time.Second
	DefaultRate      = 1000
	Issuer           = "magi-archive"
)

// Options configure an Auth.
type Options struct {
	DB        *sqlstore.Store
	Now       func() time.Time
	TokenLife time.Duration // of a token; 0: [DefaultTokenLife]
	Leeway    time.Duration // between clocks; 0: [DefaultLeeway]
	Rate      int64         // requests an hour of a subject without a limit of its own; 0: [DefaultRate]
}

// Auth knows keys, accounts and tokens. It is safe for concurrent use.
type Auth struct {
	o Options

	mu       sync.Mutex
	signing  map[string]signingKey // by kid
	loadedAt time.Time
}

// New returns an Auth over a database that [cardstore.Open] has migrated.
func New(o Options) *Auth {
	if o.TokenLife == 0 {
		o.TokenLife = DefaultTokenLife
	}
	if o.Leeway == 0 {
		o.Leeway = DefaultLeeway
	}
	if o.Rate == 0 {
		o.Rate = DefaultRate
	}
	return &Auth{o: o}
}

// Errors of logging in and of tokens.
var (
	ErrCredentials = errors.New("invalid API key")
	ErrPassword    = errors.New("invalid username or password")
	ErrToken       = errors.New("invalid or expired token")
	ErrExpired     = fmt.Errorf("%w: it has expired", ErrToken)
	// ErrNobody means that a token is valid and says of nobody what he is.
	ErrNobody = errors.New("account not found")
	ErrRole   = errors.New("the role is not granted")
)

// An APIKey is a key of a team. Its text is shown once, when it is made.
type APIKey struct {
	ID        int64
	Name      string
	Prefix    string // the beginning of the key, to recognise it
	Roles     []cardstore.Role
	RateLimit int64 // requests an hour
	Active    bool
	MadeAt    time.Time
	ExpiresAt time.Time // zero: never
	Contact   string
	About     string

	digest string
}

const keyColumns = "id, name, prefix, roles, rate_limit, active, made_at, expires_at, contact, about, digest"

func scanKey(row sqlstore.Row) (k APIKey, err error) {
	var roles string
	var active, made, expires int64
	err = row.Scan(&k.ID, &k.Name, &k.Prefix, &roles, &k.RateLimit, &active, &made, &expires, &k.Contact, &k.About, &k.digest)
	for r := range strings.SplitSeq(roles, ",") {
		k.Roles = append(k.Roles, cardstore.Role(r))
	}
	k.Active, k.MadeAt = active != 0, time.Unix(0, made).UTC()
	if expires != 0 {
		k.ExpiresAt = time.Unix(0, expires).UTC()
	}
	return k, err
}

// MakeKey makes an API key and returns its text.
func (a *Auth) MakeKey(ctx context.Context, k APIKey) (made APIKey, text string, err error) {
	k, text = a.NewKey(k)
	_, err = a.SetKeyState(ctx, k.ID, nil, k.State())
	return k, text, err
}

// NewKey returns an API key that is not kept yet, and its text.
func (a *Auth) NewKey(k APIKey) (new APIKey, text string) {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails
	text = hex.EncodeToString(b[:])
	k.Prefix, k.MadeAt, k.Active, k.digest = text[:8], a.o.Now(), true, digest(text)
	if k.RateLimit == 0 {
		k.RateLimit = a.o.Rate
	}
	var id [6]byte
	_, _ = rand.Read(id[:])
	for _, one := range id {
		k.ID = k.ID<<8 | int64(one)
	}
	return k, text
}

func joinRoles(roles []cardstore.Role) string {
	texts := make([]string, len(roles))
	for i, r := range roles {
		texts[i] = string(r)
	}
	return strings.Join(texts, ",")
}

func nano(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Keys lists all API keys, oldest first.
func (a *Auth) Keys(ctx context.Context) ([]APIKey, error) {
	return sqlstore.Select(ctx, a.o.DB.Reader(), scanKey, "SELECT "+keyColumns+" FROM api_key ORDER BY made_at, id")
}

// Key returns one API key; false: there is none.
func (a *Auth) Key(ctx context.Context, id int64) (APIKey, bool, error) {
	k, err := scanKey(a.o.DB.Reader().QueryRow(ctx, "SELECT "+keyColumns+" FROM api_key WHERE id = ?", id))
	if errors.Is(err, sql.ErrNoRows) {
		return APIKey{}, false, nil
	}
	return k, err == nil, err
}

func keySubject(id int64) string { return fmt.Sprintf("key:%d", id) }

// Revoke ends every token of a subject, or the one with this jti, that was issued
// until now.
func (a *Auth) Revoke(ctx context.Context, subject string) error {
	return a.o.DB.Write(ctx, func(q *sqlstore.Conn) error { return cardstore.RevokeTokens(ctx, q, subject, a.o.Now()) })
}

// An Account may log in by itself.
type Account struct {
	Name, Email string
	Role        cardstore.Role // the most that it may be
	Active      bool
}

// An EmailError is for an email that another account has.
type EmailError struct{ Account string }

// Error implements error.
func (e *EmailError) Error() string { return "the account " + e.Account + " has this email" }

// SetAccount makes an account or changes it. An empty password leaves it without
// login by password. The email may be that of an account that has ended.
func (a *Auth) SetAccount(ctx context.Context, one Account, password string) error {
	hash := ""
	if password != "" {
		sum, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.DefaultCost)
		if err != nil {
			return fmt.Errorf("password: %w", err)
		}
		hash = string(sum)
	}
	email := strings.ToLower(one.Email)
	return a.o.DB.Write(ctx, func(q *sqlstore.Conn) error {
		if _, err := q.Exec(ctx, "DELETE FROM account WHERE email = ? AND name <> ? AND active = 0", email, one.Name); err != nil {
			return err
		}
		var other string
		err := q.QueryRow(ctx, "SELECT name FROM account WHERE email = ? AND name <> ?", email, one.Name).Scan(&other)
		if err == nil {
			return &EmailError{other}
		} else if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		_, err = q.Exec(ctx, `INSERT INTO account (name, email, password, role, active) VALUES (?, ?, ?, ?, 1)
ON CONFLICT (name) DO UPDATE SET email = excluded.email, password = excluded.password, role = excluded.role, active = 1`,
			one.Name, email, hash, string(one.Role))
		return err
	})
}

// CreateServiceAccounts makes the accounts of the roles where they are missing. They
// cannot log in by themselves.
func (a *Auth) CreateServiceAccounts(ctx context.Context) error {
	return a.o.DB.Write(ctx, func(q *sqlstore.Conn) error {
		for _, role := range cardstore.Roles() {
			name := cardstore.ServiceAccount(role)
			if _, err := q.Exec(ctx, "INSERT INTO account (name, email, password, role, active) VALUES (?, ?, '', ?, 1) ON CONFLICT DO NOTHING",
				name, name+"@localhost", string(role)); err != nil {
				return err
			}
		}
		return nil
	})
}

// Accounts lists the accounts by name.
func (a *Auth) Accounts(ctx context.Context) ([]Account, error) {
	return sqlstore.Select(ctx, a.o.DB.Reader(), func(row sqlstore.Row) (one Account, err error) {
		var role string
		var active int
		err = row.Scan(&one.Name, &one.Email, &role, &active)
		one.Role, one.Active = cardstore.Role(role), active != 0
		return one, err
	}, "SELECT name, email, role, active FROM account ORDER BY name")
}

// EndAccount keeps an account from logging in and ends its tokens; false: there is none.
func (a *Auth) EndAccount(ctx context.Context, name string) (found bool, err error) {
	err = a.o.DB.Write(ctx, func(q *sqlstore.Conn) error {
		found, err = cardstore.EndAccount(ctx, q, name, a.o.Now())
		return err
	})
	return found, err
}

// A Login is what a client shows to get a token: a key and a role, or a user name
// and a password.
type Login struct {
	Key, User, Password string
	Role                string // empty with a password: the most that the account may be
}

// A RoleError is for a role that a login may not take.
type RoleError struct{ Has, Wants cardstore.Role }

// Error implements error.
func (e *RoleError) Error() string {
	return fmt.Sprintf("role %s cannot take the role %s", e.Has, e.Wants)
}

// Unwrap returns ErrRole.
func (e *RoleError) Unwrap() error { return ErrRole }

// Authenticate returns who logs in. By comparing digests and hashes it takes the same
// time whatever is wrong.
func (a *Auth) Authenticate(ctx context.Context, in Login) (Principal, error) {
	if in.Key != "" {
		return a.byKey(ctx, in)
	}
	return a.byPassword(ctx, in)
}

func (a *Auth) byKey(ctx context.Context, in Login) (Principal, error) {
	k, err := scanKey(a.o.DB.Reader().QueryRow(ctx, "SELECT "+keyColumns+" FROM api_key WHERE digest = ?", digest(in.Key)))
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return Principal{}, ErrCredentials
	case err != nil:
		return Principal{}, err
	case !k.Active || !k.ExpiresAt.IsZero() && !a.o.Now().Before(k.ExpiresAt):
		return Principal{}, ErrCredentials
	}
	role := cardstore.Role(in.Role)
	if !slices.Contains(k.Roles, role) {
		return Principal{}, &RoleError{most(k.Roles), role}
	}
	return Principal{Subject: keySubject(k.ID), Account: cardstore.ServiceAccount(role), Role: role, RateLimit: k.RateLimit}, nil
}

func most(roles []cardstore.Role) (best cardstore.Role) {
	for _, r := range cardstore.Roles() {
		if slices.Contains(roles, r) {
			best = r
		}
	}
	return best
}

func (a *Auth) byPassword(ctx context.Context, in Login) (Principal, error) {
	var one Account
	var hash, role string
	err := a.o.DB.Reader().QueryRow(ctx, "SELECT name, email, password, role FROM account WHERE active = 1 AND (email = ? OR name = ?)",
		strings.ToLower(in.User), in.User).
		Scan(&one.Name, &one.Email, &hash, &role)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return Principal{}, err
	}
	if err != nil || hash == "" {
		hash = nobodysHash
	}
	if bcrypt.CompareHashAndPassword([]byte(hash), []byte(in.Password)) != nil || one.Name == "" {
		return Principal{}, ErrPassword
	}
	has, wants := cardstore.Role(role), cardstore.Role(in.Role)
	if wants == "" {
		wants = has
	}
	all := cardstore.Roles()
	if slices.Index(all, wants) > slices.Index(all, has) {
		return Principal{}, &RoleError{has, wants}
	}
	return Principal{Subject: cardstore.AccountSubject(one.Name), Account: one.Name, Role: wants, RateLimit: a.o.Rate}, nil
}

// nobodysHash is compared with where there is no account, which takes as long.
const nobodysHash = "$2a$10$7EqJtq98hPqEX7fNZaFWoOhi5Hn3qKJ3lYy1J3pS0e0l3o6jJbZ8a"
