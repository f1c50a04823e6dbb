// Lectern opens knowledge bases to AI agents over MCP and shows what they do.
//
// This package is the command line: one file per command reads flags and
// configuration and calls a room under internal, which does the work. It is the
// only package that touches arguments, standard streams, signals and the exit
// status, and the only one that knows both the hub and the panel. Nothing
// imports it.
//
// Start reading at [run], then cli.go.
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
