package markdown

import (
	"context"
	"errors"

	"github.com/lectern-mcp/lectern/tools/markdown/internal/index"
)

// keep fills the index whenever it is far behind, until ctx ends.
func (p *pageIndex) keep(ctx context.Context) error {
	switch c, err := p.n.look(ctx); { // what is there from before may be old
	case err != nil && ctx.Err() == nil:
		return err
	case err == nil && c.x == nil:
		p.wake()
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-p.behind:
		}
		if err := p.fill(ctx); err != nil && ctx.Err() == nil {
			return errors.New("index pages: " + describeIndexFailure(err)) // the log has all of it
		}
	}
}

// fill reads all that has changed into the index, batch by batch. Calls that
// need it wait for its end meanwhile.
func (p *pageIndex) fill(ctx context.Context) error {
	entries, err := p.n.entries(ctx)
	if err != nil {
		return err
	}
	files := newOutline(entries).pageFiles()
	if len(files) < p.least {
		return nil
	}
	p.fills.Lock()
	defer p.fills.Unlock()
	p.busy.Lock()
	defer p.busy.Unlock()
	changed, gone, err := p.changed(entries, files)
	if err != nil {
		p.fail(err)
		return err
	}
	p.beginFilling()
	complete := false
	defer func() { p.endFilling(complete) }()
	p.last = nil // what was read ahead must not go over what a call has read since
	size := indexBatch
	if len(p.known) == 0 {
		size, err = newIndexBatch, p.begin()
	} else {
		err = p.update(ctx, nil, gone)
	}
	if err != nil {
		p.fail(err)
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	batches := p.readAhead(ctx, changed, size, listedStat(entries))
	defer func() {
		cancel()
		for range batches { // until nothing is read any more
		}
		p.n.report.Progress("index pages", 1, 1) // over, even if it failed
	}()
	done, x := 0, p.x
	for b := range batches {
		if err = p.put(ctx, b, nil); err != nil {
			p.fail(err)
			return err
		}
		done += len(b.pages)
		p.n.report.Progress("index pages", int64(done), int64(len(changed)))
		p.busy.Unlock() // for who gives the index up
		p.busy.Lock()
		if p.x != x {
			return ctx.Err()
		}
	}
	if err = ctx.Err(); err != nil {
		return errors.Join(err, p.closeLocked()) // what is there of a new index is of no use
	}
	if p.x, err = p.x.Complete(ctx); err != nil {
		p.fail(err)
		return err
	}
	p.n.report.Clear(indexBroken)
	complete = true
	return nil
}

func (p *pageIndex) beginFilling() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.filled = make(chan struct{})
}

func (p *pageIndex) endFilling(complete bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if complete {
		close(p.made)
		p.made = make(chan struct{})
	}
	close(p.filled)
	p.filled = nil
}

func (p *pageIndex) isFilling() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.filled != nil
}

// waitFilled waits for the end of the filling under way, if there is one.
func (p *pageIndex) waitFilled(ctx context.Context) error {
	p.mu.Lock()
	filled := p.filled
	p.mu.Unlock()
	if filled == nil {
		return nil
	}
	select {
	case <-filled:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// begin has a new index filled in the place of one that is empty.
func (p *pageIndex) begin() (err error) {
	if err = p.x.Close(); err == nil {
		p.x, err = index.Begin(p.ctx, p.file)
	}
	return err
}
