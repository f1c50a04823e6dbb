package hubproc

import (
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/status"
)

// A desktop notification says who waits for what, and nothing of the content.
func TestNotification(t *testing.T) {
	a := status.Approval{Client: "cur\x1b[2J", Source: "notes", Effect: "delete", Targets: []string{"canary"}, Args: "canary", AskReason: "canary"}
	title, body := notificationText(a)
	if strings.Contains(title+body, "canary") || strings.Contains(body, "\x1b") || !strings.Contains(body, "wants to delete in source notes") {
		t.Errorf("%q %q", title, body)
	}
	for name, want := range map[string]string{
		"":                                       "A client without a name wants",
		`<b>Bank</b> & <img src="/etc/passwd"/>`: "A client that calls itself “·b·Bank··b· · ·img src···etc·passwd···” wants",
		"see https://evil.example":               "“see https···evil·example”",
		"www.evil.example mailto:a@b":            "“www·evil·example mailto·a·b”",
		"\u202egnp\u3164":                        "“·u·202e·gnp·u·3164·”",
		strings.Repeat("long ", 100):             "“long long long long long long long long…”",
		"写作 (beta)":                              "“写作 (beta)”",
	} {
		if _, body := notificationText(status.Approval{Client: name, Source: "notes", Effect: "write"}); !strings.Contains(body, want) || strings.ContainsAny(body, "<>&") {
			t.Errorf("%q: %s", name, body)
		}
	}
	if _, body := notificationText(status.Approval{Client: "cursor", Proven: true, Effect: "write"}); !strings.HasPrefix(body, "cursor wants") {
		t.Errorf("proven: %s", body)
	}
	env := func(set string) func(string) string {
		return func(name string) string {
			if name == set {
				return ":0"
			}
			return ""
		}
	}
	if notificationCommand("linux", env(""), title, body) != nil || notificationCommand("windows", env("DISPLAY"), title, body) != nil {
		t.Error("notified where there is no desktop")
	}
	if got := notificationCommand("linux", env("WAYLAND_DISPLAY"), title, body); got[0] != "notify-send" || got[2] != "--" {
		t.Errorf("got %q", got)
	}
	if got := notificationCommand("darwin", env(""), `a"b`, `c\d`); got[2] != `display notification "c\\d" with title "a\"b"` {
		t.Errorf("got %s", got[2])
	}
}
