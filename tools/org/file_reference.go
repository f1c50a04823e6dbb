package org

import "weak"

// A fileReference names a file without keeping it in memory: an answer finds
// thousands of headlines in all files, and describes a page of them.
type fileReference struct {
	name string
	size int
	file weak.Pointer[shownFile]
}

func (f *shownFile) reference() fileReference {
	return fileReference{f.name, len(f.Source), weak.Make(f)}
}

// A found is a headline of a file before it is described: describing costs more
// than finding.
type found struct {
	in fileReference
	i  int
}

// A pageReader reads the files of a page of results again, where memory does not
// have them any more.
type pageReader struct {
	*catalog
	files map[string]*shownFile
}

func (s *catalog) newPageReader() *pageReader { return &pageReader{s, map[string]*shownFile{}} }

// open returns the file of a result; ok is false if it has changed since.
func (r *pageReader) open(ref fileReference) (f *shownFile, ok bool) {
	if f = ref.file.Value(); f == nil {
		f = r.files[ref.name]
	}
	if f == nil {
		var err error
		if f, err = r.file(ref.name); err != nil {
			return nil, false
		}
	}
	r.files[ref.name] = f
	return f, len(f.Source) == ref.size
}
