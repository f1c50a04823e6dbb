package logseq_test

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/tools"
)

type progressLog []float64

// Progress implements tools.Notifier.
func (p *progressLog) Progress(done, _ float64, _ string) { *p = append(*p, done) }

// Log implements tools.Notifier.
func (*progressLog) Log(slog.Level, string) {}

// longOutline has 250 blocks on the top level, 130 below one of them and 30
// below one of those.
func longOutline() string {
	var text strings.Builder
	for i := range 250 {
		fmt.Fprintf(&text, "- top %d\n", i)
		for j := 0; i == 40 && j < 130; j++ {
			fmt.Fprintf(&text, "  - child %d\n", j)
			for k := 0; j == 99 && k < 30; k++ {
				fmt.Fprintf(&text, "    - grandchild %d\n", k)
			}
		}
	}
	return text.String()
}

// A large tree goes to Logseq in parts of at most 100 blocks, in order, and the
// agent is told how far it is.
func TestLargeTreesGoInParts(t *testing.T) {
	f := fixtureGraph("db")
	d := openTestSource(t, f)
	var told progressLog
	args := fmt.Appendf(nil, `{"page_name":"Garden","sibling_block_uuid":%q,"position":"before","markdown":%q}`, id(2), longOutline())
	r, err := d.open.Call(t.Context(), tools.CallContext{Notify: &told}, "insert_blocks", args)
	if err != nil || !strings.Contains(string(r.JSON), `"verified":true`) || !strings.Contains(string(r.JSON), `"inserted":410`) {
		t.Fatalf("answered %.300s, %v", r.JSON, err)
	}
	var got strings.Builder
	for _, b := range f.pages[0].blocks {
		write(&got, b, "")
	}
	if diff := cmp.Diff(longOutline()+"- Beds\n  - Plant tomatoes beside [[Kitchen]]\n  - Weed\n- Buy string\n", got.String()); diff != "" {
		t.Errorf("the page (-want +got):\n%s", diff)
	}
	sent := 0
	for _, call := range f.calls {
		if call == "blocks.insert" {
			sent++
		}
	}
	if sent < 5 || !slices.IsSorted(told) || told[len(told)-1] != 410 || len(told) != sent {
		t.Errorf("%d requests, told %v", sent, told)
	}
}

func write(text *strings.Builder, b *fakeBlock, indent string) {
	text.WriteString(indent + "- " + b.Content + "\n")
	for _, c := range b.Children {
		write(text, c, indent+"  ")
	}
}

// What Logseq refuses in the middle says how far it came.
func TestLargeTreeStopsInTheMiddle(t *testing.T) {
	f := fixtureGraph("db")
	d := openTestSource(t, f)
	n := 0
	f.fault = func(method string) fault {
		if method == "blocks.insert" {
			if n++; n == 3 {
				return refuse
			}
		}
		return fine
	}
	_, err := d.call("insert_blocks", fmt.Sprintf(`{"page_name":"Kitchen","markdown":%q}`, longOutline()))
	if err == nil {
		t.Fatal("the third part was refused, and the call succeeded")
	}
	if err.Hint != "Read the page, and add what is missing." || !strings.Contains(fmt.Sprint(err.Data), "of 410 blocks written") || !strings.Contains(fmt.Sprint(err.Data), "partly") {
		t.Errorf("answered %v, hint %q, data %v", err, err.Hint, err.Data)
	}
}
