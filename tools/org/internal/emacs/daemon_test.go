package emacs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools/org/internal/emacs/emacstest"
	"github.com/lectern-mcp/lectern/tools/org/internal/lispdata"
)

// testEmacs is a real Emacs without configuration, its server, and a folder.
type testEmacs struct {
	*Client
	t   *testing.T
	dir string // without symbolic links
	pid int
}

// run evaluates an expression and returns its value.
func (e *testEmacs) run(format string, args ...any) lispdata.Value {
	e.t.Helper()
	v, err := e.eval(e.t.Context(), "(list 'ok "+fmt.Sprintf(format, args...)+")")
	if err != nil {
		e.t.Fatal(err)
	}
	fields, err := result(v, "ok", 1)
	if err != nil {
		e.t.Fatal(err)
	}
	return fields[0]
}

// in evaluates an expression in the buffer of a file.
func (e *testEmacs) in(path, format string, args ...any) lispdata.Value {
	e.t.Helper()
	return e.run("(with-current-buffer (find-buffer-visiting (funcall decode %s)) %s)", quoteLisp(path), fmt.Sprintf(format, args...))
}

// visit writes a file and opens it in Emacs.
func (e *testEmacs) visit(name, text string) string {
	e.t.Helper()
	path := filepath.Join(e.dir, name)
	e.write(path, text)
	e.run("(progn (find-file-noselect (funcall decode %s)) nil)", quoteLisp(path))
	return path
}

func (e *testEmacs) write(path, text string) {
	e.t.Helper()
	if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
		e.t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		e.t.Fatal(err)
	}
}

// typeText inserts text at a character position, as the person would.
func (e *testEmacs) typeText(path string, at int, text string) {
	e.t.Helper()
	e.in(path, "(progn (save-excursion (goto-char %d) (insert (funcall decode %s))) nil)", at, quoteLisp(text))
}

func (e *testEmacs) wantText(path, want string) {
	e.t.Helper()
	got, err := e.Read(e.t.Context(), path)
	if err != nil {
		e.t.Fatal(err)
	}
	if string(got) != want {
		e.t.Errorf("the buffer holds %q, want %q", got, want)
	}
}

func (e *testEmacs) wantState(path string, want Buffer) {
	e.t.Helper()
	got, err := e.Buffer(e.t.Context(), path)
	if err != nil {
		e.t.Fatal(err)
	}
	if got != want {
		e.t.Errorf("%s is %+v, want %+v", filepath.Base(path), got, want)
	}
}

// TestEmacs is against one real Emacs, which is not started for each of its parts.
func TestEmacs(t *testing.T) {
	started := emacstest.Start(t)
	client := NewClient(Options{Socket: started.Socket, Now: time.Now, Timeout: runtest.Timeout})
	for _, c := range []struct {
		name string
		test func(*testing.T, *testEmacs)
	}{
		{"States", testStates},
		{"LockHolds", testLockHolds},
		{"Swap", testSwap},
		{"SwapKeepsPlaces", testSwapKeepsPlaces},
		{"SwapIsRefused", testSwapIsRefused},
		{"Revert", testRevert},
		{"StringsStayStrings", testStringsStayStrings},
		{"Busy", testBusy},
		{"Variables", testVariables},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(started.Folder, c.name)
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			c.test(t, &testEmacs{client, t, dir, started.PID})
		})
	}
}

func testStates(t *testing.T, e *testEmacs) {
	path := e.visit("a.org", "* A\n** B\n")
	e.wantState(filepath.Join(e.dir, "other.org"), Buffer{})
	e.wantState(path, Buffer{State: Clean})
	if err := CheckLock(path); err != nil {
		t.Errorf("a clean buffer: %v", err)
	}
	e.typeText(path, 4, "!")
	e.wantState(path, Buffer{State: Modified})
	var locked *LockError
	if err := CheckLock(path); !errors.As(err, &locked) || locked.PID != e.pid {
		t.Errorf("a modified buffer: %v, want the lock of process %d", err, e.pid)
	}
	if _, err := Lock(path); !errors.As(err, &locked) {
		t.Errorf("Lock of a file with unsaved changes: %v", err)
	}
	e.in(path, `(progn (narrow-to-region 5 9) (setq buffer-read-only t) nil)`)
	e.write(path, "* Elsewhere\n")
	e.wantState(path, Buffer{State: Modified, ReadOnly: true, Narrowed: true, Outdated: true})
	status, err := e.Status(t.Context())
	if err != nil || status.PID != e.pid || !status.LockFiles || len(status.Unsaved) != 1 || filepath.Base(status.Unsaved[0]) != "a.org" || status.Version == "" {
		t.Errorf("status %+v, %v", status, err)
	}
	e.in(path, `(progn (setq buffer-read-only nil) (widen) (revert-buffer t t t) nil)`)
	e.wantState(path, Buffer{State: Clean})
	e.run("(progn (global-auto-revert-mode 1) nil)")
	e.wantState(path, Buffer{State: Clean, AutoRevert: true})
	e.run("(progn (global-auto-revert-mode -1) nil)")
	e.in(path, `(progn (kill-buffer) nil)`)
	e.wantState(path, Buffer{})
}

// testLockHolds: while Lectern holds the lock, Emacs does not begin to change the
// file without asking, and where it cannot ask, not at all.
func testLockHolds(t *testing.T, e *testEmacs) {
	path := e.visit("a.org", "* A\n")
	unlock, err := Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	v := e.in(path, `(condition-case err (progn (insert "x") "changed") (error "asked"))`)
	if v.Text != "asked" {
		t.Errorf("Emacs %s the buffer of a locked file", v.Text)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	if v := e.in(path, `(condition-case err (progn (insert "x") "changed") (error "asked"))`); v.Text != "changed" {
		t.Errorf("after unlock Emacs %s", v.Text)
	}
	if err := unlock(); err != nil {
		t.Errorf("unlock of what Emacs holds now: %v", err)
	}
	if err := CheckLock(path); err == nil {
		t.Error("unlock removed the lock of Emacs")
	}
}

func testSwap(t *testing.T, e *testEmacs) {
	for _, c := range []struct{ name, file, typed, after string }{
		{"one line", "* A\n* B\n", "!", "!* A\n* DONE B\n"},
		{"not ASCII", "* Größe\n* 日本 €\n* 🦉\n", "é", "é* Größe\n* 日本 ¥ €\n* 🦉🦉\n"},
		{"CRLF", "* A\r\ntext\r\n* B\r\n", "x", "x* A\r\nmore\r\ntext\r\n* B\r\n"},
		{"byte order mark", "\xef\xbb\xbf* A\n* Ä\n", "ü", "\xef\xbb\xbfü* A\n* Ä\nnew\n"},
		{"emptied", "* A\n", "y", ""},
		{"ASCII only so far", "* A\n", "z", "z* A\n* ß\n"},
		{"large", strings.Repeat("* Überschrift\nText\n", 8000), "q", "q" + strings.Repeat("* Ueberschrift\nText \\\")(error)\n", 8000)},
	} {
		path := e.visit(strings.ReplaceAll(c.name, " ", "-")+".org", c.file)
		e.typeText(path, 1, c.typed)
		before, err := e.Read(t.Context(), path)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if err := e.Swap(t.Context(), path, before, []byte(c.after)); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		e.wantText(path, c.after)
		if err := e.Swap(t.Context(), path, before, []byte("* C\n")); !errors.Is(err, ErrConflict) {
			t.Errorf("%s: a second change from the same text: %v, want a conflict", c.name, err)
		}
		onDisk, err := os.ReadFile(path)
		if err != nil || string(onDisk) != c.file {
			t.Errorf("%s: the file was touched: %q, %v", c.name, onDisk, err)
		}
		if err := e.Swap(t.Context(), path, []byte(c.after), before); err != nil {
			t.Errorf("%s: undo: %v", c.name, err)
		}
		e.in(path, "(let ((inhibit-message t)) (save-buffer) nil)")
		if onDisk, err := os.ReadFile(path); err != nil || string(onDisk) != string(before) {
			t.Errorf("%s: saved %.80q, %v, want %.80q", c.name, onDisk, err, before)
		}
	}
}

// testSwapKeepsPlaces: point, markers, narrowing and the person's own undo stay.
func testSwapKeepsPlaces(t *testing.T, e *testEmacs) {
	path := e.visit("a.org", "* A\ntext one\n* B\ntext two\n* C\n")
	e.typeText(path, 1, "x")
	e.in(path, `(progn (goto-char (point-min)) (search-forward "text t") (setq m (copy-marker (point)))
 (goto-char (point-min)) (search-forward "* B") (narrow-to-region (line-beginning-position) (point-max)) (undo-boundary) nil)`)
	before := "x* A\ntext one\n* B\ntext two\n* C\n"
	after := "x* TODO A\nmore\ntext one\n* NEXT B\ntext two\n* C\n"
	if err := e.Swap(t.Context(), path, []byte(before), []byte(after)); err != nil {
		t.Fatal(err)
	}
	got := e.in(path, `(list (buffer-substring-no-properties (line-beginning-position) (point)) (buffer-substring-no-properties (point) (line-end-position))
 (buffer-substring-no-properties (- m 6) m) (and (buffer-narrowed-p) (buffer-substring-no-properties (point-min) (point-max))))`)
	var parts []string
	for _, v := range got.Items {
		parts = append(parts, v.Text)
	}
	if want := "* NEXT B||text t|* NEXT B\ntext two\n* C\n"; strings.Join(parts, "|") != want {
		t.Errorf("places are %q, want %q", strings.Join(parts, "|"), want)
	}
	e.in(path, "(progn (widen) (undo-boundary) (setq last-command nil) (undo) nil)")
	e.wantText(path, before) // one undo takes back the change, and no more
}

func testSwapIsRefused(t *testing.T, e *testEmacs) {
	path := e.visit("a.org", "* A\n* B\n")
	swap := func(before, after string) error { return e.Swap(t.Context(), path, []byte(before), []byte(after)) }
	if err := swap("* A\n* B\n", "* C\n"); !errors.Is(err, ErrNoUnsavedChanges) {
		t.Errorf("a clean buffer: %v", err)
	}
	if _, err := e.Read(t.Context(), path); !errors.Is(err, ErrNoUnsavedChanges) {
		t.Errorf("read a clean buffer: %v", err)
	}
	e.typeText(path, 1, "x")
	for _, c := range []struct{ name, prepare, restore string }{
		{"read-only", "(setq buffer-read-only t)", "(setq buffer-read-only nil)"},
		{"read-only text", `(add-text-properties 5 10 '(read-only t))`, `(let ((inhibit-read-only t)) (remove-text-properties 5 10 '(read-only nil)))`},
		{"Latin-1", "(setq buffer-file-coding-system 'latin-1)", "(setq buffer-file-coding-system 'utf-8-unix)"},
		{"a hook that fails", `(add-hook 'before-change-functions (lambda (&rest _) (error "no")) nil t)`, "nil"},
		{"a hook that asks", `(add-hook 'before-change-functions (lambda (&rest _) (y-or-n-p "Really? ")) nil t)`, "nil"},
	} {
		e.in(path, "(progn %s nil)", c.prepare)
		if err := swap("x* A\n* B\n", "x* A\n* TODO B\n"); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v, want a refusal", c.name, err)
		}
		e.in(path, "(progn %s nil)", c.restore)
		e.wantText(path, "x* A\n* B\n")
	}
	if err := swap("x* A\n* B\n", "x* \xff\n"); !errors.Is(err, ErrRefused) {
		t.Errorf("bytes that are no UTF-8: %v", err)
	}
	e.in(path, "(progn (set-buffer-modified-p nil) (kill-buffer) nil)")
	if err := swap("x* A\n* B\n", "* C\n"); !errors.Is(err, ErrNoUnsavedChanges) {
		t.Errorf("a killed buffer: %v", err)
	}
}

// testRevert: a clean buffer follows the file without a question, a modified one
// stays.
func testRevert(t *testing.T, e *testEmacs) {
	path := e.visit("a.org", "* A\n* B\n* C\n")
	e.in(path, `(progn (goto-char 9) (narrow-to-region 5 13) nil)`)
	e.write(path, "* TODO A\n* B\n* C\n* D\n")
	if state, err := e.Revert(t.Context(), path); err != nil || state != Clean {
		t.Fatalf("revert: %v, %v", state, err)
	}
	got := e.in(path, `(concat (buffer-substring-no-properties (line-beginning-position) (line-end-position)) "|" (save-restriction (widen) (buffer-substring-no-properties (point-min) (point-max))))`)
	if want := "* C|* TODO A\n* B\n* C\n* D\n"; got.Text != want {
		t.Errorf("after revert %q, want %q", got.Text, want)
	}
	e.wantState(path, Buffer{State: Clean, Narrowed: true})
	e.in(path, "(progn (widen) nil)")
	e.typeText(path, 1, "x")
	e.write(path, "* E\n")
	if state, err := e.Revert(t.Context(), path); err != nil || state != Modified {
		t.Errorf("revert of a modified buffer: %v, %v", state, err)
	}
	e.wantText(path, "x* TODO A\n* B\n* C\n* D\n")
	if state, err := e.Revert(t.Context(), filepath.Join(e.dir, "none.org")); err != nil || state != NotVisited {
		t.Errorf("revert of a file that is not visited: %v, %v", state, err)
	}
}

// testStringsStayStrings: what an agent sends is data in Emacs, whatever it holds.
func testStringsStayStrings(t *testing.T, e *testEmacs) {
	marker := filepath.Join(e.dir, "ran")
	hostile := `\")(shell-command "touch ` + marker + `")(insert "`
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	for _, s := range []string{hostile, `"` + hostile, "\n-eval (write-region \"\" nil \"" + marker + "\")\n", "&n-eval&_(error)", string(every), "#.(error)", "\\", ""} {
		if v := e.run(`(base64-encode-string %s t)`, quoteLisp(s)); v.Text != encodeBase64(s) {
			t.Errorf("%q arrived as base64 %s", s, v.Text)
		}
	}
	path := e.visit("a.org", "* A\n")
	e.typeText(path, 1, "x")
	text := "x* A " + hostile + "\n"
	if err := e.Swap(t.Context(), path, []byte("x* A\n"), []byte(text)); err != nil {
		t.Fatal(err)
	}
	e.wantText(path, text)
	if _, err := e.Buffer(t.Context(), filepath.Join(e.dir, hostile)); err != nil {
		t.Errorf("a file with that name: %v", err)
	}
	if _, err := e.Variables(t.Context(), []string{hostile, "org-todo-keywords"}); err != nil {
		t.Errorf("a variable with that name: %v", err)
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("a string of an agent was run")
	}
}

// testBusy: an Emacs that does not answer costs the timeout, and does nothing
// afterwards.
func testBusy(t *testing.T, e *testEmacs) {
	path := e.visit("a.org", "* A\n")
	e.typeText(path, 1, "x")
	hasty := NewClient(Options{Socket: e.options.Socket, Now: time.Now, Timeout: 200 * time.Millisecond})
	begun, end, finished := filepath.Join(e.dir, "begun"), filepath.Join(e.dir, "end"), make(chan struct{})
	go func() { // until the end Emacs looks at nothing else
		defer close(finished)
		_, _ = e.eval(context.WithoutCancel(t.Context()), fmt.Sprintf(`(progn
 (write-region "" nil (funcall decode %s) nil 'silent) (while (not (file-exists-p (funcall decode %s)))) (list 'ok))`, quoteLisp(begun), quoteLisp(end)))
	}()
	runtest.Eventually(t, "Emacs has done it", func() bool { _, err := os.Stat(begun); return err == nil })
	for range 2 { // the second call waits for the answer of the first
		if err := hasty.Swap(t.Context(), path, []byte("x* A\n"), []byte("x* A changed\n")); !errors.Is(err, ErrBusy) {
			t.Errorf("%v, want that Emacs is busy", err)
		}
	}
	if err := os.WriteFile(end, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	<-finished
	e.wantText(path, "x* A\n")
	runtest.Eventually(t, "Emacs has done it", func() bool { _, err := hasty.Buffer(t.Context(), path); return err == nil })
	e.wantText(path, "x* A\n")
}

func testVariables(t *testing.T, e *testEmacs) {
	e.run(`(progn (setq org-todo-keywords '((sequence "TODO(t)" "WAIT(w@/!)" "|" "DONE(d!)")) org-tag-alist '((:startgroup) ("\u00e4rger" . ?h) (:endgroup))
 org-log-into-drawer t org-archive-location "a\nb::" org-directory "/tmp/x" org-agenda-files (make-string 70000 ?x)) nil)`)
	got, err := e.Variables(t.Context(), []string{"org-todo-keywords", "org-tag-alist", "org-log-into-drawer", "org-archive-location", "org-directory", "org-agenda-files", "org-unbound"})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"org-todo-keywords": `((sequence "TODO(t)" "WAIT(w@/!)" "|" "DONE(d!)"))`, "org-tag-alist": `((:startgroup) ("ärger" . 104) (:endgroup))`,
		"org-log-into-drawer": "t", "org-archive-location": "\"a\nb::\"", "org-directory": `"/tmp/x"`,
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("variables\n%v, want\n%v", got, want)
	}
}
