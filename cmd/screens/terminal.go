package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// The size of a screen, in cells.
const screenColumns, screenRows = 124, 34

// showTimeout is how long a screen may take to show the expected text. Because a
// screen that has just opened may ignore a key, the key is repeated after
// retryAfter.
const (
	showTimeout = 30 * time.Second
	retryAfter  = 3 * time.Second
)

// A terminal is a tmux server with the program in its only window.
type terminal struct{ socket string }

// openTerminal starts the program with environment env.
func openTerminal(ctx context.Context, top string, env []string, command ...string) (terminal, error) {
	x := terminal{filepath.Join(top, "tmux")}
	start := x.tmuxCommand(ctx, append([]string{"new-session", "-d", "-x", strconv.Itoa(screenColumns), "-y", strconv.Itoa(screenRows)},
		command...)...)
	start.Env = env
	if out, err := start.CombinedOutput(); err != nil {
		return x, fmt.Errorf("start tmux: %w: %s", err, out)
	}
	return x, nil
}

func (x terminal) tmuxCommand(ctx context.Context, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, "tmux", append([]string{"-S", x.socket, "-f", "/dev/null"}, //nolint:gosec // our own arguments
		args...)...)
}

// close ends the terminal and what runs in it.
func (x terminal) close() {
	_ = x.tmuxCommand(context.Background(), "kill-server").Run() // it may have ended already
}

// press sends keys by tmux's names.
func (x terminal) press(ctx context.Context, keys ...string) error {
	out, err := x.tmuxCommand(ctx, append([]string{"send-keys"}, keys...)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("press %s: %w: %s", keys, err, out)
	}
	return nil
}

func (x terminal) capture(ctx context.Context, how ...string) (string, error) {
	out, err := x.tmuxCommand(ctx, append([]string{"capture-pane", "-p"}, how...)...).Output()
	return string(out), err
}

// waitFor waits until the screen shows all texts.
func (x terminal) waitFor(ctx context.Context, timeout time.Duration, texts []string) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	screen := ""
	for {
		now, err := x.capture(ctx)
		switch {
		case err == nil:
			screen = now
		case ctx.Err() == nil:
			return fmt.Errorf("capture screen: %w", err)
		}
		if containsAll(screen, texts) {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("the screen does not show %q but\n%s", texts, screen)
		}
	}
}

func containsAll(screen string, texts []string) bool {
	for _, text := range texts {
		if !strings.Contains(screen, text) {
			return false
		}
	}
	return true
}

// saveSVG writes the screen to folder/name.svg.
func (x terminal) saveSVG(ctx context.Context, folder, name, title string, p palette) error {
	screen, err := x.capture(ctx, "-e")
	if err != nil {
		return fmt.Errorf("capture screen: %w", err)
	}
	if strings.TrimSpace(screen) == "" {
		return errors.New("the screen is empty")
	}
	return os.WriteFile(filepath.Join(folder, name+".svg"), []byte(drawSVG(screen, title, screenColumns, p)), //nolint:gosec // a document, which git keeps
		0o644)
}
