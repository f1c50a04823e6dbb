// Screens takes the screenshots of the panel for the documentation: it builds the
// program, writes notes, has agents make calls, presses keys in a terminal and
// saves what is shown as SVG. It is not released.
//
//	screens [-bin FILE] FOLDER   writes FOLDER/NAME.svg; `make screens` gives docs/screens
//
// It needs tmux, and Go to build the program with, unless -bin names one that is
// built already.
//
// Start reading at [takeScreens].
package main

import (
	"context"
	"errors"
	"flag"
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
	flags := flag.NewFlagSet("screens", flag.ContinueOnError)
	built := flags.String("bin", "", "the program, built already; empty: build it")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return errors.New("usage: screens [-bin FILE] FOLDER")
	}
	folder := flags.Arg(0)
	top := filepath.Join(os.TempDir(), "lectern") // the path is on the screenshots
	if err := os.Mkdir(top, 0o700); err != nil {
		return fmt.Errorf("%w; another run is using it, or one was killed: remove it", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(top)) }()
	exe := filepath.Join(top, "bin", "lectern")
	if err := placeProgram(ctx, *built, exe); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil { //nolint:gosec // a folder of documents
		return err
	}
	return takeScreens(ctx, exe, top, folder)
}

// placeProgram copies the program at built to exe, or builds it there if built is
// empty. It is copied because its path is on the screenshots.
func placeProgram(ctx context.Context, built, exe string) error {
	if built == "" {
		build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", exe, "./cmd/lectern") //nolint:gosec // our own arguments
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			return fmt.Errorf("build lectern: %w", err)
		}
		return nil
	}
	program, err := os.ReadFile(built) //nolint:gosec // named by who runs this
	if err != nil {
		return fmt.Errorf("-bin: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(exe), 0o700); err != nil {
		return err
	}
	return os.WriteFile(exe, program, 0o700) //nolint:gosec // a program
}
