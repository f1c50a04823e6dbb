package cards

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardauth"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardname"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
)

// addAccount also makes the card of the account, by which rules name it.
func (l *local) addAccount(ctx context.Context, call tools.CommandCall, out io.Writer) error {
	role, err := readRole(call.Args["role"])
	if err != nil {
		return err
	}
	name := cardname.Parse(call.Args["name"])
	if why := name.Problem(); why != "" || name.IsCompound() {
		return tools.Errorf(tools.Invalid, "%.100q is not the name of an account", name)
	}
	body := map[string]any{"ops": []map[string]any{{"action": "create", "name": name, "type": "User", "fetch_or_initialize": true}}}
	answer, err := l.Do(ctx, call.Context, apiRequest{Method: "POST", Path: "/cards/batch", Body: body})
	if err != nil {
		return err
	}
	if answer.Status != 200 {
		return tools.Errorf(tools.Invalid, "the card of the account cannot be written: %.300s", answer.Body)
	}
	var made struct {
		Results []struct{ Name cardname.Name }
	}
	if err := json.Unmarshal(answer.Body, &made); err != nil || len(made.Results) != 1 {
		return tools.Errorf(tools.Internal, "the answer of the wiki cannot be read: %w", err)
	}
	name = made.Results[0].Name // as its card has it
	password := rand.Text()
	one := cardauth.Account{Name: string(name), Email: cmp.Or(call.Args["email"], name.Key()+"@localhost"), Role: role}
	err = l.auth.SetAccount(ctx, one, password)
	if taken, ok := errors.AsType[*cardauth.EmailError](err); ok {
		err = tools.Errorf(tools.Invalid, "%w", taken).WithHint("Choose another one: --email")
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s\n\nThis is the password of %s; it is not shown again. It may be up to %s.\n", password, name, role)
	return err
}

func (l *local) listAccounts(ctx context.Context, call tools.CommandCall, out io.Writer) error {
	all, err := l.auth.Accounts(ctx)
	if err != nil {
		return err
	}
	var rows [][]string
	for _, one := range all {
		state := "active"
		if !one.Active {
			state = "not active"
		}
		rows = append(rows, []string{one.Name, string(one.Role), one.Email, state})
	}
	return call.PrintList(out, []string{"NAME", "ROLE", "EMAIL", "STATE"}, rows)
}

func (l *local) removeAccount(ctx context.Context, call tools.CommandCall, out io.Writer) error {
	name := call.Args["name"]
	if cardstore.IsServiceAccount(name) {
		return tools.Errorf(tools.Denied, "%s is what API keys act as", name).WithHint("Remove the keys: lectern cards key remove")
	}
	found, err := l.auth.EndAccount(ctx, name)
	if err == nil && !found {
		err = tools.Errorf(tools.NotFound, "no account is named %.100q", name).WithHint("List them: lectern cards account list")
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s can no longer log in\n", name)
	return err
}
