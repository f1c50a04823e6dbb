package app

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/internal/loopnet"
)

// ClientTokenEnv is the variable with a client's token for `lectern serve`: an
// argument would show in the list of processes.
const ClientTokenEnv = "LECTERN_CLIENT_TOKEN" //nolint:gosec // the name of a variable

const tokenSuffix = ".token"

// ClientTokens is the folder of the tokens by which clients prove their names,
// one file for each.
type ClientTokens string

// File is the token file of a client whose name config.CheckName accepts.
func (d ClientTokens) File(name string) string { return filepath.Join(string(d), name+tokenSuffix) }

// Has reports whether the client of this name has a token.
func (d ClientTokens) Has(name string) bool {
	name = strings.ToLower(name)
	if config.CheckName(name) != nil {
		return false
	}
	_, err := os.Lstat(d.File(name))
	return err == nil
}

// Names are the clients that have a token; none where the folder is absent or
// cannot be read.
func (d ClientTokens) Names() []string {
	entries, err := os.ReadDir(string(d))
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), tokenSuffix); ok && config.CheckName(name) == nil {
			names = append(names, name)
		}
	}
	return names
}

// Owner is the client that a bearer token belongs to, or "". Every token is
// compared, so that the time it takes reveals nothing.
func (d ClientTokens) Owner(bearer string) (client string) {
	if bearer == "" {
		return ""
	}
	for _, name := range d.Names() {
		if t, err := loopnet.LoadToken(d.File(name)); err == nil && t.Matches(bearer) {
			client = name
		}
	}
	return client
}
