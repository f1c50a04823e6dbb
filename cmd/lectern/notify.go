package main

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"time"
	"unicode"

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
	client := plainName(a.Client)
	switch {
	case client == "":
		client = "A client without a name"
	case !a.Proven:
		client = "A client that calls itself “" + client + "”"
	}
	return "Lectern: a call waits for your yes",
		fmt.Sprintf("%s wants to %s in source %s. Answer in Lectern's panel, or with: lectern approve", client, a.Effect, a.Source)
}

// mostName is how many characters of a client's name a notification shows.
const mostName = 40

// plainName is a name of letters, digits and a few marks. Desktops read the
// rest as they like, as markup, images and links, and tell nobody beforehand.
func plainName(name string) string {
	plain := []rune(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" -_+()", r) {
			return r
		}
		return '·'
	}, line(name)))
	if len(plain) > mostName {
		plain = append(plain[:mostName-1], '…')
	}
	return strings.TrimSpace(string(plain))
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
