package hub

import (
	"context"
	"runtime"
)

// A crew runs functions beside its owner, on goroutines that wait for more
// when they are done: a fresh one grows its stack anew for each call, which
// takes as long as a small call itself.
type crew struct {
	life context.Context // who waits ends with it
	next chan func()
	wait chan struct{} // holds one for each that waits
}

// crewWaits is how many goroutines a crew keeps.
const crewWaits = 2

func newCrew(life context.Context) *crew {
	return &crew{life: life, next: make(chan func()), wait: make(chan struct{}, crewWaits)}
}

// run begins f and does not wait for it, but lets it go first: who reads must
// not run ahead of the calls it begins, and a small one is then answered before
// the next is looked for.
func (c *crew) run(f func()) {
	select {
	case c.next <- f:
	default:
		go c.work(f)
	}
	runtime.Gosched()
}

func (c *crew) work(f func()) {
	for {
		f()
		select {
		case c.wait <- struct{}{}:
		default:
			return
		}
		select {
		case f = <-c.next:
			<-c.wait
		case <-c.life.Done():
			return
		}
	}
}
