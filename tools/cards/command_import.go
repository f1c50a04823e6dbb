package cards

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardname"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
)

// maxImportLine is the longest line of a file of cards, in bytes.
const maxImportLine = 64 << 20

// An importedCard is a line of a file: what `export` writes, and what is easily
// written by hand.
type importedCard struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Content string `json:"content"`
	Trash   bool   `json:"trash"`
}

// importCards writes cards through the API, so that each batch is recorded and can be
// undone. Types come first, then rules about who may read, then names before those that
// they are part of.
func (l *local) importCards(ctx context.Context, call tools.CommandCall, out io.Writer) error {
	cards, err := l.readImport(ctx, call, out)
	if err != nil {
		return err
	}
	written, refused, err := l.writeCards(ctx, call.Context, cards)
	for _, why := range refused {
		if _, err := fmt.Fprintln(out, why); err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(out, "wrote %d of %d cards\n", written, len(cards)); err != nil {
		return err
	}
	if len(refused) > 0 {
		return tools.Errorf(tools.Invalid, "%d cards were not written", len(refused)).
			WithHint("Fix what the lines above say, then import the file again.")
	}
	return nil
}

// readImport reads what is to be imported: a file, or another wiki.
func (l *local) readImport(ctx context.Context, call tools.CommandCall, out io.Writer) ([]importedCard, error) {
	file, from := call.Args["file"], call.Args["from"]
	switch {
	case (file == "") == (from == ""):
		return nil, tools.Errorf(tools.Invalid, "import needs a file or the address of a wiki").
			WithHint("lectern cards import FILE, or lectern cards import --from URL --key env:NAME")
	case from != "":
		return l.readWiki(ctx, call, out)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, tools.Errorf(tools.Invalid, "the file cannot be read: %w", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	return readCards(f)
}

func readCards(r io.Reader) (cards []importedCard, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxImportLine)
	for n := 1; lines.Scan(); n++ {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		var c importedCard
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil || c.Name == "" {
			return nil, tools.Errorf(tools.Invalid, "line %d is not a card", n).
				WithHint(`Write {"name": "Home", "type": "RichText", "content": "…"} on one line.`)
		}
		if !c.Trash {
			cards = append(cards, c)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, tools.Errorf(tools.Invalid, "the file cannot be read to its end: %w", err)
	}
	sortCards(cards)
	return cards, nil
}

func sortCards(cards []importedCard) {
	rank := func(c importedCard) int {
		name := cardname.Parse(c.Name)
		switch {
		case c.Type == "Cardtype":
			return 0
		case name.Right().Key() == "*read":
			return 1
		}
		return 1 + len(name.Parts())
	}
	slices.SortStableFunc(cards, func(a, b importedCard) int { return rank(a) - rank(b) })
}

// writeCards writes cards in batches, and says why some were refused.
func (l *local) writeCards(ctx context.Context, c tools.CallContext, cards []importedCard) (written int, refused []string, err error) {
	const perBatch = 100
	for batch := range slices.Chunk(cards, perBatch) {
		ops := make([]map[string]any, 0, perBatch)
		for _, one := range batch {
			op := map[string]any{"action": "create", "name": one.Name, "content": one.Content, "fetch_or_initialize": true}
			if one.Type != "" {
				op["type"] = one.Type
			}
			ops = append(ops, op)
		}
		answer, err := l.Do(ctx, c, apiRequest{Method: http.MethodPost, Path: "/cards/batch", Body: map[string]any{"ops": ops, "any_name": true}})
		if err != nil {
			return written, refused, err
		}
		var results struct {
			Results []struct{ Status, Name, Message string }
		}
		if err := json.Unmarshal(answer.Body, &results); err != nil || len(results.Results) != len(batch) {
			return written, refused, tools.Errorf(tools.Invalid, "a batch was refused: %.300s", answer.Body)
		}
		for _, r := range results.Results {
			if r.Status == "ok" {
				written++
			} else {
				refused = append(refused, fmt.Sprintf("%s: %s", r.Name, r.Message))
			}
		}
		c.Progress(float64(written+len(refused)), float64(len(cards)), "")
	}
	return written, refused, nil
}

// exportCards writes every card to a file that is not there yet.
func (l *local) exportCards(ctx context.Context, call tools.CommandCall, out io.Writer) (err error) {
	f, err := os.OpenFile(call.Args["file"], os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return tools.Errorf(tools.Invalid, "the file cannot be made: %w", err).WithHint("Name a file that is not there yet.")
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	lines := json.NewEncoder(f)
	lines.SetEscapeHTML(false)
	n := 0
	owner := cardstore.Caller{Account: cardstore.ServiceAccount(cardstore.Admin), Role: cardstore.Admin}
	if err := l.store.Export(ctx, owner, func(c cardstore.ExportedCard) error { n++; return lines.Encode(c) }); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "wrote %d cards\n", n)
	return err
}

func (l *local) backup(ctx context.Context, call tools.CommandCall, out io.Writer) error {
	answer, err := l.Do(ctx, call.Context, apiRequest{Method: http.MethodGet, Path: "/admin/database/backup"})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s in %s\nSHA-256 %s\n", answer.Header.Get("X-Backup-Filename"), l.folder, answer.Header.Get("X-Backup-SHA256"))
	return err
}
