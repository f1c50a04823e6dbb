package cardapi

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/lectern-mcp/lectern/tools/cards/internal/cardauth"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
)

// forAdmins refuses everybody else.
func (r *request) forAdmins() error {
	if r.who.Role == cardstore.Admin {
		return nil
	}
	return forbidden("Admin role required", cardstore.Admin)
}

func keyObject(k cardauth.APIKey) map[string]any {
	var expires any
	if !k.ExpiresAt.IsZero() {
		expires = stamp(k.ExpiresAt)
	}
	return map[string]any{
		"id": k.ID, "name": k.Name, "key_prefix": k.Prefix, "allowed_roles": k.Roles, "rate_limit_per_hour": k.RateLimit, "active": k.Active,
		"created_at": stamp(k.MadeAt), "expires_at": expires, "contact_email": k.Contact, "description": k.About,
	}
}

func listKeys(r *request) (answer, error) {
	if err := r.forAdmins(); err != nil {
		return answer{}, err
	}
	keys, err := r.api.Auth.Keys(r.Context())
	if err != nil {
		return answer{}, err
	}
	list, active := []map[string]any{}, 0
	for _, k := range keys {
		list = append(list, keyObject(k))
		if k.Active {
			active++
		}
	}
	return ok(map[string]any{"keys": list, "summary": map[string]any{"total": len(keys), "active": active}})
}

// keyBody is what may be set of a key.
type keyBody struct {
	RateLimit *int64  `json:"rate_limit"`
	PerHour   *int64  `json:"rate_limit_per_hour"`
	Days      *int    `json:"expires_in_days"`
	ExpiresAt *string `json:"expires_at"`
	Contact   *string `json:"contact_email"`
	About     *string `json:"description"`
	Active    *bool   `json:"active"`
}

func (b keyBody) set(k *cardauth.APIKey, now time.Time) (err error) {
	if b.RateLimit == nil {
		b.RateLimit = b.PerHour
	}
	if b.RateLimit != nil {
		if *b.RateLimit < 1 {
			return invalid("rate_limit", "rate_limit must be a number of at least 1")
		}
		k.RateLimit = *b.RateLimit
	}
	if b.Days != nil {
		if *b.Days < 1 {
			return invalid("expires_in_days", "expires_in_days must be a number of at least 1")
		}
		k.ExpiresAt = now.AddDate(0, 0, *b.Days)
	}
	if b.ExpiresAt != nil {
		if k.ExpiresAt, err = moment("expires_at", *b.ExpiresAt); err != nil {
			return err
		}
	}
	if b.Contact != nil {
		k.Contact = *b.Contact
	}
	if b.About != nil {
		k.About = *b.About
	}
	if b.Active != nil {
		k.Active = *b.Active
	}
	return nil
}

func makeKey(r *request) (answer, error) {
	if err := r.forAdmins(); err != nil {
		return answer{}, err
	}
	var in struct {
		keyBody
		Name  string           `json:"name"`
		Roles []cardstore.Role `json:"roles"`
	}
	if err := r.into(&in); err != nil {
		return answer{}, err
	}
	if in.Name == "" {
		return answer{}, invalid("name", "Missing name")
	}
	if len(in.Roles) == 0 {
		return answer{}, invalid("roles", "Missing roles")
	}
	for _, role := range in.Roles {
		if !slices.Contains(cardstore.Roles(), role) {
			return answer{}, invalid("roles", "Unknown role %q", role)
		}
	}
	k := cardauth.APIKey{Name: in.Name, Roles: in.Roles}
	if err := in.set(&k, r.api.Now()); err != nil {
		return answer{}, err
	}
	k, text := r.api.Auth.NewKey(k)
	if err := r.setKey(k.ID, nil, k.State()); err != nil {
		return answer{}, err
	}
	object := keyObject(k)
	object["api_key"] = text
	return created(map[string]any{
		"key": object, "message": "API key generated successfully", "warning": "Store this key now: it is not shown again",
	})
}

func (r *request) theKey() (cardauth.APIKey, error) {
	if err := r.forAdmins(); err != nil {
		return cardauth.APIKey{}, err
	}
	id, err := strconv.ParseInt(r.args[0], 10, 64)
	if err != nil {
		return cardauth.APIKey{}, notFound("API key not found")
	}
	k, found, err := r.api.Auth.Key(r.Context(), id)
	if err == nil && !found {
		err = notFound("API key not found")
	}
	return k, err
}

func getKey(r *request) (answer, error) {
	k, err := r.theKey()
	if err != nil {
		return answer{}, err
	}
	return ok(map[string]any{"key": keyObject(k)})
}

func changeKey(r *request) (answer, error) {
	k, err := r.theKey()
	if err != nil {
		return answer{}, err
	}
	before := k.State()
	var in struct {
		keyBody
		Name  json.RawMessage `json:"name"`
		Roles json.RawMessage `json:"roles"`
	}
	if err := r.into(&in); err != nil {
		return answer{}, err
	}
	for name, given := range map[string]json.RawMessage{"name": in.Name, "roles": in.Roles} {
		if given != nil {
			return answer{}, invalid(name, "The %s of an API key cannot be changed; make another key and delete this one", name)
		}
	}
	if err := in.set(&k, r.api.Now()); err != nil {
		return answer{}, err
	}
	if err := r.setKey(k.ID, before, k.State()); err != nil {
		return answer{}, err
	}
	return ok(map[string]any{"key": keyObject(k), "message": "API key updated"})
}

func removeKey(r *request) (answer, error) {
	k, err := r.theKey()
	if err != nil {
		return answer{}, err
	}
	if err := r.into(&struct{}{}); err != nil {
		return answer{}, err
	}
	if err := r.setKey(k.ID, k.State(), nil); err != nil {
		return answer{}, err
	}
	return answer{status: http.StatusOK, value: map[string]any{"status": "deleted", "id": k.ID}}, nil
}

// setKey keeps a key once those who want to know have heard of it.
func (r *request) setKey(id int64, before, after *cardauth.KeyState) error {
	if err := r.beforeKey(id, before, after); err != nil {
		return &refusedError{err}
	}
	fits, err := r.api.Auth.SetKeyState(r.Context(), id, before, after)
	if err == nil && !fits {
		err = ErrConflict
	}
	r.after(err)
	return err
}
