package org_test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/org"
	"github.com/lectern-mcp/lectern/tools/toolstest"
)

// TestSuite holds what is true of every System. The examples in the declarations
// were written for testdata/files.
func TestSuite(t *testing.T) {
	toolstest.Run(t, testSystem(), func(t testing.TB) toolstest.Fixture {
		around := t.TempDir()
		notes := filepath.Join(around, "notes")
		if err := os.CopyFS(notes, os.DirFS(filepath.Join("testdata", "files"))); err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(around, "secret.org"), "* secret\n")
		putShelf(t, notes)
		return toolstest.Fixture{
			Privacy: tools.Privacy{Exclude: []tools.PrivacyRule{{Path: "private/**"}, {Tag: "secret"}, {Property: "status", Value: "private"}}},
			Hide:    func(round int) []string { return hide(t, notes, round) },
			Names: []string{
				"projects.org", "org://projects.org/headline/Alpha", "org://projects.org/headline/Beta%20%5B1%2F2%5D", "org://people.org", "org://inbox.org/headline/Buy%20milk",
				"org://id/5f1b2c3d-0000-4000-8000-000000000001", "org://deep/er.org/headline/Deep%20%5B50%25%5D/one", "TODO", "DONE", "Alpha", "work", "org://projects.org/headline/Notes%2FIdeas/Call%20Bob;2",
				"org://shelf.org/headline/By%20ID", "org://shelf.org/headline/By%20folder", "org://shelf.org/headline/Beside",
			},
			Edit:    func(seed uint64) { edit(t, notes, seed) },
			Config:  org.Config{Path: tools.Folder(notes)},
			Digest:  func() string { return digest(t, notes, "") },
			Outside: func() string { return digest(t, around, "notes") },
			URIs: []string{
				"org://projects.org/headline/Alpha/Write%20plan", "org://id/5f1b2c3d-0000-4000-8000-000000000002", "org-id://5f1b2c3d-0000-4000-8000-000000000001",
				"org-headline://" + filepath.ToSlash(notes) + "/projects.org#Alpha", "org-outline://" + filepath.ToSlash(notes) + "/people.org",
			},
		}
	})
}

func put(t testing.TB, file, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// putShelf writes an archive, and a file whose headlines name folders for attachments:
// those of what hideAttachments hides, and the one that all files are in.
func putShelf(t testing.TB, notes string) {
	put(t, filepath.Join(notes, "shelf.org"), "* By ID\n"+drawer("DIR: data/5f/1b2c3d-0000-4000-8000-00000000000b")+"* By folder\n"+drawer("DIR: plans")+"* Beside\n"+drawer("DIR: ."))
	put(t, filepath.Join(notes, "old.org_archive"), "* Old\n")
}

// hideAttachments attaches files to headlines of a hidden file, and puts its archive
// beside it. It returns words about them.
func hideAttachments(t testing.TB, notes, text string) []string {
	put(t, filepath.Join(notes, "private", "attached.org"), "* A\n"+drawer("ID: 5f1b2c3d-0000-4000-8000-00000000000b")+"* B\n"+drawer("DIR: ../plans"))
	for _, name := range []string{
		"data/5f/1b2c3d-0000-4000-8000-00000000000b/plan.txt", "data/5f/1b2c3d-0000-4000-8000-00000000000b/plan.org", "plans/plan.txt", "plans/deep/plan.txt", "#projects.org#", "projects.org~",
		"projects.org.~1~", "private/attached.org_archive", "diary.org_archive",
	} {
		put(t, filepath.Join(notes, filepath.FromSlash(name)), "* TODO Plan\n"+text)
	}
	put(t, filepath.Join(notes, "old.org_archive"), "* Old\n* TODO Plan\n"+drawer("ARCHIVE_FILE: "+filepath.ToSlash(notes)+"/private/plan.org", "ARCHIVE_ITAGS: secret")+text)
	return []string{"plan.txt", "#projects.org#", "diary.org_archive"}
}

// hide makes files and headlines that are hidden, like visible ones as far as that
// goes.
func hide(t testing.TB, notes string, round int) []string {
	more := ""
	if round > 0 {
		more = fmt.Sprintf("round %d\n", round)
	}
	put(t, filepath.Join(notes, "private", "plan.org"), "* TODO Alpha :work:\n:PROPERTIES:\n:ID:       5f1b2c3d-0000-4000-8000-00000000000a\n:END:\nThe architecture diagram of [[id:5f1b2c3d-0000-4000-8000-000000000001]].\n"+more)
	put(t, filepath.Join(notes, "diary.org"), "#+FILETAGS: :secret:\n\n* TODO Dear diary\n"+more)
	put(t, filepath.Join(notes, "own.org"), ":PROPERTIES:\n:STATUS: private\n:END:\n* NEXT Own\n"+more)
	hidden := []byte("** TODO Hidden child :secret:\nDEADLINE: <2026-03-09 Mon>\n:PROPERTIES:\n:ID:       5f1b2c3d-0000-4000-8000-00000000000b\n:END:\nSee the architecture diagram.\n*** DONE below\n" + more)
	projects := filepath.Join(notes, "projects.org")
	text, err := os.ReadFile(projects)
	if err != nil {
		t.Fatal(err)
	}
	put(t, projects, string(withHidden(text, string(hidden), "* Beta [1/3] :home:\n")))
	return append(hideAttachments(t, notes, more), []string{
		"private/plan.org", "diary.org", "own.org", "org://private/plan.org", "org://private/plan.org/headline/Alpha", "org://diary.org/headline/Dear%20diary", "Hidden child", "secret", "private",
		"org://id/5f1b2c3d-0000-4000-8000-00000000000a", "org://id/5f1b2c3d-0000-4000-8000-00000000000b", "org://projects.org/headline/Beta%20%5B1%2F2%5D/Hidden%20child",
		"id:5f1b2c3d-0000-4000-8000-00000000000b", "file:projects.org::*Hidden child", "org://projects.org/headline/Hidden%20top",
	}...)
}

// withHidden replaces what hide puts into a file: a subtree below Beta, which counts
// it, and one at the end.
func withHidden(text []byte, below, beta string) []byte {
	file := string(text)
	if at := strings.Index(file, "** TODO Hidden child"); at >= 0 {
		end := at + strings.Index(file[at:], "* Notes/Ideas")
		file = file[:at] + file[end:]
	}
	if at := strings.Index(file, "* TODO Hidden top"); at >= 0 {
		file = file[:at]
	}
	at := strings.Index(file, "* Beta ")
	end := at + strings.Index(file[at:], "\n") + 1
	file = file[:at] + beta + file[end:]
	at = strings.Index(file, "* Notes/Ideas")
	return []byte(file[:at] + below + file[at:] + "* TODO Hidden top :secret:\n** TODO Alpha\n")
}

// edit is a person who changes, makes, moves or removes something.
func edit(t testing.TB, notes string, seed uint64) {
	t.Helper()
	files := []string{"projects.org", "people.org", "inbox.org", "deep/er.org", "projects.org_archive", "new.org"}
	file := filepath.Join(notes, filepath.FromSlash(files[seed%uint64(len(files))]))
	switch seed >> 8 % 4 {
	case 0:
		_ = os.Remove(file) // which may not be there
	case 1:
		_ = os.Chmod(file, 0o640)
	case 2:
		_ = os.Rename(file, file+" by hand.org")
	default:
		if info, err := os.Stat(filepath.Dir(file)); err == nil && info.IsDir() {
			put(t, file, fmt.Sprintf("* TODO By hand %d\n** TODO Write plan\n", seed))
		}
	}
}

// digest is a hash over all names and contents below dir, without what is in the
// folder of that name.
func digest(t testing.TB, dir, without string) string {
	h := sha256.New()
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == without {
			return fs.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(h, "%q %v\n", p, info.Mode())
		if d.Type().IsRegular() {
			b, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			fmt.Fprintf(h, "%d\n%s\n", len(b), b)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// What a model sees of the tools that are listed without being asked for, with every
// request, stays small.
func TestDefaultToolsAreSmall(t *testing.T) {
	sum := 0
	for _, tool := range testSystem().Manifest().Tools {
		if _, model := tool.ListedBytes(tool.Name); !tool.OptIn {
			sum += model
			t.Logf("%5d %s", model, tool.Name)
		}
	}
	if sum > 8<<10 {
		t.Errorf("a model sees %d bytes of the default tools, more than 8 KB", sum)
	}
}
