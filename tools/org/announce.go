package org

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"sync"
)

// A subscriptionLog remembers what subscribers and readers of resources have seen of
// them: for each URI the version of its bytes. So nothing is kept of resources that
// nobody asks for.
type subscriptionLog struct {
	mu       sync.Mutex // held while changes are announced
	versions map[string]resourceVersion
}

// A resourceVersion is what a URI stood for: its file, and the etag of its bytes. Both
// are empty if nothing has the URI.
type resourceVersion struct{ file, etag string }

// maxVersions bounds how many URIs are remembered.
const maxVersions = 20_000

func newSubscriptionLog() *subscriptionLog {
	return &subscriptionLog{versions: map[string]resourceVersion{}}
}

// note remembers what was read. What is forgotten is looked at again before it changes.
func (l *subscriptionLog) note(uri string, v resourceVersion) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.versions) >= maxVersions {
		clear(l.versions)
	}
	l.versions[uri] = v
}

// version is what a URI stands for now.
func (s *reader) version(ctx context.Context, uri string) resourceVersion {
	if uri == filesURI {
		names, _ := s.fileNames(ctx) // without them, there is nothing
		return resourceVersion{etag: strings.Join(names, "\n")}
	}
	t, err := s.parseTarget(ctx, uri)
	if err != nil {
		return resourceVersion{}
	}
	f, i, err := s.findTarget(ctx, t)
	if err != nil {
		return resourceVersion{}
	}
	return versionOf(f, i, t.outline)
}

func versionOf(f *shownFile, i int, outline bool) resourceVersion {
	v := resourceVersion{f.name, f.etag(i)}
	if !outline {
		return v
	}
	span, sum := f.Subtree(i), sha256.New()
	for _, h := range f.Headlines {
		if h.Begin >= span.Start && h.Begin < span.End {
			sum.Write(f.Source[h.Begin:h.LineEnd])
			sum.Write([]byte("\n"))
		}
	}
	v.etag = hex.EncodeToString(sum.Sum(nil)[:8])
	return v
}

// observe looks at what subscribers have not been told of yet, before it is changed.
func (s *reader) observe(ctx context.Context) {
	s.subscriptions.mu.Lock()
	defer s.subscriptions.mu.Unlock()
	for _, uri := range s.subscribed() {
		if _, known := s.subscriptions.versions[uri]; !known {
			s.subscriptions.versions[uri] = s.version(ctx, uri)
		}
	}
}

// announce tells subscribers which resources have other bytes, now that these files
// have changed, come or gone.
func (s *reader) announce(ctx context.Context, files ...string) {
	uris := s.subscribed()
	if len(uris) == 0 || len(files) == 0 {
		return
	}
	slices.Sort(uris)
	s.subscriptions.mu.Lock()
	defer s.subscriptions.mu.Unlock()
	for _, uri := range uris {
		old, known := s.subscriptions.versions[uri]
		if known && old.file != "" && !slices.Contains(files, old.file) {
			continue
		}
		now := s.version(ctx, uri)
		s.subscriptions.versions[uri] = now
		if known && now.etag != old.etag {
			s.changed(uri)
		}
	}
}
