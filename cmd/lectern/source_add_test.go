package main

import (
	"context"
	"os"
	"sync"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/all"
	"github.com/lectern-mcp/lectern/tools/toolstest/memo"
)

// runWithMemo is lectern in a build with a System that has a secret, a folder,
// variables and a sample, for the scripts.
func runWithMemo() {
	c, err := newCLI(os.Stdin, os.Stdout, os.Stderr, os.Environ())
	if err != nil {
		os.Exit(reportError(os.Stderr, err))
	}
	c.Systems = sync.OnceValue(func() []tools.Kind { return append(all.Systems(), memo.System()) })
	c.Environment = func() map[string][]tools.EnvironmentVariable {
		return map[string][]tools.EnvironmentVariable{"memo": memo.System().Manifest().Environment}
	}
	os.Exit(c.run(context.Background(), os.Args[1:]))
}
