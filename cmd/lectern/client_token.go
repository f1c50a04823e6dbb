package main

import (
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/internal/loopnet"
)

// clientTokenEnv is how `lectern serve` learns its client's token: an argument
// would show in the list of processes.
const clientTokenEnv = "LECTERN_CLIENT_TOKEN" //nolint:gosec // the name of a variable

// tokenSuffix ends the names of the files with clients' tokens.
const tokenSuffix = ".token"

// provenPrefix marks principals of HTTP requests that showed a client's token.
const provenPrefix = "client:"

func (w *world) tokenDir() string { return filepath.Join(w.places.State, "clients") }

// hasToken reports whether a token was made for the client of this name.
func (w *world) hasToken(name string) bool {
	name = strings.ToLower(name)
	if config.CheckName(name) != nil {
		return false
	}
	_, err := os.Lstat(filepath.Join(w.tokenDir(), name+tokenSuffix))
	return err == nil
}

// proven is the client whose token this is, or "". Every token is compared, in
// a time that tells nothing of them.
func (w *world) proven(bearer string) (name string) {
	if bearer == "" {
		return ""
	}
	files, err := os.ReadDir(w.tokenDir())
	if err != nil {
		return ""
	}
	for _, f := range files {
		of, ok := strings.CutSuffix(f.Name(), tokenSuffix)
		if !ok || config.CheckName(of) != nil {
			continue
		}
		if t, err := loopnet.LoadToken(filepath.Join(w.tokenDir(), f.Name())); err == nil && t.Matches(bearer) {
			name = of
		}
	}
	return name
}

// authorize lets in who bears the token of all clients, or one's own.
func (h *host) authorize(all loopnet.Token) func(bearer string) (string, bool) {
	return func(bearer string) (string, bool) {
		if all.Matches(bearer) {
			return "client", true
		}
		name := h.proven(bearer)
		return provenPrefix + name, name != ""
	}
}

// provenBy is the client that a request proves to come from, or "".
func provenBy(r *http.Request) string {
	name, ok := strings.CutPrefix(loopnet.PrincipalOf(r), provenPrefix)
	if !ok {
		return ""
	}
	return name
}

func clientTokenCommand(w *world) *cobra.Command {
	var rotate, remove bool
	c := &cobra.Command{
		Use:   "token NAME",
		Short: "Make a client prove its name, and print how",
		Long: "Make a token for one client and print it, or print the one that is there. A name\n" +
			"that a client only claims can lose by what is granted to it and never win; one\n" +
			"that shows its token is who it says. Put it into the client's configuration of\n" +
			"Lectern: as the variable " + clientTokenEnv + " of `lectern serve`, or over\n" +
			"HTTP as its bearer token. The file is private to you.",
		Example: "  lectern client token claude-code",
		Args:    needs(1, 1, "the name of a client"),
		RunE: func(_ *cobra.Command, args []string) error {
			name := strings.ToLower(args[0])
			if err := config.CheckName(name); err != nil {
				return usagef("client token: the name %v", err)
			}
			file := filepath.Join(w.tokenDir(), name+tokenSuffix)
			if remove {
				return w.removeToken(name, file)
			}
			get := loopnet.LoadOrCreateToken
			if rotate {
				get = loopnet.RotateToken
			}
			token, err := get(file)
			if err != nil {
				return err
			}
			w.note("the token of %s; it is kept in %s\n", name, line(file))
			w.say("%s\n", token.Reveal())
			return nil
		},
	}
	c.Flags().BoolVar(&rotate, "rotate", false, "make a new token; the old one proves nothing any more")
	c.Flags().BoolVar(&remove, "remove", false, "remove the token; the client is then who it claims to be")
	c.MarkFlagsMutuallyExclusive("rotate", "remove")
	return c
}

func (w *world) removeToken(name, file string) error {
	err := os.Remove(file)
	if errors.Is(err, fs.ErrNotExist) {
		w.say("%s has no token\n", name)
		return nil
	}
	if err != nil {
		return err
	}
	w.say("removed the token of %s\n", name)
	return nil
}
