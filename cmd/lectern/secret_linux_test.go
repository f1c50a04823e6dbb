package main

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSecretIsNowhere uses a source's secret through a running hub, rightly and
// wrongly, and then finds it in no file of Lectern's, no answer of a command and no
// process, but in the file that a person keeps it in.
func TestSecretIsNowhere(t *testing.T) {
	port, secret := freeTCPPort(t), rand.Text()
	home := newHomeWith(t, fmt.Sprintf("[hub]\nport = %d\n\n[[source]]\nname = \"desk\"\nkind = \"memo\"\nkey = \"file:memo.key\"\nnotes = { Soup = \"Water\" }\n", port))
	kept := filepath.Join(home, "memo.key")
	if err := os.WriteFile(kept, []byte(secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) []byte {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "lectern-with-memo", args...)
		cmd.Env = append(os.Environ(), "LECTERN_HOME="+home)
		said, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", args, err, said)
		}
		return said
	}
	run("hub", "restart")
	for key, want := range map[string]int{secret: http.StatusOK, secret[1:] + "x": http.StatusUnauthorized} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, fmt.Sprintf("http://127.0.0.1:%d/sources/desk/notes/Soup", port), nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+key)
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		if _ = answer.Body.Close(); answer.StatusCode != want {
			t.Errorf("answered %d, want %d", answer.StatusCode, want)
		}
	}
	part := []byte(secret[1 : len(secret)-1])
	for _, args := range [][]string{
		{"status"}, {"status", "--json"}, {"logs", "--level", "debug"}, {"calls", "--json"}, {"source", "list"}, {"config", "list"}, {"doctor", "--json", "memo"},
	} {
		if bytes.Contains(run(args...), part) {
			t.Errorf("lectern %s shows the secret", strings.Join(args, " "))
		}
	}
	// cmdline and environ
	files, err := filepath.Glob("/proc/[0-9]*/[ce][mn][dv]*")
	if err != nil || len(files) == 0 {
		t.Fatalf("/proc: %v, %v", files, err)
	}
	_ = filepath.WalkDir(home, func(file string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && file != kept {
			files = append(files, file)
		}
		return nil // what has gone says nothing
	})
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil && bytes.Contains(text, part) {
			t.Errorf("%s holds the secret", file)
		}
	}
}
