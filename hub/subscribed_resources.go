package hub

import (
	"context"
	"crypto/sha256"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/tools"
)

const (
	// resourceLookInterval is how often resources that clients are subscribed to are read.
	resourceLookInterval = time.Second
	// resourceLookRest is how long nothing is read afterwards, as a multiple of what reading
	// took: many or long resources are looked at less often.
	resourceLookRest = 4
	// resourceLookTimeout is for one resource.
	resourceLookTimeout = 5 * time.Second
	// firstLookTimeout is how long the answer to a subscription may wait for a source that is
	// being opened.
	firstLookTimeout = 2 * time.Second
)

// A resourceWatch tells subscribers what other programs change in resources that are
// [tools.Resource].Polled, by reading them: so it needs no index and no watcher, and
// nothing is read that nobody is subscribed to.
type resourceWatch struct {
	hub  *Hub
	wake chan struct{} // cap 1: a source says that something has changed

	mu       sync.Mutex
	versions map[polledResource]resourceVersion
}

type polledResource struct{ source, uri string }

// A resourceVersion is what a resource was when it was read. Zero: it could not be.
type resourceVersion [sha256.Size]byte

func newResourceWatch(h *Hub) *resourceWatch {
	return &resourceWatch{hub: h, wake: make(chan struct{}, 1), versions: map[polledResource]resourceVersion{}}
}

// begin is called for a new subscription before it is answered: what changes from then on
// is told.
func (w *resourceWatch) begin(uri string) {
	ctx, cancel := context.WithTimeout(w.hub.life, firstLookTimeout)
	defer cancel()
	for _, s := range w.polledSources(uri) {
		resource := polledResource{s.conf.Name, uri}
		if _, known := w.version(resource); known {
			continue // for another subscriber
		}
		v := readVersion(ctx, s, uri)
		w.mu.Lock()
		if _, known := w.versions[resource]; !known {
			w.versions[resource] = v
		}
		w.mu.Unlock()
	}
}

// lookSoon has what clients are subscribed to looked at without waiting for the next time.
func (w *resourceWatch) lookSoon() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// run looks until ctx ends.
func (w *resourceWatch) run(ctx context.Context) {
	tick := time.NewTicker(resourceLookInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-w.wake:
		case <-ctx.Done():
			return
		}
		began := time.Now()
		w.look(ctx)
		if !sleepContext(ctx, resourceLookRest*time.Since(began)) {
			return
		}
	}
}

// look tells subscribers what has changed since the last look.
func (w *resourceWatch) look(ctx context.Context) {
	subscribed := map[polledResource]bool{}
	for _, uri := range w.hub.mcp.SubscribedURIs() {
		for _, s := range w.polledSources(uri) {
			resource := polledResource{s.conf.Name, uri}
			subscribed[resource] = true
			v := readVersion(ctx, s, uri)
			former, known := w.version(resource)
			if known && v == (resourceVersion{}) {
				continue // it is looked at again
			}
			w.mu.Lock()
			w.versions[resource] = v
			w.mu.Unlock()
			if known && v != former {
				s.tellSubscribers(uri)
			}
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	maps.DeleteFunc(w.versions, func(r polledResource, _ resourceVersion) bool { return !subscribed[r] })
}

func (w *resourceWatch) version(r polledResource) (v resourceVersion, known bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	v, known = w.versions[r]
	return v, known
}

// polledSources are the sources that may have the resource and do not notice who changes it.
func (w *resourceWatch) polledSources(uri string) []*source {
	return slices.DeleteFunc(w.hub.sources.sourcesInScope(""), func(s *source) bool { return !s.polls(uri) })
}

// polls reports whether the source leaves it to the hub to notice changes of a resource.
func (s *source) polls(uri string) bool {
	return s.kind != nil && slices.ContainsFunc(s.kind.Manifest().Resources, func(r tools.ResourceInfo) bool {
		return r.Polled && r.ForSource(s.conf.Name).Matches(uri)
	})
}

// readVersion reads a resource as agents see it.
func readVersion(ctx context.Context, s *source, uri string) resourceVersion {
	ctx, cancel := context.WithTimeout(ctx, resourceLookTimeout)
	defer cancel()
	c, err := runWithDeadline(ctx, nil, func() (tools.Content, error) {
		return withSourceRef(ctx, s, func(ctx context.Context, open *sourceRef) (tools.Content, error) { return open.Read(ctx, uri) })
	})
	if err != nil {
		switch code := tools.AsError(err).Code; code {
		case tools.Unavailable, tools.Limited, tools.Timeout, tools.Internal:
			return resourceVersion{}
		default: // it does not exist
			return sha256.Sum256([]byte(code))
		}
	}
	return sha256.Sum256(slices.Concat([]byte(c.MIME), []byte{0}, []byte(c.Text), c.Data))
}
