package cards

import (
	"context"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardclient"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardtext"
)

// RemoteRole is the role that a source has on another's wiki: user when omitted.
type RemoteRole string

// JSONSchema implements [tools.SchemaProvider].
func (RemoteRole) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Enum: []any{string(cardstore.User), string(cardstore.GM), string(cardstore.Admin)}}
}

// Environment makes a source of another's wiki without a configuration.
func Environment() []tools.EnvironmentVariable {
	return []tools.EnvironmentVariable{
		{Name: "DECKO_API_BASE_URL", Key: "url", Doc: "address of the wiki's API", Required: true},
		{Name: "MCP_API_KEY", Key: "key", Doc: "API key of the wiki", Required: true},
		{Name: "MCP_ROLE", Key: "remote_role", Doc: "user, gm or admin: the highest role that agents get"},
	}
}

// openRemote opens the wiki of others that the configuration names. It asks nothing of
// it yet.
func openRemote(config Config, env tools.Env) (*remote, error) {
	if config.Key.IsZero() {
		return nil, tools.Errorf(tools.Invalid, "key: a wiki at another address needs an API key").WithHint("Set key to env:NAME or file:PATH.")
	}
	client, err := cardclient.New(cardclient.Options{
		URL: config.URL, Key: func(ctx context.Context) (string, error) { return env.Reveal(ctx, config.Key) }, Now: env.Now,
	})
	if err != nil {
		return nil, tools.Errorf(tools.Invalid, "url: %s", err.Error())
	}
	role := cardstore.Role(config.RemoteRole)
	if role == "" {
		role = cardstore.User
	}
	return &remote{client: client, role: role, now: env.Now, converter: cardtext.NewConverter()}, nil
}
