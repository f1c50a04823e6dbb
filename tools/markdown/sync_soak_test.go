package markdown

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Agents append in the folder while an application appends in the table, to the content
// or to the blocks of the same pages: in the end both sides hold the same, and every line is there or is kept as a
// conflict. `make soak PART=sync` runs 2,000 rounds.
func TestBothSidesAtOnce(t *testing.T) {
	rounds := 30
	if s := os.Getenv("ROUNDS"); s != "" {
		rounds, _ = strconv.Atoi(s)
	}
	const pages = 3
	files, lines := map[string]string{}, strings.Repeat("line\n\n", 40)
	for i := range pages {
		files[fmt.Sprintf("P%d.md", i)] = "# Agents\n\n" + lines + "# Database\n\n" + lines
	}
	v := newSynced(t, files)
	v.waitInStep()
	var mu sync.Mutex
	var written []string
	note := func(line string) {
		mu.Lock()
		defer mu.Unlock()
		written = append(written, line)
	}
	var both sync.WaitGroup
	both.Go(func() {
		for i := range rounds {
			line := fmt.Sprintf("<agent %d>", i)
			args := fmt.Sprintf(`{"path":"P%d.md","action":"append","content":"%s","heading":"Agents"}`, i%pages, line)
			if answer, ok := v.try("edit_page", args); ok {
				note(line)
			} else if !strings.Contains(answer, "CONFLICT") {
				t.Errorf("%s: %s", args, answer)
				return
			}
		}
	})
	both.Go(func() {
		for i := range rounds {
			line := fmt.Sprintf("(database %d)", i)
			query := "UPDATE pages SET content = content || $1 || E'\\n\\n' WHERE path = $2" // in the other section
			switch rand.IntN(3) {
			case 0: // where agents write
				query = "UPDATE pages SET content = replace(content, E'# Database', $1 || E'\\n\\n# Database') WHERE path = $2"
			case 1: // as an editor of blocks does
				query = "UPDATE pages SET blocks = jsonb_insert(blocks, '{content,1000000}', jsonb_build_object('type', 'paragraph', 'content', " +
					"jsonb_build_array(jsonb_build_object('type', 'text', 'text', $1::text)))) WHERE path = $2 AND blocks IS NOT NULL"
			}
			if tag, err := v.conn.Exec(t.Context(), query, line, fmt.Sprintf("P%d.md", i%pages)); err != nil {
				t.Error(err)
				return
			} else if tag.RowsAffected() > 0 {
				note(line)
			}
		}
	})
	both.Wait()
	v.waitInStep()
	v.waitFor("all blocks are those of the content", func() bool {
		return !v.exists("SELECT FROM pages WHERE blocks_base IS NOT NULL OR blocks_of IS DISTINCT FROM sha256(convert_to(content, 'UTF8'))")
	})
	v.waitInStep()
	kept := ""
	for _, content := range v.files() {
		kept += content
	}
	listed, err := v.command("sync conflicts", nil)
	if err != nil {
		t.Fatal(err)
	}
	conflicts := 0
	for line := range strings.Lines(listed) {
		number, _, found := strings.Cut(line, " ")
		if _, err := strconv.Atoi(number); !found || err != nil {
			continue // there are none
		}
		content, err := v.command("sync conflicts", map[string]string{"number": number})
		if err != nil {
			t.Error(err)
		}
		kept += content
		conflicts++
	}
	t.Logf("%d lines, %d conflicts", len(written), conflicts)
	for _, line := range written {
		if !strings.Contains(kept, line) {
			t.Errorf("lost %s", line)
		}
	}
}

// The first synchronisation of a large vault, and of the table with another, empty
// folder. PAGES sets how many; `make soak PART=sync` takes 10,000.
func TestFirstSync(t *testing.T) {
	pages := 150
	if s := os.Getenv("PAGES"); s != "" {
		pages, _ = strconv.Atoi(s)
	}
	files := map[string]string{}
	for i := range pages {
		files[fmt.Sprintf("F%d/Page %d.md", i%97, i)] = fmt.Sprintf("---\ntitle: Page %d\ntags: [a, b]\n---\n\n# Page\n\n%s\n", i, strings.Repeat("Some words of text. ", 40+i%300))
	}
	began := time.Now()
	v := newSynced(t, files)
	count := func() int {
		var n int
		_ = v.conn.QueryRow(t.Context(), "SELECT count(*) FROM pages").Scan(&n)
		return n
	}
	v.waitForLong("all pages are in the table", func() bool { return count() == pages })
	t.Logf("%d pages into the table: %v", pages, time.Since(began).Round(time.Millisecond))
	v.stop()
	began = time.Now()
	w := openSynced(t, syncConfig{dir: t.TempDir(), data: t.TempDir(), url: v.conn.Config().ConnString()})
	w.conn = v.conn
	w.waitForLong("all pages are in the folder", func() bool { return w.countFiles() == pages })
	t.Logf("%d pages into a folder: %v", pages, time.Since(began).Round(time.Millisecond))
	began = time.Now()
	w.exec("UPDATE pages SET content = content || E'edited\\n' WHERE path = 'F0/Page 0.md'")
	w.waitFor("an edit arrives", func() bool { return strings.HasSuffix(w.get("F0/Page 0.md"), "edited\n") })
	t.Logf("an edit of the table is in the folder: %v", time.Since(began).Round(time.Millisecond))
	files["F0/Page 0.md"] += "edited\n"
	w.stop()
	if !maps.Equal(w.files(), files) {
		t.Error("the folders differ")
	}
	if n := len(w.changes()); n < pages {
		t.Errorf("%d changes are recorded", n)
	}
}

// countFiles counts pages while temporary files come and go.
func (v *syncedVault) countFiles() int {
	found, err := filepath.Glob(filepath.Join(v.dir, "*", "Page*.md"))
	if err != nil {
		v.t.Fatal(err)
	}
	return len(found)
}
