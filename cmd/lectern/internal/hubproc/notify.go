package hubproc

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"time"
	"unicode"

	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/status"
)

const (
	minNotifyInterval = 5 * time.Second  // one notification stands for all calls of this time
	notifyTimeout     = 10 * time.Second // for a desktop that does not answer
)

// notifyDesktop shows a desktop notification that a call waits for approval: who waits
// for what, never the content. It does not block.
func (h *hubProcess) notifyDesktop(a status.Approval) {
	now := h.Now()
	last := h.notified.Swap(&now)
	if last != nil && now.Sub(*last) < minNotifyInterval {
		h.notified.Store(last)
		return
	}
	title, body := notificationText(a)
	command := notificationCommand(runtime.GOOS, h.Getenv, title, body)
	if command == nil {
		return
	}
	path, err := exec.LookPath(command[0])
	if err != nil {
		return
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), notifyTimeout)
		defer cancel()
		if err := exec.CommandContext(ctx, path, command[1:]...). //nolint:gosec // a fixed program; its arguments reach no shell
										Run(); err != nil {
			h.log.Debug("notify desktop", "component", "hub", "err", err)
		}
	}()
}

func notificationText(a status.Approval) (title, body string) {
	client := sanitizeClientName(a.Client)
	switch {
	case client == "":
		client = "A client without a name"
	case !a.Proven:
		client = "A client that calls itself “" + client + "”"
	}
	return "Lectern: a call waits for your approval",
		fmt.Sprintf("%s wants to %s in source %s. Answer in Lectern's panel, or with: lectern approve", client, a.Effect, a.Source)
}

// maxNotifiedNameChars is how many characters of a client's name a notification shows.
const maxNotifiedNameChars = 40

// sanitizeClientName keeps letters, digits and a few marks of a name. Desktops may
// interpret the rest as markup, images or links.
func sanitizeClientName(name string) string {
	plain := []rune(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" -_+()", r) {
			return r
		}
		return '·'
	}, string(safetext.Line(name))))
	if len(plain) > maxNotifiedNameChars {
		plain = append(plain[:maxNotifiedNameChars-1], '…')
	}
	return strings.TrimSpace(string(plain))
}

// notificationCommand is the command that shows a notification; nil: no desktop is
// known.
func notificationCommand(goos string, env func(string) string, title, body string) []string {
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
