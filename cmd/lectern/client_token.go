package main

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/internal/loopnet"
)

func clientTokenCommand(c *cli) *cobra.Command {
	var rotate, remove bool
	cmd := &cobra.Command{
		Use:   "token NAME",
		Short: "Create and print a token that proves a client's name",
		Long: "Create a token for one client and print it, or print the existing one. A name that\n" +
			"a client only claims can lose rights by a grant but never gain any; a client that\n" +
			"shows its token has proved its name: its grants count from then on, and it writes\n" +
			"without asking you where they say so. Put the token into the client's configuration\n" +
			"of Lectern: as the variable " + app.ClientTokenEnv + " of `lectern serve`, or as\n" +
			"the bearer token over HTTP. Only you can read the token file.",
		Example: "  lectern client token claude-code",
		Args:    requireArgumentCount(1, 1, "the name of a client"),
		RunE: func(_ *cobra.Command, args []string) error {
			name := strings.ToLower(args[0])
			if err := config.CheckName(name); err != nil {
				return usageErrorf("client token: invalid name: %w", err)
			}
			file := c.Paths.ClientTokens().File(name)
			if remove {
				return c.removeToken(name, file)
			}
			get := loopnet.LoadOrCreateToken
			if rotate {
				get = loopnet.RotateToken
			}
			token, err := get(file)
			if err != nil {
				return err
			}
			c.warnf("token of %s, stored in %s:\n", name, file)
			c.printf("%s\n", token.Reveal())
			conf, err := c.Config()
			if err != nil {
				return nil //nolint:nilerr // the token is made; other commands say what is wrong
			}
			for _, what := range c.UnaskedOnceProven(conf, name) {
				c.warnf("note: with this token %s will %s\n", name, what)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&rotate, "rotate", false, "create a new token; the old one stops working")
	cmd.Flags().BoolVar(&remove, "remove", false, "remove the token; the client's name is then only claimed")
	cmd.MarkFlagsMutuallyExclusive("rotate", "remove")
	return cmd
}

func (c console) removeToken(name, file string) error {
	err := os.Remove(file)
	if errors.Is(err, fs.ErrNotExist) {
		c.printf("%s has no token\n", name)
		return nil
	}
	if err != nil {
		return err
	}
	c.printf("removed the token of %s\n", name)
	return nil
}
