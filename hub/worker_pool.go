package hub

// maxSpareWorkers is how many goroutines wait for the next call.
const maxSpareWorkers = 16

// A workerPool runs functions on goroutines that have run others: a new one would
// first grow its stack to the depth of a tool, which costs more than most calls.
type workerPool struct {
	jobs  chan func()
	spare chan struct{}   // one for each goroutine that waits
	life  <-chan struct{} // the goroutines that wait end with it
}

func newWorkerPool(life <-chan struct{}) *workerPool {
	return &workerPool{jobs: make(chan func()), spare: make(chan struct{}, maxSpareWorkers), life: life}
}

// run runs f, which must not panic, on another goroutine at once.
func (p *workerPool) run(f func()) {
	select {
	case p.jobs <- f:
	default:
		go p.work(f)
	}
}

func (p *workerPool) work(f func()) {
	for {
		f()
		select {
		case p.spare <- struct{}{}:
		default:
			return
		}
		select {
		case f = <-p.jobs:
			<-p.spare
		case <-p.life:
			return
		}
	}
}
