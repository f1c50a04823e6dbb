package cards

import (
	"context"
	"fmt"
	"slices"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardauth"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardname"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
)

// checks are what `lectern doctor cards` looks at.
func checks() []tools.Check[*Wiki] {
	return []tools.Check[*Wiki]{
		{Name: "accounts", Title: "The accounts of the roles are there", Look: lookAt((*local).checkAccounts)},
		{Name: "roles", Title: "Players cannot read what is for game masters", Look: lookAt((*local).checkRoles)},
		{Name: "keys", Title: "API keys work", Look: lookAt((*local).checkKeys)},
	}
}

// lookAt is for wikis of our own.
func lookAt(look func(*local, context.Context) status.Check) func(*Wiki, context.Context, tools.Doctor) status.Check {
	return func(w *Wiki, ctx context.Context, _ tools.Doctor) status.Check {
		if w.local == nil {
			return status.Check{Result: status.CheckSkipped, Detail: "the wiki is on another server"}
		}
		return look(w.local, ctx)
	}
}

// missingAccount is the name of a service account that is not there; empty: all are.
func (l *local) missingAccount(ctx context.Context) (string, error) {
	all, err := l.auth.Accounts(ctx)
	if err != nil {
		return "", err
	}
	for _, role := range cardstore.Roles() {
		name := cardstore.ServiceAccount(role)
		if !slices.ContainsFunc(all, func(a cardauth.Account) bool { return a.Name == name && a.Active && a.Role == role }) {
			return name, nil
		}
		if _, err := l.store.Get(ctx, cardstore.Caller{Role: cardstore.Admin}, name); err != nil {
			return name, nil //nolint:nilerr // that it is not there is the answer
		}
	}
	return "", nil
}

func (l *local) checkAccounts(ctx context.Context) status.Check {
	missing, err := l.missingAccount(ctx)
	switch {
	case err != nil:
		return status.Check{Result: status.CheckFail, Detail: "the accounts cannot be read", Fix: "See lectern logs."}
	case missing != "":
		return status.Check{
			Result: status.CheckFail, Detail: "the account " + missing + " is missing", Fix: "Restart the hub, which creates the account again.",
		}
	}
	return status.Check{Result: status.CheckOK, Detail: "mcp-user, mcp-gm and mcp-admin"}
}

// checkRoles asks as each role for the first card of game masters, or for a name that
// one would have.
func (l *local) checkRoles(ctx context.Context) status.Check {
	name := string(cardname.Join("Home", "GM"))
	for _, role := range cardstore.Roles() {
		err := l.store.MayRead(ctx, cardstore.Caller{Account: cardstore.ServiceAccount(role), Role: role}, name)
		if refused := err != nil; refused != (role == cardstore.User) {
			return status.Check{
				Result: status.CheckFail, Detail: fmt.Sprintf("role %s: may read %s is %t", role, name, !refused),
				Fix: "Look at the cards GM+*right+*read and *rstar+*read.",
			}
		}
	}
	return status.Check{Result: status.CheckOK, Detail: name + " is refused to players and to nobody else"}
}

func (l *local) checkKeys(ctx context.Context) status.Check {
	keys, err := l.auth.Keys(ctx)
	if err != nil {
		return status.Check{Result: status.CheckFail, Detail: "the keys cannot be read", Fix: "See lectern logs."}
	}
	active := slices.DeleteFunc(slices.Clone(keys), func(k cardauth.APIKey) bool {
		return !k.Active || !k.ExpiresAt.IsZero() && l.now().After(k.ExpiresAt)
	})
	if len(keys) > 0 && len(active) == 0 {
		return status.Check{
			Result: status.CheckWarn, Detail: "every API key has expired or is not active", Fix: "Make one: lectern cards key add NAME",
		}
	}
	return status.Check{Result: status.CheckOK, Detail: fmt.Sprintf("%d of %d", len(active), len(keys))}
}
