//go:build unix

package markdown

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/lectern-mcp/lectern/internal/rename"
	"github.com/lectern-mcp/lectern/internal/runtest"
)

// Somebody exchanges a page, and a folder, with links that lead out while calls read and
// write them, 10,000 times in `make soak PART=hostile`: nothing beside the vault is read or changed.
func TestSwappedLinks(t *testing.T) {
	rounds := runtest.Size(300, 100, 20)
	if os.Getenv("HOSTILE_TEXTS") == "all" {
		rounds = 10_000
	}
	b, around := hostileVault(t)
	b.put("Dir/secret.md", "inside\n")
	b.put("page.md", "inside\n")
	for link, to := range map[string]string{".dir": filepath.Join(around, "ab"), ".page": filepath.Join(around, "secret.md")} {
		if err := os.Symlink(to, filepath.Join(b.dir, link)); err != nil {
			t.Skip(err)
		}
	}
	root, err := os.OpenRoot(b.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := rename.Exchange(root, ".dir", "Dir"); err != nil {
		t.Skip(err)
	}
	want := outsideFiles(t, around)
	stop, swaps := make(chan struct{}), make(chan int)
	go func() {
		n := 0
		for {
			select {
			case <-stop:
				swaps <- n
				return
			default:
			}
			_ = rename.Exchange(root, ".dir", "Dir") // one of them may just be written
			_ = rename.Exchange(root, ".page", "page.md")
			n++
		}
	}()
	read, written := 0, 0
	for i := range rounds {
		path := []string{"Dir/secret.md", "page.md"}[i%2]
		calls := []string{
			fmt.Sprintf(`read_page {"path":%q}`, path), fmt.Sprintf(`edit_page {"path":%q,"action":"append","content":"line"}`, path),
			fmt.Sprintf(`write_page {"path":%q,"content":"inside\n"}`, path), `search_pages {"query":"canary"}`,
		}
		tool, args, _ := strings.Cut(calls[i/2%len(calls)], " ")
		answer, ok := b.try(tool, args)
		if strings.Contains(answer, canary) || strings.Contains(answer, `"INTERNAL"`) {
			t.Fatalf("round %d: %s %s: %.300s", i, tool, args, answer)
		}
		switch {
		case ok && tool == "read_page":
			read++
		case ok && tool != "search_pages":
			written++
		}
	}
	close(stop)
	n := <-swaps
	equal(t, "outside", want, outsideFiles(t, around))
	t.Logf("%d swaps; of %d calls %d have read and %d written", n, rounds, read, written)
	if n == 0 || read+written == 0 || read+written == rounds {
		t.Errorf("%d swaps; of %d calls %d have read and %d written", n, rounds, read, written)
	}
}

// A page that is also a file elsewhere is replaced, so that the other name keeps what
// it has.
func TestHardLinkToOutside(t *testing.T) {
	b, around := hostileVault(t)
	if err := os.Link(filepath.Join(around, "secret.md"), filepath.Join(b.dir, "hard.md")); err != nil {
		t.Skip(err)
	}
	want := outsideFiles(t, around)
	for _, call := range [][2]string{
		{"edit_page", `{"path":"hard.md","action":"append","content":"line"}`},
		{"write_page", `{"path":"hard.md","content":"other\n"}`},
		{"move_page", `{"sourcePath":"hard.md","destinationPath":"moved.md"}`},
		{"delete_page", `{"path":"moved.md"}`},
	} {
		if answer, ok := b.try(call[0], call[1]); !ok {
			t.Errorf("%s: %s", call[0], answer)
		}
		equal(t, call[0], want, outsideFiles(t, around))
	}
}

// A page that grows while it is read is read as it was at one moment, and what an agent
// adds meanwhile is added to what is there.
func TestPageThatGrows(t *testing.T) {
	runtest.InOrder(t)
	b := open(t, map[string]string{"log.md": "0\n"}, nil)
	stop, wrote := make(chan struct{}), make(chan int)
	go func() {
		f, err := os.OpenFile(filepath.Join(b.dir, "log.md"), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Error(err)
		}
		n := 0
		for ; n < 2000; n++ {
			if _, err := fmt.Fprintf(f, "%d\n", n+1); err != nil {
				t.Error(err)
			}
		}
		<-stop
		_ = f.Close()
		wrote <- n
	}()
	for range 40 {
		out := call[ReadPageOut](b, "read_page", `{"path":"log.md","limit":5}`)
		if !strings.HasPrefix(out.Content, "0\n") {
			t.Fatalf("%q", out.Content)
		}
		if answer, ok := b.try("edit_page", `{"path":"log.md","action":"append","content":"agent"}`); !ok && !strings.Contains(answer, `"CONFLICT"`) && !strings.Contains(answer, `"LIMITED"`) {
			t.Fatal(answer)
		}
	}
	close(stop)
	lines := <-wrote
	held := b.get("log.md")
	for name, text := range b.files() {
		if strings.Contains(name, "conflicted copy") {
			held += text
		}
	}
	for n := range lines + 1 {
		if !strings.Contains("\n"+held, fmt.Sprintf("\n%d\n", n)) {
			t.Fatalf("line %d of %d is lost", n, lines)
		}
	}
}

// Halves of characters, which JSON can have and UTF-8 cannot, do not come into a page.
func TestHalfCharacters(t *testing.T) {
	b := open(t, map[string]string{"a.md": "a\n"}, nil)
	for _, call := range [][2]string{
		{"edit_page", `{"path":"a.md","action":"append","content":"x \ud800 y \udc00\ud800"}`},
		{"write_page", `{"path":"b.md","content":"\udfff"}`},
		{"create_page", `{"title":"\ud83d","content":"\ude00"}`},
		{"edit_page", `{"path":"a.md","property":"p","action":"replace","content":"\ud800"}`},
	} {
		b.try(call[0], call[1]) // it may refuse
		for name, text := range b.files() {
			if !utf8.ValidString(text) || !utf8.ValidString(name) {
				t.Errorf("%s %s wrote %q: %q", call[0], call[1], name, text)
			}
		}
	}
}
