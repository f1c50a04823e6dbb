// Lectern opens knowledge bases to AI agents over MCP and shows what they do.
//
// This package is the wiring and nothing else: it reads flags, environment and
// configuration, makes the parts of the product from them and joins these. It
// is the only place that touches the process: arguments, environment, standard
// streams, signals and the exit status. Nothing imports it.
//
// Start reading at [run], then world.go; each command has its own file.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ())
	stop()
	os.Exit(code)
}
