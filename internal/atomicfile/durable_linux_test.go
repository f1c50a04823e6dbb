package atomicfile

import (
	"crypto/sha256"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

const durableEnv = "ATOMICFILE_DURABLE_TEST"

// durableSteps are what gives a page of a folder another content, or none. Each follows the one before.
var durableSteps = []struct {
	name string
	do   func(root *os.Root) error
}{
	{"create", func(root *os.Root) error { return Write(root, "page.md", []byte("1"), Options{Create: true}) }},
	{"replace", func(root *os.Root) error { return Write(root, "page.md", []byte("2"), Options{}) }},
	{"replace what was read", func(root *os.Root) error {
		hash := sha256.Sum256([]byte("2"))
		return Write(root, "page.md", []byte("3"), Options{IfHash: &hash})
	}},
	{"remove", func(root *os.Root) error { return Remove(root, "page.md", sha256.Sum256([]byte("3"))) }},
}

// A content is on the disk before it has the file's name, and the name is on the disk before
// the write is answered: else a power failure leaves an empty file, or the old one.
func TestNamesFollowContents(t *testing.T) {
	if dir, name, watched := strings.Cut(os.Getenv(durableEnv), "\n"); watched { // in the process that strace watches
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		for _, step := range durableSteps {
			if step.name == name {
				if err := step.do(root); err != nil {
					t.Fatal(err)
				}
			}
		}
		return
	}
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("no strace")
	}
	dir := t.TempDir()
	for _, step := range durableSteps {
		log := filepath.Join(t.TempDir(), "log")
		cmd := exec.CommandContext(t.Context(), strace, "-f", "-y", "-o", log, "-e", "trace=fsync,rename,renameat,renameat2,linkat", os.Args[0], "-test.run=^TestNamesFollowContents$")
		cmd.Env = append(os.Environ(), durableEnv+"="+dir+"\n"+step.name)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", step.name, err, out)
		}
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		var order []string
		for line := range strings.Lines(string(text)) {
			switch {
			case regexp.MustCompile(`fsync\(\d+<` + regexp.QuoteMeta(dir) + `/\.lectern-`).MatchString(line):
				order = append(order, "content")
			case regexp.MustCompile(`fsync\(\d+<` + regexp.QuoteMeta(dir) + `>`).MatchString(line):
				order = append(order, "folder")
			case regexp.MustCompile(`\b(rename\w*|linkat)\(.*"page\.md"`).MatchString(line):
				order = append(order, "name")
			}
		}
		want := "content name folder"
		if step.name == "remove" {
			want = "name folder"
		}
		if got := strings.Join(order, " "); got != want {
			t.Errorf("%s: %s, want %s:\n%s", step.name, got, want, text)
		}
	}
}

// Who owned a file owns it after a write.
func TestWriteKeepsOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root may give files to others")
	}
	root, dir := openDir(t)
	file := filepath.Join(dir, "page.md")
	put(t, file, "old", 0o640)
	if err := os.Chown(file, 4711, 4712); err != nil {
		t.Skip(err)
	}
	if err := Write(root, "page.md", []byte("new"), Options{}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if st := info.Sys().(*syscall.Stat_t); st.Uid != 4711 || st.Gid != 4712 || info.Mode().Perm() != 0o640 {
		t.Errorf("the file belongs to %d:%d with mode %o", st.Uid, st.Gid, info.Mode().Perm())
	}
}
