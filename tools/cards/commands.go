package cards

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardauth"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
)

// commands are what a person does from the shell: `lectern cards key add NAME`.
func commands() []tools.Command[*Wiki] {
	name := tools.CommandArgument{Name: "name", Doc: "of the key, as grants and rules name it after key:", Required: true}
	account := tools.CommandArgument{Name: "name", Doc: "of the account", Required: true}
	file := tools.CommandArgument{Name: "file", Doc: "a file of cards, one JSON object a line", Required: true, Folder: true}
	addKey := command("key add", "Make an API key and print it; it is not shown again.", (*local).addKey, name,
		tools.CommandArgument{
			Name: "roles", Doc: "that it may take, separated by commas; when omitted, user, or all for the first key of a wiki",
		},
		tools.CommandArgument{Name: "rate", Doc: "requests an hour"},
		tools.CommandArgument{Name: "days", Doc: "until it expires; never when omitted"},
		tools.CommandArgument{Name: "first", Doc: "yes: only if the wiki has no key yet"})
	addKey.AfterAdd = &tools.CommandAfterAdd{Args: map[string]string{"name": "first", "first": "yes"}, WithoutKey: "url"}
	return []tools.Command[*Wiki]{
		addKey,
		command("key list", "List the API keys.", (*local).listKeys),
		command("key rotate", "Make another key of the same name and roles; the previous one works for another day.", (*local).rotateKey, name),
		command("key remove", "Remove the API keys of a name and revoke their tokens.", (*local).removeKeys, name),
		command("signing rotate", "Sign tokens with a new key, ten minutes from now.", (*local).rotateSigning),
		command("account add", "Make an account and print its password, or give it a new one.", (*local).addAccount, account,
			tools.CommandArgument{Name: "role", Doc: "its highest role: user, gm or admin", Required: true},
			tools.CommandArgument{Name: "email", Doc: "to log in with"}),
		command("account list", "List the accounts.", (*local).listAccounts),
		command("account remove", "Lock an account and revoke its tokens.", (*local).removeAccount, account),
		command("import", "Write the cards of a file or of another wiki, in batches that can be undone.", (*local).importCards,
			tools.CommandArgument{Name: "file", Doc: file.Doc, Positional: true, Folder: true},
			tools.CommandArgument{Name: "from", Doc: "address of the API of another wiki, such as https://wiki.example.org/api/mcp"},
			tools.CommandArgument{Name: "key", Doc: "API key of that wiki: env:NAME or file:PATH, as the hub reads it"},
			tools.CommandArgument{Name: "role", Doc: "in which that wiki is read: user, gm or admin; admin when omitted"}),
		command("export", "Write all cards to a new file.", (*local).exportCards, file),
		command("backup", "Keep a backup of all cards with their history.", (*local).backup),
	}
}

// command is for wikis of our own: others have their own commands.
func command(
	name, doc string, run func(*local, context.Context, tools.CommandCall, io.Writer) error, args ...tools.CommandArgument,
) tools.Command[*Wiki] {
	return tools.Command[*Wiki]{
		CommandInfo: tools.CommandInfo{Name: name, Doc: doc, Args: args},
		Run: func(w *Wiki, ctx context.Context, call tools.CommandCall, out io.Writer) error {
			if w.local == nil {
				return tools.Errorf(tools.Unavailable, "the wiki %s is on another server", w.name).WithHint("Do this there.")
			}
			call.Context.Identity.Role = string(cardstore.Admin) // the person who runs the hub owns the wiki
			return run(w.local, ctx, call, out)
		},
	}
}

func (l *local) addKey(ctx context.Context, call tools.CommandCall, out io.Writer) error {
	k := cardauth.APIKey{Name: call.Args["name"], Roles: []cardstore.Role{cardstore.User}}
	if keys, err := l.auth.Keys(ctx); err != nil {
		return err
	} else if len(keys) == 0 {
		k.Roles = cardstore.Roles()
	} else if call.Args["first"] != "" {
		_, err := fmt.Fprintf(out, "The wiki has API keys already; `lectern cards key list` lists them.\n")
		return err
	}
	if text := call.Args["roles"]; text != "" {
		k.Roles = nil
		for role := range strings.SplitSeq(text, ",") {
			one, err := readRole(strings.TrimSpace(role))
			if err != nil {
				return err
			}
			k.Roles = append(k.Roles, one)
		}
	}
	var err error
	if k.RateLimit, err = readNumber(call.Args, "rate"); err != nil {
		return err
	}
	days, err := readNumber(call.Args, "days")
	if err != nil {
		return err
	}
	if days > 0 {
		k.ExpiresAt = l.now().AddDate(0, 0, int(days))
	}
	return l.makeKey(ctx, call.Context, k, out)
}

func readRole(text string) (cardstore.Role, error) {
	if role := cardstore.Role(text); slices.Contains(cardstore.Roles(), role) {
		return role, nil
	}
	return "", tools.Errorf(tools.Invalid, "%.40q is not a role", text).WithHint("The roles are user, gm and admin.")
}

func readNumber(args map[string]string, name string) (int64, error) {
	text, given := args[name]
	if !given {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 1 {
		return 0, tools.Errorf(tools.Invalid, "%s must be a number of at least 1", name)
	}
	return n, nil
}

// makeKey keeps a key as a route would, so that it is recorded and can be undone, and
// prints it.
func (l *local) makeKey(ctx context.Context, c tools.CallContext, k cardauth.APIKey, out io.Writer) error {
	if k.Name == "" || len(k.Name) > 100 || strings.ContainsFunc(k.Name, func(r rune) bool { return r < ' ' }) {
		return tools.Errorf(tools.Invalid, "a key needs a name of at most 100 bytes")
	}
	k, text := l.auth.NewKey(k)
	if err := l.setKey(ctx, c, k.ID, nil, k.State()); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "%s\n\nThis is the key %s; it is not shown again. Roles: %s.\n", text, k.Name, k.State().Roles)
	return err
}

func (l *local) setKey(ctx context.Context, c tools.CallContext, id int64, before, after *cardauth.KeyState) error {
	change := tools.Change{Target: keyTarget(id), Before: stateOf(before), After: stateOf(after)}
	if err := c.BeforeWrite(ctx, change); err != nil {
		return err
	}
	fits, err := l.auth.SetKeyState(ctx, id, before, after)
	if err == nil && !fits {
		err = tools.Errorf(tools.Conflict, "the key was changed by somebody else").WithHint("Try again.")
	}
	reportCommit(c, err, change)
	return commitError(err)
}

// keysNamed are the keys of a name, or NotFound.
func (l *local) keysNamed(ctx context.Context, name string) ([]cardauth.APIKey, error) {
	keys, err := l.auth.Keys(ctx)
	keys = slices.DeleteFunc(keys, func(k cardauth.APIKey) bool { return k.Name != name })
	if err == nil && len(keys) == 0 {
		err = tools.Errorf(tools.NotFound, "no API key is named %.100q", name).WithHint("List them: lectern cards key list")
	}
	return keys, err
}

// keyOverlap is how long a key works that was rotated.
const keyOverlap = 24 * time.Hour

func (l *local) rotateKey(ctx context.Context, call tools.CommandCall, out io.Writer) error {
	keys, err := l.keysNamed(ctx, call.Args["name"])
	if err != nil {
		return err
	}
	last := keys[len(keys)-1]
	if err := l.makeKey(ctx, call.Context, cardauth.APIKey{
		Name: last.Name, Roles: last.Roles, RateLimit: last.RateLimit, Contact: last.Contact, About: last.About,
	}, out); err != nil {
		return err
	}
	end := l.now().Add(keyOverlap)
	for _, k := range keys {
		if !k.ExpiresAt.IsZero() && k.ExpiresAt.Before(end) {
			continue
		}
		before := k.State()
		k.ExpiresAt = end
		if err := l.setKey(ctx, call.Context, k.ID, before, k.State()); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(out, "The previous one works until %s.\n", end.UTC().Format(time.DateTime))
	return err
}

func (l *local) removeKeys(ctx context.Context, call tools.CommandCall, out io.Writer) error {
	keys, err := l.keysNamed(ctx, call.Args["name"])
	if err != nil {
		return err
	}
	for _, k := range keys {
		if err := l.setKey(ctx, call.Context, k.ID, k.State(), nil); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(out, "removed %d\n", len(keys))
	return err
}

func (l *local) listKeys(ctx context.Context, call tools.CommandCall, out io.Writer) error {
	keys, err := l.auth.Keys(ctx)
	if err != nil {
		return err
	}
	var rows [][]string
	for _, k := range keys {
		expires := "never"
		switch {
		case !k.Active:
			expires = "not active"
		case !k.ExpiresAt.IsZero():
			expires = k.ExpiresAt.Format(time.DateTime)
		}
		rows = append(rows, []string{k.Name, k.Prefix + "…", k.State().Roles, strconv.FormatInt(k.RateLimit, 10), expires})
	}
	return call.PrintList(out, []string{"NAME", "KEY", "ROLES", "AN HOUR", "EXPIRES"}, rows)
}

func (l *local) rotateSigning(ctx context.Context, _ tools.CommandCall, out io.Writer) error {
	if err := l.auth.Rotate(ctx, false); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out, "A new key is published now and signs in ten minutes. "+
		"Tokens of the previous one are accepted for another day.")
	return err
}
