package cards

import (
	"cmp"
	"context"
	"net/netip"
	"path/filepath"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardapi"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardauth"
)

// Config holds the keys of a [[source]] table with kind "cards". A number that is
// omitted or 0 has its default.
type Config struct {
	URL        string       `json:"url,omitempty" jsonschema:"address of the API of a wiki elsewhere, such as https://wiki.example.org/api/mcp; Lectern keeps the wiki when omitted"`
	Key        tools.Secret `json:"key,omitzero" jsonschema:"API key for that wiki"`
	RemoteRole RemoteRole   `json:"remote_role,omitempty" jsonschema:"the highest role that agents get on that wiki; user when omitted"`

	Folder tools.Folder `json:"folder,omitempty" jsonschema:"where the wiki's database, files and backups are; a folder of Lectern's own when omitted"`
	DSN    tools.Secret `json:"dsn,omitzero" jsonschema:"URL of a PostgreSQL database, which several hubs may share, in place of a file"`
	Sample bool         `json:"sample,omitempty" jsonschema:"load a small campaign of forty cards into a new wiki"`
	Allow  string       `json:"allow,omitempty" jsonschema:"addresses and networks that may use the API, separated by commas; all that reach the hub when omitted"`

	TokenMinutes    int `json:"token_minutes,omitempty" jsonschema:"how long a token is valid, 1 to 1440; 60 when omitted"`
	SkewSeconds     int `json:"skew_seconds,omitempty" jsonschema:"how far clocks may differ, 1 to 300; 30 when omitted"`
	RotateDays      int `json:"rotate_days,omitempty" jsonschema:"how long a key signs tokens, 1 to 365; 30 when omitted"`
	RequestsPerHour int `json:"requests_per_hour,omitempty" jsonschema:"of an API key without a limit of its own; 1000 when omitted"`
	LoginsPerMinute int `json:"logins_per_minute,omitempty" jsonschema:"failed ones with one account, and with wrong keys; 10 when omitted"`
	MaxCard         int `json:"max_card,omitempty" jsonschema:"bytes of a card, at most 16777216; 1048576 when omitted"`
	MaxBody         int `json:"max_body,omitempty" jsonschema:"bytes of a request, at most 33554432; 8388608 when omitted"`
	MaxUpload       int `json:"max_upload,omitempty" jsonschema:"bytes of a file, at most 25165824; 10485760 when omitted"`
	MaxOps          int `json:"max_ops,omitempty" jsonschema:"operations of a batch, at most 1000; 100 when omitted"`
}

// maxRouteBody is the largest body that any configuration allows, in bytes: a file in
// base64.
const maxRouteBody = 34 << 20

// check returns what is wrong with the numbers.
func (c Config) check() error {
	for _, n := range []struct {
		key         string
		value, most int
	}{
		{"token_minutes", c.TokenMinutes, 24 * 60},
		{"skew_seconds", c.SkewSeconds, 300},
		{"rotate_days", c.RotateDays, 365},
		{"requests_per_hour", c.RequestsPerHour, 1 << 30},
		{"logins_per_minute", c.LoginsPerMinute, 1 << 20},
		{"max_card", c.MaxCard, 16 << 20},
		{"max_body", c.MaxBody, 32 << 20},
		{"max_upload", c.MaxUpload, 24 << 20},
		{"max_ops", c.MaxOps, 1000},
	} {
		if n.value < 0 || n.value > n.most {
			return tools.Errorf(tools.Invalid, "%s is %d, and must be from 1 to %d", n.key, n.value, n.most)
		}
	}
	_, err := c.networks()
	return err
}

// networks are those that may use the API; none: all.
func (c Config) networks() (all []netip.Prefix, err error) {
	for text := range strings.SplitSeq(c.Allow, ",") {
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		network, err := netip.ParsePrefix(text)
		if address, bad := netip.ParseAddr(text); err != nil && bad == nil {
			network, err = netip.PrefixFrom(address, address.BitLen()), nil
		}
		if err != nil {
			return nil, tools.Errorf(tools.Invalid, "allow: %.60q is neither an address nor a network", text).
				WithHint("Write it as 192.168.1.7 or 192.168.1.0/24.")
		}
		all = append(all, network.Masked())
	}
	return all, nil
}

func (c Config) limits() cardapi.Limits {
	usual := cardapi.DefaultLimits()
	return cardapi.Limits{
		Logins: cmp.Or(int64(c.LoginsPerMinute), usual.Logins), Probes: usual.Probes, Content: cmp.Or(c.MaxCard, usual.Content),
		Body: cmp.Or(int64(c.MaxBody), usual.Body), Upload: cmp.Or(c.MaxUpload, usual.Upload), Ops: cmp.Or(c.MaxOps, usual.Ops),
	}
}

func (c Config) auth() cardauth.Options {
	return cardauth.Options{
		TokenLife: time.Duration(c.TokenMinutes) * time.Minute, Leeway: time.Duration(c.SkewSeconds) * time.Second,
		Rate: int64(c.RequestsPerHour),
	}
}

// signingTime is how long a key signs tokens.
func (c Config) signingTime() time.Duration {
	return time.Duration(cmp.Or(c.RotateDays, 30)) * 24 * time.Hour
}

// database returns where the cards are, and the folder for files and backups.
func (c Config) database(ctx context.Context, env tools.Env) (database, folder string, err error) {
	folder = cmp.Or(string(c.Folder), env.Data)
	if folder == "" {
		return "", "", tools.Errorf(tools.Unavailable, "the wiki %s has no folder", env.Name).WithHint("Set folder in its configuration.")
	}
	if !c.DSN.IsZero() {
		if database, err = env.Reveal(ctx, c.DSN); err != nil {
			return "", "", err
		}
		if !strings.HasPrefix(database, "postgres://") && !strings.HasPrefix(database, "postgresql://") {
			return "", "", tools.Errorf(tools.Invalid, "dsn does not refer to the URL of a PostgreSQL database").
				WithHint("It begins with postgres://.")
		}
		return database, folder, nil
	}
	return filepath.Join(folder, "cards.db"), folder, nil
}
