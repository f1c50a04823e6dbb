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
	readers, err := r.readers()
	if err != nil {
		return err
	}
	for {
		first := firstReader(readers)
		if first == nil {
			return nil
		}
		word := first.word
		if err := begin(word); err != nil {
			return err
		}
		for _, reader := range readers {
			if reader.ended || reader.word != word {
				continue
			}
			if err := reader.readList(add); err != nil {
				return err
			}
		}
	}
}

// readers are at the first word of each run.
func (r *postingRuns) readers() (all []*runReader, err error) {
	from := int64(0)
	for _, end := range r.ends {
		reader := &runReader{in: bufio.NewReaderSize(io.NewSectionReader(r.file, from, end-from), runBuffer)}
		if err := reader.next(); err != nil {
			return nil, err
		}
		all, from = append(all, reader), end
	}
	return all, nil
}

// firstReader is one whose word comes before those of the others; nil: all have ended.
func firstReader(all []*runReader) (first *runReader) {
	for _, r := range all {
		if !r.ended && (first == nil || r.word < first.word) {
			first = r
		}
	}
	return first
}

// A runReader reads a run: a word, its list, the next word.
type runReader struct {
	in    *bufio.Reader
	word  string
	list  []byte
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

// readList calls add with each page of the word, and goes on to the next one.
func (r *runReader) readList(add func(page uint64, places []byte) error) (err error) {
	if r.list, err = r.part(r.list); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	if err = eachPage(r.list, add); err != nil {
		return err
	}
	return r.next()
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
