package markdown

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/frontmatter"
)

// A page that is too large to open is read once from beginning to end, and only the
// lines that are asked for are kept.

// A lineCollector is a writer that keeps some lines of what it is given, and what is to be
// known of the whole.
type lineCollector struct {
	ctx         context.Context //nolint:containedctx // it ends what writes to it
	first, last int             // lines to keep: those before last; 0: all from first on
	lines       int             // line ends so far
	open        bool            // the last line has no end yet
	head, kept  []byte
	sum         hash.Hash
	invalid     bool   // it is not UTF-8
	character   []byte // the beginning of one, if the text ends in it
}

// Bounds of a lineCollector in bytes: of the beginning, which has the front matter, and of the
// lines, whose ends may be of two bytes and become one.
const (
	maxRangeHead = frontmatter.MaxBytes + 16
	maxRangeKept = 2*maxContent + utf8.UTFMax
)

// Write implements [io.Writer].
func (r *lineCollector) Write(data []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	r.sum.Write(data)
	r.head = append(r.head, data[:min(len(data), maxRangeHead-len(r.head))]...)
	r.checkCharacters(data)
	for rest := data; len(rest) > 0; {
		line := rest
		if end := bytes.IndexByte(rest, '\n'); end >= 0 {
			line = rest[:end+1]
		}
		if r.lines >= r.first && (r.last == 0 || r.lines < r.last) {
			r.kept = append(r.kept, line[:min(len(line), maxRangeKept-len(r.kept))]...)
		}
		rest = rest[len(line):]
		if r.open = line[len(line)-1] != '\n'; !r.open {
			r.lines++
		}
	}
	return len(data), nil
}

// checkCharacters checks that the text is UTF-8 up to its last whole character.
func (r *lineCollector) checkCharacters(data []byte) {
	text := slices.Concat(r.character, data)
	end := len(text)
	for i := 1; i < utf8.UTFMax && i <= len(text); i++ {
		if at := len(text) - i; utf8.RuneStart(text[at]) {
			if !utf8.FullRune(text[at:]) {
				end = at
			}
			break
		}
	}
	r.invalid = r.invalid || !utf8.Valid(text[:end])
	r.character = bytes.Clone(text[end:])
}

// readLargePage is ReadPage for lines of a page that is too large to open.
func readLargePage(ctx context.Context, n *Notebook, file string, in ReadPageIn) (ReadPageOut, error) {
	if in.Part != "" {
		return ReadPageOut{}, tools.Errorf(tools.Limited, "The page is too large to look for a part of it, at most %d MB: %s", maxPage>>20, file).
			WithHint("Read lines of it, by offset and limit.")
	}
	r := &lineCollector{ctx: ctx, first: int(in.Offset), sum: sha256.New()}
	if in.Limit > 0 {
		r.last = r.first + int(in.Limit)
	}
	if err := n.view.CopyTo(file, r); err != nil {
		return ReadPageOut{}, n.toolError(file, err)
	}
	lines := r.lines
	if r.open {
		lines++
	}
	p := parsePage(n.graph, file, r.head)
	out := ReadPageOut{Frontmatter: p.fields.Values, pageFacts: pageFacts{
		Path: file, Title: p.title(), PageID: idOf(n.view, p), Lines: lines, Truncated: true,
		Etag: hex.EncodeToString(r.sum.Sum(nil))[:etagLength],
	}}
	out.Note = p.frontNote()
	if r.invalid || len(r.character) > 0 {
		out.Encoding = "unknown"
		out.Note += "The page is not UTF-8: invalid bytes are shown as U+FFFD. "
	}
	text, _ := folder.Text(r.kept)
	var shown []string
	if text != "" {
		shown = strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
		if strings.HasSuffix(text, "\n") {
			shown[len(shown)-1] += "\n"
		}
	}
	from := min(r.first, lines)
	to := out.show(shown, from)
	out.Note += fmt.Sprintf("Lines %d to %d of %d. The page is too large to be changed.", from+1, to, lines)
	return out, nil
}
