package index

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
)

// postingRuns are lists of words that did not fit into memory: one run after the other, in
// a temporary file. In each the words are in order, and the pages of a run come after
// those of the run before.
type postingRuns struct {
	file *os.File
	ends []int64 // where each run ends
}

// createRuns creates the file, which is not there.
func createRuns(name string) (*postingRuns, error) {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	return &postingRuns{file: file}, err
}

// close closes and removes the file.
func (r *postingRuns) close() error { return errors.Join(r.file.Close(), os.Remove(r.file.Name())) }

// write writes a run: of each word its length, itself, the length of its list, and that.
func (r *postingRuns) write(b *postingBuffer) error {
	out := runWriter{Writer: bufio.NewWriterSize(r.file, runBuffer)}
	for _, word := range slices.Sorted(maps.Keys(b.lists)) {
		list := append(b.lists[word].bytes, 0)
		out.number(len(word))
		out.bytes([]byte(word))
		out.number(len(list))
		out.bytes(list)
	}
	if out.err = errors.Join(out.err, out.Flush()); out.err != nil {
		return fmt.Errorf("write words: %w", out.err)
	}
	begin := int64(0)
	if len(r.ends) > 0 {
		begin = r.ends[len(r.ends)-1]
	}
	r.ends = append(r.ends, begin+out.written)
	return nil
}

// runBuffer is how much of a run is read or written at once.
const runBuffer = 32 << 10

type runWriter struct {
	*bufio.Writer

	written int64
	err     error // the first
}

func (w *runWriter) number(n int) { w.bytes(binary.AppendUvarint(nil, uint64(n))) }

func (w *runWriter) bytes(b []byte) {
	n, err := w.Write(b)
	if w.written += int64(n); w.err == nil {
		w.err = err
	}
}

// merge calls begin with every word, in order, and then add with each page that has it, in
// order too.
func (r *postingRuns) merge(begin func(word string) error, add func(page uint64, places []byte) error) error {
	var heads []*runReader
	from := int64(0)
	for _, end := range r.ends {
		head := &runReader{in: bufio.NewReaderSize(io.NewSectionReader(r.file, from, end-from), runBuffer)}
		if err := head.next(); err != nil {
			return err
		}
		heads, from = append(heads, head), end
	}
	var list []byte
	for {
		var first *runReader
		for _, head := range heads {
			if !head.ended && (first == nil || head.word < first.word) {
				first = head
			}
		}
		if first == nil {
			return nil
		}
		word := first.word
		if err := begin(word); err != nil {
			return err
		}
		for _, head := range heads {
			if head.ended || head.word != word {
				continue
			}
			var err error
			if list, err = head.list(list); err == nil {
				err = eachPage(list, add)
			}
			if err == nil {
				err = head.next()
			}
			if err != nil {
				return err
			}
		}
	}
}

// A runReader reads a run: a word, its list, the next word.
type runReader struct {
	in    *bufio.Reader
	word  string
	ended bool
}

func (r *runReader) next() error {
	word, err := r.part(nil)
	if errors.Is(err, io.EOF) {
		r.ended = true
		return nil
	}
	r.word = string(word)
	return err
}

// list reads the list of the word, into the memory of another one.
func (r *runReader) list(other []byte) ([]byte, error) {
	list, err := r.part(other)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return list, err
}

func (r *runReader) part(memory []byte) ([]byte, error) {
	size, err := binary.ReadUvarint(r.in)
	if err != nil {
		return memory, err
	}
	memory = slices.Grow(memory[:0], int(size))[:size]
	if _, err = io.ReadFull(r.in, memory); errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return memory, err
}
