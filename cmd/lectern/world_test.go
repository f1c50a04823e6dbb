package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pelletier/go-toml/v2"

	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
	"github.com/lectern-mcp/lectern/tools"
)

func testWorld(t *testing.T, environ ...string) *world {
	t.Helper()
	var out bytes.Buffer
	w, err := newWorld(&bytes.Buffer{}, &out, &out, append(environ, "LECTERN_HOME="+t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// The page of help about the configuration is a configuration: every key, and
// the defaults.
func TestConfigExample(t *testing.T) {
	w := testWorld(t)
	w.home = t.TempDir()
	c, err := config.Parse(w.places.File(), []byte(configExample), w.schema())
	if err != nil {
		t.Fatal(err)
	}
	d := config.Default(w.places.File(), w.schema())
	if c.Hub != d.Hub || c.Limits != d.Limits || c.Update != d.Update {
		t.Errorf("the example has %+v %+v %+v, the defaults are %+v %+v %+v", c.Hub, c.Limits, c.Update, d.Hub, d.Limits, d.Update)
	}
	for _, key := range w.schema().Kinds["markdown"] {
		if !strings.Contains(configExample, "\n"+key+" = ") {
			t.Errorf("%s is not shown", key)
		}
	}
}

func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		err  error
		want exitCode
	}{
		{errors.New("x"), exitFailed},
		{usagef("x"), exitUsage},
		{fmt.Errorf("ask: %w", daemon.ErrNoHub), exitNoHub},
		{callError(tools.AsError(tools.Errorf(tools.Denied, "x"))), exitDenied},
		{callError(tools.AsError(tools.Errorf(tools.NotFound, "x"))), exitFailed},
		{context.Canceled, exitFailed},
	} {
		if got := exitOf(c.err); got != c.want {
			t.Errorf("%v: got %d, want %d", c.err, got, c.want)
		}
	}
}

// Every snippet is what its client can read, whatever the path looks like.
func TestSnippets(t *testing.T) {
	w := testWorld(t)
	w.exe = filepath.Join(t.TempDir(), `it's a "path"`, "lectern")
	for _, s := range w.snippets("http://127.0.0.1:1/mcp") {
		var entry struct{ Command string }
		switch {
		case strings.HasPrefix(s.Text, "{"):
			var v map[string]map[string]struct{ Command string }
			if err := json.Unmarshal([]byte(s.Text), &v); err != nil {
				t.Fatalf("%s: %v", s.Client, err)
			}
			for _, servers := range v {
				entry.Command = servers["lectern"].Command
			}
		case strings.HasPrefix(s.Text, "["):
			var v map[string]map[string]struct{ Command string }
			if err := toml.Unmarshal([]byte(s.Text), &v); err != nil {
				t.Fatalf("%s: %v", s.Client, err)
			}
			entry.Command = v["mcp_servers"]["lectern"].Command
		case !strings.HasPrefix(s.Text, "claude mcp add "):
			t.Errorf("%s: nobody reads %q", s.Client, s.Text)
			continue
		default:
			continue
		}
		if entry.Command != w.exe {
			t.Errorf("%s: command %q, want %q", s.Client, entry.Command, w.exe)
		}
	}
}

// A binary that `go run` built is gone tomorrow, so no client is told of it.
func TestStableBinary(t *testing.T) {
	w := testWorld(t, "GOBIN=/go/bin")
	w.exe = "/tmp/go-build12/b001/exe/lectern"
	if bin, hint := w.stableBinary(); filepath.Dir(bin) != filepath.FromSlash("/go/bin") || !strings.Contains(hint, "go install") {
		t.Errorf("%s, %s", bin, hint)
	}
	w.exe = "/usr/bin/lectern"
	if bin, hint := w.stableBinary(); bin != w.exe || hint != "" {
		t.Errorf("%s, %s", bin, hint)
	}
}

func TestLayOut(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data", "welcome")
	vault := fstest.MapFS{"Welcome.md": {Data: []byte("hi")}, "sub/Page.md": {Data: []byte("page")}}
	if err := layOut(vault, dir); err != nil {
		t.Fatal(err)
	}
	for name, file := range vault {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Equal(text, file.Data) {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	edited := filepath.Join(dir, "Welcome.md")
	if err := os.WriteFile(edited, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := layOut(vault, dir); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(edited); string(text) != "mine" {
		t.Errorf("an edited page became %q", text)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Two adds at the same moment are both there afterwards.
func TestCarryOutTwiceAtOnce(t *testing.T) {
	w := testWorld(t)
	done := make(chan error)
	const n = 8
	for i := range n {
		dir := filepath.Join(t.TempDir(), fmt.Sprintf("notes%d", i))
		if err := os.MkdirAll(filepath.Join(dir, ".obsidian"), 0o700); err != nil {
			t.Fatal(err)
		}
		go func() {
			_, err := w.carryOut(t.Context(), status.Action{Verb: status.AddSource, Source: &status.NewSource{Place: dir}})
			done <- err
		}()
	}
	for range n {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	c, err := w.config()
	if err != nil || len(c.Sources) != n {
		t.Errorf("%d sources, want %d: %v", len(c.Sources), n, err)
	}
}

func TestSaveNewOverwritesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "saved")
	for name, want := range map[string]string{"Log of x.txt": "log-of-x.txt", "../../etc/passwd": "etc-passwd.txt", "a": "a.txt"} {
		for range 2 {
			path, err := saveNew(dir, name, putText("text"))
			if err != nil || filepath.Base(path) != want || filepath.Dir(path) != dir {
				t.Errorf("%s: saved to %s, %v, want %s", name, path, err, want)
			}
			want = strings.Replace(want, ".", "-2.", 1)
		}
	}
}
