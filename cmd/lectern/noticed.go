package main

import (
	"context"
	"slices"
	"sync"

	"github.com/lectern-mcp/lectern/status"
)

// noticed is a Client with one more Problem, from when it is known.
type noticed struct {
	status.Client

	known <-chan status.Problem // at most one

	mu      sync.Mutex
	problem *status.Problem
}

// Watch implements status.Client.
func (n *noticed) Watch(ctx context.Context) (<-chan status.Snapshot, error) {
	shots, err := n.Client.Watch(ctx)
	if err != nil {
		return nil, err
	}
	out := make(chan status.Snapshot)
	go func() {
		defer close(out)
		var last status.Snapshot
		var offer chan<- status.Snapshot // nil: the reader has the newest
		for {
			select {
			case s, open := <-shots:
				if !open {
					return
				}
				last, offer = s, out
			case p := <-n.known:
				n.set(p)
				if last.Seq > 0 {
					offer = out
				}
			case offer <- n.with(last):
				offer = nil
			case <-ctx.Done():
				return
			}
		}
	}()
	return out, nil
}

func (n *noticed) set(p status.Problem) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.problem = &p
}

// with puts the notice last: it is the least grave of all.
func (n *noticed) with(s status.Snapshot) status.Snapshot {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.problem != nil {
		s.Problems = append(slices.Clip(s.Problems), *n.problem)
	}
	return s
}
