// Screens draws the panel's screens for the documents: it builds the program,
// lays out notes, lets an agent call, presses keys in a terminal and keeps what
// stands there as SVG. Nothing is drawn or edited by hand. It is not released.
//
//	screens FOLDER   writes FOLDER/NAME.svg; `make screens` gives docs/screens
//
// It needs tmux, and Go to build the program with.
//
// Start reading at [takeScreens].
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "screens:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) (err error) {
	if len(args) != 1 {
		return errors.New("usage: screens FOLDER")
	}
	top := filepath.Join(os.TempDir(), "lectern") // it is on the pictures
	if err := os.Mkdir(top, 0o700); err != nil {
		return fmt.Errorf("%w; another run is at it, or one was killed: remove it", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(top)) }()
	exe := filepath.Join(top, "bin", "lectern")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", exe, "./cmd/lectern") //nolint:gosec // our own words
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("build lectern: %w", err)
	}
	if err := os.MkdirAll(args[0], 0o755); err != nil { //nolint:gosec // a folder of documents
		return err
	}
	return takeScreens(ctx, exe, top, args[0])
}
