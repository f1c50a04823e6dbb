//go:build linux

package daemon

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// Whatever is removed while eight clients come and go, two hubs never serve at once.
func TestTwoHubsNeverServe(t *testing.T) {
	w := newHubTest(t)
	w.Exclusive = filepath.Join(w.Dir, "sole")
	c, p := w.config(), w.paths()
	var clients, watch sync.WaitGroup
	stop := make(chan struct{})
	watch.Go(func() {
		for {
			if hubs := OtherHubs([]string{w.Exclusive}); len(hubs) > 1 {
				t.Errorf("two hubs: %v", hubs)
				return
			}
			select {
			case <-stop:
				return
			default:
			}
		}
	})
	for round := range 8 {
		for range 8 {
			clients.Go(func() {
				conn, _, err := Connect(t.Context(), c)
				if err != nil {
					t.Errorf("round %d: %v", round, err)
					return
				}
				_ = conn.Close()
			})
		}
		remove := []func() error{
			func() error { return removeRuntime(p) },
			func() error { return os.Remove(p.Discovery()) },
			func() error { return os.Remove(p.hubLock()) },
			func() error { return errors.Join(os.Remove(usualPaths(p)[0]), os.Remove(usualPaths(p)[1])) },
		}[round%4]
		if err := remove(); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Error(err)
		}
		clients.Wait()
	}
	close(stop)
	watch.Wait()
}
