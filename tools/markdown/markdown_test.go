package markdown

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/tools"
)

// testSystem is the System that tests open sources of, as one hub does: to find out its
// schemas takes longer than most of what a test calls.
var testSystem = sync.OnceValue(System)

// fixture is testdata/notes, the notebook that most tests begin with.
func fixture() map[string]string {
	files := map[string]string{}
	notes := os.DirFS(filepath.Join("testdata", "notes"))
	err := fs.WalkDir(notes, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(notes, p)
		files[p] = string(b)
		return err
	})
	if err != nil {
		panic(err) // the folder is part of the repository
	}
	return files
}

// testNotebook is an open notebook in a folder of its own.
type testNotebook struct {
	*tools.OpenedSource
	t       *testing.T
	dir     string
	mu      sync.Mutex
	changed map[string]bool
}

func open(t *testing.T, files map[string]string, config map[string]any) *testNotebook {
	t.Helper()
	b := &testNotebook{t: t, dir: t.TempDir(), changed: map[string]bool{}}
	for name, content := range files {
		b.put(name, content)
	}
	full := map[string]any{"path": b.dir}
	maps.Copy(full, config)
	raw, err := json.Marshal(full)
	if err != nil {
		t.Fatal(err)
	}
	o, err := testSystem().Open(t.Context(), raw, tools.Env{
		Name: "notes", Log: slog.New(slog.DiscardHandler), Cache: t.TempDir(),
		Now: func() time.Time { return time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC) },
		ResourceChanged: func(uri string) {
			b.mu.Lock()
			b.changed[uri] = true
			b.mu.Unlock()
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = o.Close() })
	b.OpenedSource = o
	return b
}

func (b *testNotebook) put(name, content string) {
	b.t.Helper()
	full := filepath.Join(b.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
		b.t.Fatal(err)
	}
	if strings.HasSuffix(name, "/") {
		if err := os.MkdirAll(full, 0o700); err != nil {
			b.t.Fatal(err)
		}
		return
	}
	if err := os.WriteFile(full, []byte(content), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

func (b *testNotebook) get(name string) string {
	b.t.Helper()
	data, err := os.ReadFile(filepath.Join(b.dir, filepath.FromSlash(name)))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(data)
}

func readOrHash(file string) (string, error) {
	info, err := os.Stat(file)
	if err != nil {
		return "", err
	}
	if info.Size() <= 1<<20 {
		content, err := os.ReadFile(file)
		return string(content), err
	}
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, f)
	return fmt.Sprintf("%d bytes, %x", info.Size(), sum.Sum(nil)), err
}

// files is every file with its content, to prove that nothing changed; of one larger than
// a megabyte its hash. A file that is removed in the meantime is not in it.
func (b *testNotebook) files() map[string]string {
	b.t.Helper()
	got := map[string]string{}
	err := filepath.WalkDir(b.dir, func(p string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		rel, err := filepath.Rel(b.dir, p)
		if err != nil {
			return err
		}
		content, err := readOrHash(p)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		got[filepath.ToSlash(rel)] = content
		return err
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return got
}

// try calls a tool and returns its answer or its error object, as JSON.
func (b *testNotebook) try(tool, args string) (string, bool) {
	b.t.Helper()
	r, err := b.Call(b.t.Context(), tools.CallContext{}, tool, json.RawMessage(args))
	if err != nil {
		j, marshalErr := json.Marshal(errorFormat().Object(tools.AsError(err)))
		if marshalErr != nil {
			b.t.Fatal(marshalErr)
		}
		if tools.AsError(err).Code == tools.Internal {
			b.t.Errorf("%s %s: internal error: %v", tool, args, err)
		}
		return string(j), false
	}
	return string(r.JSON), true
}

// call is try for calls that must succeed; the answer is decoded.
func call[Out any](b *testNotebook, tool, args string) Out {
	b.t.Helper()
	answer, ok := b.try(tool, args)
	if !ok {
		b.t.Fatalf("%s %s: %s", tool, args, answer)
	}
	var out Out
	if err := json.Unmarshal([]byte(answer), &out); err != nil {
		b.t.Fatal(err)
	}
	return out
}

// refused is try for calls that must fail with code and change nothing.
func (b *testNotebook) refused(tool, args, code string) ErrorObject {
	b.t.Helper()
	before := b.files()
	answer, ok := b.try(tool, args)
	var f ErrorObject
	if err := json.Unmarshal([]byte(answer), &f); err != nil {
		b.t.Fatal(err)
	}
	if ok || f.Code != code {
		b.t.Errorf("%s %s: got %s, want code %s", tool, args, answer, code)
	}
	if diff := cmp.Diff(before, b.files()); diff != "" {
		b.t.Errorf("%s %s changed something: %s", tool, args, diff)
	}
	return f
}

func equal(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: %s", what, diff)
	}
}
