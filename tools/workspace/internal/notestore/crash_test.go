package notestore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

const writerEnv = "LECTERN_TEST_NOTES"

// writeUntilKilled saves two notes as one, again and again.
func writeUntilKilled(file string) {
	ctx := context.Background()
	s, err := Open(ctx, Options{Database: file, Now: time.Now})
	if err == nil {
		s.freshNotes = 4 // every second transaction adds words to the index
	}
	for i := 0; err == nil; i++ {
		d := s.Begin(View{})
		for _, id := range []string{"a", "b"} {
			n, _ := d.Note(ctx, "ws", id)
			parent := ""
			if n != nil {
				parent = n.Revision
			}
			_, err = d.Save(ctx, "ws", id, Content{Text: fmt.Sprintf("# n%d\nword%d [[l%d]]", i, i, i)}, parent)
		}
		if err == nil {
			err = d.Commit(ctx)
		}
		if err == nil {
			_, err = fmt.Println(i)
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// A process that is killed while it writes leaves whole transactions.
func TestKilledWhileWriting(t *testing.T) {
	runtest.InOrder(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "notes.db")
	for round := range 5 {
		cmd := exec.Command(exe)
		cmd.Env = append(os.Environ(), writerEnv+"="+file)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for last := ""; last != fmt.Sprint(3+round); { // some transactions, then in the middle of one
			if _, err := fmt.Fscanln(out, &last); err != nil {
				t.Fatal(err)
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
		checkWhole(t, file)
	}
}

func checkWhole(t *testing.T, file string) {
	t.Helper()
	ctx := t.Context()
	s, err := Open(ctx, Options{Database: file, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	d := s.Begin(View{})
	a, errA := d.Note(ctx, "ws", "a")
	b, errB := d.Note(ctx, "ws", "b")
	if errA != nil || errB != nil || a == nil || b == nil || a.Text != b.Text {
		t.Fatalf("%+v and %+v, %v, %v", a, b, errA, errB)
	}
	word := strings.Fields(a.Text)[2]
	if found := search(t, d, word); len(found) != 2 {
		t.Errorf("a search for %s found %v", word, found)
	}
	if links, err := d.Links(ctx, "ws", "", "", 10); err != nil || len(links) != 2 {
		t.Errorf("links %v, %v", links, err)
	}
	var loose int
	const query = "SELECT (SELECT count(*) FROM note_words) + (SELECT count(*) FROM fresh_words) + " +
		"(SELECT count(*) FROM revisions r LEFT JOIN revisions p ON p.id = r.parent WHERE r.parent <> '' AND p.id IS NULL)"
	if err := s.db.Write(ctx, func(c *sqlstore.Conn) error {
		return errors.Join(indexFresh(ctx, c), c.QueryRow(ctx, query).Scan(&loose))
	}); err != nil || loose != 2 {
		t.Errorf("%d entries of words and revisions without their parent, want the 2 of the notes; %v", loose, err)
	}
}
