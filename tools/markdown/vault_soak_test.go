package markdown

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/lectern-mcp/lectern/internal/atomicfile"
	"github.com/lectern-mcp/lectern/internal/rename"
)

// Two agents, a person who writes in place, one whose editor replaces files, and
// `git pull` on one vault: what each of them has written is there at the end.
// `make soak PART=vault` runs 10,000 rounds.
func TestWritersLoseNothing(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip(err)
	}
	rounds := 120
	if s := os.Getenv("ROUNDS"); s != "" {
		if rounds, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	const pages = 3
	b := open(t, map[string]string{"Page0.md": "# 0\n", "Page1.md": "# 1\n", "Page2.md": "# 2\n"}, nil)
	root, err := os.OpenRoot(b.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if can, err := atomicfile.CheckExchange(root); err != nil || !can {
		t.Skipf("this file system cannot exchange two names, so an edit in the instant of a write is lost: %v", err)
	}
	upstream := t.TempDir()
	run := func(dir string, args ...string) {
		cmd := exec.CommandContext(t.Context(), git, append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "gc.auto=0"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("git %v: %v\n%s", args, err, out)
		}
	}
	run(upstream, "init", "-q", "-b", "main")
	run(upstream, "commit", "-q", "--allow-empty", "-m", "first")
	run(b.dir, "init", "-q", "-b", "main")
	run(b.dir, "pull", "-q", upstream, "main")

	var mu sync.Mutex
	written := map[string]string{} // line: who wrote it
	note := func(who, line string) {
		mu.Lock()
		defer mu.Unlock()
		written[line] = who
	}
	started := make(chan int) // an agent begins to write this page
	var agents, others sync.WaitGroup
	for agent := range 2 {
		agents.Go(func() {
			for i := range rounds / 2 {
				page := (i + agent) % pages
				for try := 0; ; try++ {
					select {
					case started <- page:
					default: // everybody is busy
					}
					line := fmt.Sprintf("agent %d line %d try %d", agent, i, try)
					answer, ok := b.try("edit_page", fmt.Sprintf(`{"path":"Page%d.md","action":"append","content":%q}`, page, line+"\n"))
					if ok {
						note("agent", line)
						break
					}
					if !strings.Contains(answer, "CONFLICT") {
						t.Errorf("%s", answer)
						return
					}
				}
			}
		})
	}
	appendTo := func(file, text string) {
		f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
		if err == nil {
			_, err = f.WriteString(text)
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			t.Error(err)
		}
	}
	// Both programs are one person's, who uses one at a time: they would lose each other's
	// lines without any agent.
	var person sync.Mutex
	others.Go(func() { // in place
		i := 0
		for page := range started {
			line := fmt.Sprintf("person line %d", i)
			person.Lock()
			appendTo(filepath.Join(b.dir, fmt.Sprintf("Page%d.md", page)), line+"\n")
			person.Unlock()
			note("person", line)
			i++
		}
	})
	others.Go(func() { // an editor, which tells the person what it has replaced
		i := 0
		for page := range started {
			name, line := fmt.Sprintf("Page%d.md", page), fmt.Sprintf("editor line %d", i)
			person.Lock()
			was := b.get(name)
			b.put("."+name+".swp", was+line+"\n")
			if err := rename.Exchange(root, "."+name+".swp", name); err != nil {
				t.Error(err)
			}
			known := strings.Split(was, "\n")
			for kept := range strings.Lines(b.get("." + name + ".swp")) {
				if !slices.Contains(known, strings.TrimSuffix(kept, "\n")) {
					appendTo(filepath.Join(b.dir, name), kept)
				}
			}
			person.Unlock()
			note("editor", line)
			i++
		}
	})
	others.Go(func() {
		i := 0
		for range started {
			line := fmt.Sprintf("pulled line %d", i)
			if err := os.WriteFile(filepath.Join(upstream, "Pulled.md"), []byte(line+"\n"), 0o600); err != nil {
				t.Error(err)
			}
			run(upstream, "add", "Pulled.md")
			run(upstream, "commit", "-q", "-m", line)
			run(b.dir, "pull", "-q", upstream, "main")
			if got := b.get("Pulled.md"); got != line+"\n" {
				t.Errorf("pulled %q, want %q", got, line)
			}
			i++
		}
	})
	agents.Wait()
	close(started)
	others.Wait()

	var all strings.Builder
	copies := 0
	for name, text := range b.files() {
		if strings.HasPrefix(name, ".git/") || strings.HasSuffix(name, ".swp") {
			continue
		}
		if strings.Contains(name, "conflicted copy") {
			copies++
		}
		if strings.Contains(name, ".tmp") {
			t.Errorf("left behind: %s", name)
		}
		all.WriteString("\n" + text)
	}
	held, count := map[string]bool{}, map[string]int{}
	for line := range strings.SplitSeq(all.String(), "\n") {
		held[line] = true
	}
	for line, who := range written {
		if count[who]++; !held[line] {
			t.Errorf("lost: %q", line)
		}
	}
	if len(count) != 3 {
		t.Errorf("only these have written: %v", count)
	}
	t.Logf("%v lines, %d conflicted copies", count, copies)
}
