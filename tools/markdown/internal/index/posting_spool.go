package index

import (
	"maps"
	"slices"
)

// A postingSpool gathers words with their pages in memory, and puts them into a temporary
// file when they are too many.
type postingSpool struct {
	name    string // of the file
	maxSize int    // bytes in memory
	buffer  *postingBuffer
	runs    *postingRuns // nil: everything is in memory
}

func newPostingSpool(name string, maxSize int) *postingSpool {
	return &postingSpool{name: name, maxSize: maxSize, buffer: newPostingBuffer()}
}

// spill writes what is in memory, if it is too much.
func (s *postingSpool) spill() error {
	if s.buffer.size < s.maxSize {
		return nil
	}
	return s.writeRun()
}

func (s *postingSpool) writeRun() (err error) {
	if s.runs == nil {
		if s.runs, err = createRuns(s.name); err != nil {
			s.runs = nil
			return err
		}
	}
	err = s.runs.write(s.buffer)
	s.buffer = newPostingBuffer()
	return err
}

// merge calls begin with every word, in order, and then add with each page that has it, in
// order too. Nothing is added afterwards.
func (s *postingSpool) merge(begin func(word string) error, add func(page uint64, places []byte) error) error {
	if s.runs != nil {
		if err := s.writeRun(); err != nil {
			return err
		}
		return s.runs.merge(begin, add)
	}
	for _, word := range slices.Sorted(maps.Keys(s.buffer.lists)) {
		if err := begin(word); err != nil {
			return err
		}
		if err := eachPage(append(s.buffer.lists[word].bytes, 0), add); err != nil {
			return err
		}
	}
	return nil
}

// close removes the file.
func (s *postingSpool) close() error {
	if s.runs == nil {
		return nil
	}
	return s.runs.close()
}
