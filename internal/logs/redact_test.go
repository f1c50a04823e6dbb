package logs

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const canary = "c4n4ryc4n4ryc4n4ryc4n4ry"

// TestCanaries logs a secret in every way there is and looks for it in memory
// and on disk.
func TestCanaries(t *testing.T) {
	file := filepath.Join(t.TempDir(), "hub.log")
	l, err := New(Options{File: file, Level: slog.LevelDebug})
	if err != nil {
		t.Fatal(err)
	}
	private := struct{ token string }{canary}
	log := slog.New(l)
	log.Info("keys", "token", canary, "Authorization", "Bearer "+canary, "api_key", canary, "password", canary,
		"client_secret", canary, "accessToken", canary, "cookie", canary, slog.Group("secret", "inner", canary))
	log.With("token", canary).WithGroup("request").Info("scope", slog.Group("headers", "authorization", canary))
	log.Info("types", "c", private, "d", &private)
	log.Info("bearer", "header", "Bearer "+canary, "headers", map[string][]string{"Authorization": {"Bearer " + canary}, "X-Api-Key": {canary}})
	log.Info("ours lectern_" + canary + canary)
	log.Info("basic", "line", "authorization: Basic "+canary)
	log.Warn("url", "error", errors.New(`Get "https://me:`+canary+`@wiki.example/x?token=`+canary+`&a=b": refused`))
	log.Debug("jwt", "got", "eyJhbGciOiJI."+canary+"."+canary)
	log.Error("body", "json", `{"password": "`+canary+`\"`+canary+`"}`)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	onDisk, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(onDisk), canary) {
		t.Errorf("the file holds a secret:\n%s", onDisk)
	}
	for line := range l.Query(t.Context(), Query{Level: slog.LevelDebug}) {
		if strings.Contains(line.Text, canary) {
			t.Errorf("the ring holds a secret: %s", line.Text)
		}
		if !strings.Contains(line.Text, redacted) && !strings.HasPrefix(line.Text, "types") {
			t.Errorf("nothing was redacted in: %s", line.Text)
		}
	}
}

func TestRedactSparesTheRest(t *testing.T) {
	for _, s := range []string{
		"token_file=/run/lectern/token", "the bearer of news", "bearer token is wrong", "https://wiki.example/a@b", "git@host:path",
		"lectern_calls", "monkeys=3", "key words",
	} {
		if got := redact(s); got != s {
			t.Errorf("redact(%q) = %q", s, got)
		}
	}
	if namesSecret("token_file") || namesSecret("tokens") {
		t.Error("the name of a file or a number of tokens is no secret")
	}
}
