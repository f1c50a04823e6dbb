package emacs

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"unicode/utf8"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

// maxInline bounds the text, as it is quoted, that goes through the socket; a
// longer one goes through a file. Emacs takes 4 KB at a time, and a request that
// comes at once either has begun or will never begin.
const maxInline = 1000

var byteOrderMark = []byte("\xef\xbb\xbf")

// Read returns the text of the buffer with unsaved changes that visits the file at
// path: the bytes that saving would write. Without such a buffer the error is
// ErrNoUnsavedChanges.
func (c *Client) Read(ctx context.Context, path string) ([]byte, error) {
	var text []byte
	err := withTemp(nil, func(name string) error {
		v, err := c.eval(ctx, fmt.Sprintf(codingProgram, quoteLisp(path), maxBuffer, fmt.Sprintf(readProgram, quoteLisp(name))))
		if err != nil {
			return err
		}
		fields, err := result(v, "ok", 1)
		if err != nil {
			return err
		}
		if text, err = os.ReadFile(name); err != nil {
			return err
		}
		if fields[0].Text != hash(text) {
			return fmt.Errorf("%w: it does not write where Lectern reads (%s)", ErrRefused, name)
		}
		return nil
	})
	return text, err
}

// Swap replaces the text of the buffer with unsaved changes that visits the file
// at path, if it is before, by after; the buffer stays unsaved. Only the part that
// differs is touched, as one step of undo, and point, markers and narrowing stay
// where they are. A buffer that holds another text is left as it is: ErrConflict.
// After ErrOutcomeUnknown the buffer holds before or after.
func (c *Client) Swap(ctx context.Context, path string, before, after []byte) error {
	if !utf8.Valid(before) || !utf8.Valid(after) {
		return fmt.Errorf("%w: the text is not UTF-8; save the buffer first", ErrRefused)
	}
	from, to, text := difference(bufferText(before), bufferText(after))
	send := func(form string) error {
		program := fmt.Sprintf(swapProgram, from, to, quoteLisp(hash(before)), form, quoteLisp(hash(after)))
		v, err := c.eval(ctx, fmt.Sprintf(codingProgram, quoteLisp(path), maxBuffer, program))
		if err == nil {
			_, err = result(v, "ok", 0)
		}
		return err
	}
	if len(text) <= maxInline {
		if quoted := quoteLisp(string(text)); len(quoted) <= maxInline {
			return send(quoted)
		}
	}
	return withTemp(text, func(name string) error { return send(fmt.Sprintf(fileText, quoteLisp(name))) })
}

// bufferText is what a buffer shows of a file: no byte order mark, and LF where
// every line ends in CR LF.
func bufferText(text []byte) []byte {
	text = bytes.TrimPrefix(text, byteOrderMark)
	if orgfile.UsesCRLF(text) {
		return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	}
	return text
}

// difference returns which characters of before to replace by which text to get
// after.
func difference(before, after []byte) (from, to int, text []byte) {
	n := min(len(before), len(after))
	start := 0
	for start < n && before[start] == after[start] {
		start++
	}
	for start > 0 && (start < len(before) && !utf8.RuneStart(before[start]) || start < len(after) && !utf8.RuneStart(after[start])) {
		start--
	}
	end := 0
	for end < n-start && before[len(before)-1-end] == after[len(after)-1-end] {
		end++
	}
	for end > 0 && (!utf8.RuneStart(before[len(before)-end]) || !utf8.RuneStart(after[len(after)-end])) {
		end--
	}
	from = utf8.RuneCount(before[:start])
	return from, from + utf8.RuneCount(before[start:len(before)-end]), after[start : len(after)-end]
}

func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
