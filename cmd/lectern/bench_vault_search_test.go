package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// A vaultEditor edits a page of its own as another program does.
type vaultEditor struct {
	server *benchServer
	file   string
	edits  int
}

// edit writes the page and waits until a search finds what it has written, so that
// what the search after it takes is the search and not the comparison of the files.
func (e *vaultEditor) edit(b *testing.B) {
	b.Helper()
	e.edits++
	word := fmt.Sprintf("scratch%dedit", e.edits)
	e.server.writeUntilFound(b, e.file, "# Scratch\n\n"+word+"\n", word)
}

// writeUntilFound writes a page as another program does, and searches for a word of it
// until the page is found.
func (s *benchServer) writeUntilFound(b *testing.B, file, text, word string) {
	b.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	page := []byte(strings.TrimSuffix(filepath.Base(file), ".md"))
	for began := time.Now(); !bytes.Contains(s.call(b, "search_pages", `{"query":"`+word+`"}`), page); {
		if time.Since(began) > time.Minute {
			b.Fatal("the edit is never found")
		}
	}
}

// benchSearch measures a search, each time after an edit.
func (e *vaultEditor) benchSearch(b *testing.B, name, query string) {
	b.Helper()
	b.Run(name, func(b *testing.B) {
		measureMedian(b, func() { e.edit(b) }, func() { e.server.call(b, "search_pages", `{"query":"`+query+`"}`) })
	})
}

// sharedQuery is the query of one of 80 searches: five are asked for by all clients.
func sharedQuery(_, search int) string {
	return []string{commonWord, "w1 w2", rareWord, `\"` + wordPhrase + `\"`, "perihelion " + commonWord}[search%5]
}

// ownQuery is the query of one of 80 searches, no two of which are equal: in each ten
// are two common words, a phrase, a rare word with another, and words of all kinds.
func ownQuery(client, search int) string {
	n := client*10 + search
	switch search % 5 {
	case 0:
		return fmt.Sprintf("%s w%d", commonWord, n)
	case 1:
		return fmt.Sprintf("w%d w%d", n, n+1)
	case 2:
		return fmt.Sprintf("%s w%d", rareWord, n)
	case 3:
		return fmt.Sprintf(`\"%s\" w%d`, wordPhrase, n)
	}
	return fmt.Sprintf("perihelion %s w%d", commonWord, n)
}

// benchParallelSearches measures how long 80 searches of 8 clients take that begin
// together, each time after an edit.
func (e *vaultEditor) benchParallelSearches(b *testing.B, exe, home string, query func(client, search int) string) {
	clients := make([]*benchServer, 8)
	for i := range clients {
		clients[i] = &benchServer{peer: startServe(b, exe, home)}
		defer clients[i].disconnect(b)
	}
	measureMedian(b, func() { e.edit(b) }, func() {
		var all sync.WaitGroup
		for i, c := range clients {
			all.Go(func() {
				if err := c.searchTogether(func(search int) string { return query(i, search) }); err != nil {
					b.Error(err)
				}
			})
		}
		all.Wait()
	})
}

// searchTogether sends ten searches at once and waits for all answers.
func (s *benchServer) searchTogether(query func(search int) string) error {
	waiting := map[int]bool{}
	for i := range 10 {
		id, err := s.send("search_pages", `{"query":"`+query(i)+`"}`)
		if err != nil {
			return err
		}
		waiting[id] = true
	}
	for len(waiting) > 0 {
		line, err := s.out.ReadBytes('\n')
		if err != nil || bytes.Contains(line, []byte(`"isError":true`)) {
			return fmt.Errorf("%w %.300s", err, line)
		}
		maps.DeleteFunc(waiting, func(id int, _ bool) bool { return answers(line, id) })
	}
	return nil
}
