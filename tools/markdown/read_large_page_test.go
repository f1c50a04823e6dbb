package markdown

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools"
)

// TestLargePageIsReadByRange: lines of a page that is too large to open are those that a
// page of the same text would have.
func TestLargePageIsReadByRange(t *testing.T) {
	runtest.InOrder(t)
	dir := t.TempDir()
	n, _ := openPair(t, dir, nil)
	var text strings.Builder
	text.WriteString("---\ntitle: Grown\n---\n")
	for i := 0; text.Len() <= maxPage; i++ {
		fmt.Fprintf(&text, "line %d of a page that é has grown%s\n", i, strings.Repeat(" and grown", 20))
	}
	text.WriteString("the end")
	if err := os.WriteFile(filepath.Join(dir, "big.md"), []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(text.String(), "\n")
	for _, in := range []ReadPageIn{
		{Limit: 2}, {Offset: 3, Limit: 1}, {Offset: 50_000, Limit: 3}, {Offset: tools.Offset(len(lines) - 2)}, {Offset: tools.Offset(len(lines) + 5)}, {},
	} {
		in.Path = "big"
		out, err := n.ReadPage(t.Context(), in)
		if err != nil {
			t.Fatalf("%+v: %v", in, err)
		}
		from := min(int(in.Offset), len(lines))
		to := len(lines)
		if in.Limit > 0 {
			to = min(from+int(in.Limit), to)
		}
		want := strings.Join(lines[from:to], "")
		if len(want) > maxContent {
			want = want[:strings.LastIndex(want[:maxContent], "\n")+1]
		}
		if out.Content != want || out.Lines != len(lines) || !out.Truncated || out.Title != "Grown" || out.Encoding != "" ||
			out.Etag != fmt.Sprintf("%x", sha256.Sum256([]byte(text.String())))[:etagLength] {
			t.Errorf("%+v: %d bytes, want %d; %+v", in, len(out.Content), len(want), out.pageFacts)
		}
	}
	_, err := n.ReadPage(t.Context(), ReadPageIn{Path: "big", Part: "outline"})
	if e := tools.AsError(err); e == nil || e.Code != tools.Limited {
		t.Errorf("a part of it: %v", err)
	}
}

// TestLineCollectorEqualsPage: whatever pieces the text comes in, its lines are those that are
// read of a page, and it is UTF-8 or not.
func TestLineCollectorEqualsPage(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	pieces := []string{"a", "é", "京", "\n", "\r\n", "\n\n", "\xff", "𝄞", "plain text", "\ufeff"}
	for range 3_000 {
		var text []byte
		for range r.IntN(12) {
			text = append(text, pieces[r.IntN(len(pieces))]...)
		}
		in := ReadPageIn{Offset: tools.Offset(r.IntN(4)), Limit: Lines(r.IntN(4))}
		got := &lineCollector{ctx: t.Context(), first: int(in.Offset), sum: sha256.New()}
		if in.Limit > 0 {
			got.last = got.first + int(in.Limit)
		}
		for rest := text; len(rest) > 0; {
			size := 1 + r.IntN(len(rest))
			if _, err := got.Write(rest[:size]); err != nil {
				t.Fatal(err)
			}
			rest = rest[size:]
		}
		p := parsePage(nil, "a.md", text)
		lines := bytes.SplitAfter(text, []byte("\n"))
		if len(lines[len(lines)-1]) == 0 {
			lines = lines[:len(lines)-1]
		}
		from := min(int(in.Offset), len(lines))
		to := len(lines)
		if in.Limit > 0 {
			to = min(to, from+int(in.Limit))
		}
		if d := cmp.Diff(bytes.Join(lines[from:to], nil), append([]byte{}, got.kept...)); d != "" {
			t.Fatalf("%q %+v: %s", text, in, d)
		}
		if valid := !got.invalid && len(got.character) == 0; valid != p.utf8 {
			t.Fatalf("%q: valid %v, want %v", text, valid, p.utf8)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (&lineCollector{ctx: ended, sum: sha256.New()}).Write([]byte("text")); err == nil {
		t.Error("a read goes on after its call has ended")
	}
}
