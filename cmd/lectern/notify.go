package main

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/status"
)

const (
	notifyEvery  = 5 * time.Second  // one notification stands for all calls of this time
	notifyWithin = 10 * time.Second // a desktop that does not answer is left
)

// notify tells the desktop that a call waits, where there is one: who waits for
// what, never what is in it. It does not block.
func (h *host) notify(a status.Approval) {
	now := h.now()
	last := h.notified.Swap(&now)
	if last != nil && now.Sub(*last) < notifyEvery {
		h.notified.Store(last)
		return
	}
	title, body := notification(a)
	command := notifier(runtime.GOOS, h.env, title, body)
	if command == nil {
		return
	}
	path, err := exec.LookPath(command[0])
	if err != nil {
		return
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), notifyWithin)
		defer cancel()
		if err := exec.CommandContext(ctx, path, command[1:]...).Run(); err != nil { //nolint:gosec // a fixed program; its arguments reach no shell
			h.log.Debug("notify desktop", "part", "hub", "err", err)
		}
	}()
}

func notification(a status.Approval) (title, body string) {
	client := a.Client
	if client == "" {
		client = "A client"
	}
	return "Lectern: a call waits for your yes",
		line(fmt.Sprintf("%s wants to %s in source %s. Answer in Lectern's panel, or with: lectern approve", client, a.Effect, a.Source))
}

// notifier is the command that shows a notification; nil: there is no desktop
// that we know of.
func notifier(goos string, env func(string) string, title, body string) []string {
	switch {
	case goos == "darwin":
		quote := func(s string) string {
			return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
		}
		return []string{"osascript", "-e", "display notification " + quote(body) + " with title " + quote(title)}
	case goos == "windows", env("DISPLAY") == "" && env("WAYLAND_DISPLAY") == "":
		return nil
	}
	return []string{"notify-send", "--app-name=Lectern", "--", title, body}
}
