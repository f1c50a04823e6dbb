package org

import (
	"math"
	"slices"
	"strings"
)

// announce tells subscribers which resources of a file have other bytes: the file,
// its outline, headlines by path and by ID. old is nil for a new file, now for one
// that is gone.
func (s *catalog) announce(old, now *shownFile) {
	from, oldEnd, nowEnd := changedRange(old, now)
	before, after := s.versions(old, from, oldEnd), s.versions(now, from, nowEnd)
	var uris []string
	for uri, etag := range after {
		_, known := before[uri]
		if before[uri] != etag && (known || !strings.HasPrefix(uri, "org://id/")) { // nobody can know a new ID
			uris = append(uris, uri)
		}
	}
	for uri := range before {
		if _, ok := after[uri]; !ok {
			uris = append(uris, uri)
		}
	}
	slices.Sort(uris)
	for _, uri := range uris {
		s.changed(uri)
	}
	if (old == nil) != (now == nil) {
		s.changed("org://config/files")
	}
}

// changedRange returns where two versions of a file differ: from the same byte to
// one end in each.
func changedRange(old, now *shownFile) (from, oldEnd, nowEnd int) {
	if old == nil || now == nil {
		return 0, math.MaxInt32, math.MaxInt32
	}
	a, b := old.Source, now.Source
	for from < min(len(a), len(b)) && a[from] == b[from] {
		from++
	}
	oldEnd, nowEnd = len(a), len(b)
	for oldEnd > from && nowEnd > from && a[oldEnd-1] == b[nowEnd-1] {
		oldEnd, nowEnd = oldEnd-1, nowEnd-1
	}
	return from, oldEnd, nowEnd
}

// versions are the etags of the resources of a file by URI: of the file, and of
// headlines with a byte from from to end.
func (s *catalog) versions(f *shownFile, from, end int) map[string]string {
	all := map[string]string{}
	if f == nil {
		return all
	}
	file := "org://" + escapePath(f.name)
	all[file] = f.etag(-1)
	var outline strings.Builder
	for i := range f.Headlines {
		h := &f.Headlines[i]
		outline.Write(f.Source[h.Begin:h.LineEnd])
		outline.WriteByte('\n')
		if int(h.End) < from || int(h.Begin) > end {
			continue
		}
		etag := f.etag(i)
		all[s.uri(f, i)] = etag
		if id, ok := f.Property(i, "ID"); ok {
			all["org://id/"+escapeSegment(id)] = etag
		}
	}
	all[file+"/outline"] = outline.String()
	return all
}
