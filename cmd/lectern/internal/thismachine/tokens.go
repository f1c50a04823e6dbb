package thismachine

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/internal/loopnet"
)

// The targets of status.RotateToken.
const (
	pluginTokenTarget  = "plugin"
	clientsTokenTarget = "clients"
)

// ReadToken reads the token of plugins or clients and says in which file it is. It
// creates none.
func ReadToken(a *app.App, target string) (text, file string, err error) {
	switch target {
	case pluginTokenTarget:
		file = a.Paths.PluginToken()
	case clientsTokenTarget:
		file = a.Paths.SharedClientToken()
	default:
		return "", "", fmt.Errorf("read token: unknown token %q", target)
	}
	token, err := loopnet.LoadToken(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", file, fmt.Errorf("read token: %s not found; the hub creates it when it first needs it", file)
	}
	return token.Reveal(), file, err
}

// CopyToken puts a token on the clipboard and into no file, and says how.
func CopyToken(a *app.App, c Clipboard, target string) (how string, err error) {
	text, file, err := ReadToken(a, target)
	if err != nil {
		return "", err
	}
	return c.CopySecret(text, file)
}
