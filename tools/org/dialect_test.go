package org_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/internal/atomicfile"
	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/org"
)

// A dialectCall is a call of a client of org-mcp, and the text that server answered.
type dialectCall struct {
	Tool  string            `json:"tool"`
	Args  json.RawMessage   `json:"args"`
	Text  string            `json:"text"`            // DIR and ID-1, ID-2 stand for what differs from run to run
	Fail  bool              `json:"fail,omitempty"`  // an error: its text
	Own   json.RawMessage   `json:"own,omitempty"`   // what Lectern answers, where that differs: a value, or the text of an error
	Why   string            `json:"why,omitempty"`   // it differs
	Files []string          `json:"files,omitempty"` // these are compared afterwards
	Left  map[string]string `json:"left,omitempty"`
}

// TestDialect replays what a client of the server org-mcp asks, and compares each
// answer, and the files that are left, with those of that server in Emacs. With
// ORG_MCP, a folder that has its sources and those of its library, they are recorded
// again.
func TestDialect(t *testing.T) {
	runtest.InOrder(t)
	raw, err := os.ReadFile("testdata/dialect.json")
	if err != nil {
		t.Fatal(err)
	}
	var calls []dialectCall
	if err := json.Unmarshal(raw, &calls); err != nil {
		t.Fatal(err)
	}
	if sources := os.Getenv("ORG_MCP"); sources != "" {
		recordDialect(t, sources, calls)
	}
	files := map[string]string{}
	for _, name := range []string{"projects.org", "people.org", "inbox.org"} {
		text, err := os.ReadFile(filepath.Join("testdata", "files", name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(text)
	}
	s := openFiles(t, files, org.Config{Compat: "org-mcp", Quirks: "9.5"})
	same := newDialectNames(s.dir)
	for n, c := range calls {
		t.Run(fmt.Sprintf("%02d %s", n+1, c.Tool), func(t *testing.T) {
			args, want := same.expand(string(c.Args)), asValue(c.Text)
			if c.Own != nil {
				want = asValue(string(c.Own))
			}
			got, err := s.Call(t.Context(), tools.CallContext{}, c.Tool, json.RawMessage(args))
			switch {
			case err != nil != c.Fail:
				t.Fatalf("%s: %v\nwant %s", args, err, c.Text)
			case err != nil:
				if message := same.shorten(tools.AsError(err).Message); message != want {
					t.Errorf("got  %s\nwant %s", message, want)
				}
				return
			}
			text := string(got.JSON)
			if len(got.Content) > 0 {
				text = got.Content[0].Text
			}
			if diff := cmp.Diff(want, asValue(same.shorten(text))); diff != "" {
				t.Errorf("-org-mcp +Lectern\n%s", diff)
			}
			for _, name := range c.Files {
				left, err := os.ReadFile(filepath.Join(s.dir, name))
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(c.Left[name], same.shorten(string(left))); diff != "" {
					t.Errorf("%s: -org-mcp +Lectern\n%s", name, diff)
				}
			}
		})
	}
}

// asValue is JSON as a value, any other text as itself.
func asValue(text string) any {
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return text
	}
	return v
}

// dialectNames are what differs from run to run: the folder, and new IDs in their
// order.
type dialectNames struct {
	dir string
	ids []string
}

func newDialectNames(dir string) *dialectNames { return &dialectNames{dir: filepath.ToSlash(dir)} }

var uuidPattern = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`)

func (d *dialectNames) shorten(text string) string {
	return uuidPattern.ReplaceAllStringFunc(strings.ReplaceAll(text, d.dir, "DIR"), func(id string) string {
		if strings.HasPrefix(id, "5f1b2c3d-0000") {
			return id
		}
		for n, known := range d.ids {
			if known == id {
				return fmt.Sprintf("ID-%d", n+1)
			}
		}
		d.ids = append(d.ids, id)
		return fmt.Sprintf("ID-%d", len(d.ids))
	})
}

func (d *dialectNames) expand(args string) string {
	for n, id := range d.ids {
		args = strings.ReplaceAll(args, fmt.Sprintf("ID-%d", n+1), id)
	}
	return strings.ReplaceAll(args, "DIR", d.dir)
}

// recordDialect asks the real server, call by call, as IDs of answers are in later
// arguments.
func recordDialect(t *testing.T, sources string, calls []dialectCall) {
	t.Helper()
	command := emacsCommand(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"projects.org", "people.org", "inbox.org"} {
		text, err := os.ReadFile(filepath.Join("testdata", "files", name))
		if err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(dir, name), string(text))
	}
	program := fmt.Sprintf(`(progn (add-to-list 'load-path %q) (add-to-list 'load-path %q)
(setq make-backup-files nil auto-save-default nil create-lockfiles nil org-id-locations-file (expand-file-name "ids" "~/") org-mcp-allowed-files (directory-files %q t "\\.org\\'"))
(require 'org) (require 'org-agenda) (require 'org-mcp) (require 'mcp-server-lib-commands) (mcp-server-lib-start) (org-mcp-enable)
(with-temp-buffer (insert-file-contents (getenv "REQUEST"))
 (let ((coding-system-for-write 'utf-8) (answer (mcp-server-lib-process-jsonrpc (encode-coding-string (buffer-string) 'utf-8) "org-mcp")))
  (write-region answer nil (getenv "ANSWER")))))`, sources+"/om", sources+"/lib", dir)
	same := newDialectNames(dir)
	home := t.TempDir()
	for n := range calls {
		c := &calls[n]
		request := filepath.Join(home, "request")
		put(t, request, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, c.Tool, same.expand(string(c.Args))))
		args := append(command[1:len(command):len(command)], "-Q", "--batch", "--eval", program)
		cmd := exec.CommandContext(t.Context(), command[0], args...)
		cmd.Env = append(os.Environ(), "NO_FAKE_STAT=1", "TZ=UTC", "LC_ALL=C.UTF-8", "HOME="+home, "REQUEST="+request, "ANSWER="+filepath.Join(home, "answer"))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		raw, err := os.ReadFile(filepath.Join(home, "answer"))
		if err != nil {
			t.Fatal(err)
		}
		var answer struct {
			Result struct {
				IsError any
				Content []struct{ Text string }
			}
			Error struct{ Message string }
		}
		if err := json.Unmarshal(raw, &answer); err != nil {
			t.Fatalf("%v\n%s", err, raw)
		}
		c.Fail, c.Text, c.Left = answer.Result.IsError == true || answer.Error.Message != "", answer.Error.Message, map[string]string{}
		if len(answer.Result.Content) > 0 {
			c.Text = answer.Result.Content[0].Text
		}
		c.Text = same.shorten(c.Text)
		for _, name := range c.Files {
			left, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			c.Left[name] = same.shorten(string(left))
		}
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(calls); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.WriteFile("testdata/dialect.json", out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// In the dialect the older URIs are answered as JSON, others as ever.
func TestDialectResources(t *testing.T) {
	files := map[string]string{"a.org": "* TODO [#A] One :x:\n:PROPERTIES:\n:ID: i1\n:END:\nText.\n** Two\n*** Three\n"}
	s := openFiles(t, files, org.Config{Compat: "org-mcp"})
	node := `{"title":"One","todo":"TODO","priority":"A","tags":["x"],"scheduled":null,"deadline":null,"uri":"org-id://i1"`
	two := `{"title":"Two","todo":null,"priority":null,"tags":[],"scheduled":null,"deadline":null,"uri":"org-headline://DIR/a.org#One/Two","level":2,"children":[` +
		`{"title":"Three","todo":null,"priority":null,"tags":[],"scheduled":null,"deadline":null,"uri":"org-headline://DIR/a.org#One/Two/Three","level":3,"children":[]}]}`
	for uri, want := range map[string]string{
		"org-id://i1":                `{"headline_path":[` + node + `}],"content":"* TODO [#A] One :x:\n:PROPERTIES:\n:ID: i1\n:END:\nText.\n** Two\n*** Three"}`,
		"org-outline://DIR/a.org":    `{"headings":[` + node + `,"level":1,"children":[` + two + `]}]}`,
		"org-headline://DIR/a.org":   files["a.org"],
		"org://a.org/headline/One":   files["a.org"],
		"org://id/i1":                files["a.org"],
		"org-headline://DIR/a.org#T": "",
	} {
		got, err := s.Read(t.Context(), strings.ReplaceAll(uri, "DIR", filepath.ToSlash(s.dir)))
		if text := strings.ReplaceAll(got.Text, filepath.ToSlash(s.dir), "DIR"); text != want || (err != nil) != (want == "") {
			t.Errorf("%s: %v\ngot  %s\nwant %s", uri, err, text, want)
		}
	}
}
