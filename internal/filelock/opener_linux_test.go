package filelock

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestOpeners(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	child := exec.Command("cat", "-", "hub")
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	child.Stdout = f
	if err := child.Start(); err != nil {
		t.Skip(err)
	}
	defer func() { _, _ = in.Close(), child.Wait() }()
	want := func(when, path string) {
		t.Helper()
		found := Openers(path, filepath.Join(dir, "another"))
		if len(found) != 2 {
			t.Fatalf("%s: %v", when, found)
		}
		for _, p := range found {
			if p.PID == child.Process.Pid && p.Subcommand() != "hub" && p.Subcommand() != "" { // "": not executed yet
				t.Errorf("%s: %s", when, p)
			}
		}
	}
	want("open", file)
	want("by another name", filepath.Join(link, "file"))
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	want("deleted", file)
	if found := Openers(filepath.Join(dir, "another")); len(found) != 0 {
		t.Errorf("nobody has it open: %v", found)
	}
}

func TestGetenvOfAProcess(t *testing.T) {
	child := exec.Command("cat")
	child.Env = []string{"A=", "AB=1", "B=2=3"}
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Skip(err)
	}
	defer func() { _, _ = in.Close(), child.Wait() }()
	for name, want := range map[string]string{"A": "", "B": "2=3", "AB": "1", "": ""} {
		if got := (Process{PID: child.Process.Pid}).Getenv(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
