package tui

import (
	"testing"
	"testing/synctest"
	"time"
)

// What a stream brings after a pause is there at once, with what comes together with it; of a flood
// there are five batches a second, and nothing is lost.
func TestStreamBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ch := make(chan int)
		go func() {
			defer close(ch)
			for i := range 3 {
				ch <- i
			}
			time.Sleep(time.Minute)
			for i := range 1000 {
				ch <- 3 + i
				time.Sleep(time.Millisecond)
			}
		}()
		read := func() (batch []int, took time.Duration, ended bool) {
			began := time.Now()
			switch msg := batchAfter(ch)().(type) {
			case streamBatchMsg[int]:
				return msg.batch, time.Since(began), false
			default:
				return nil, time.Since(began), true
			}
		}
		if got, took, _ := read(); len(got) != 3 || took > batchWindow {
			t.Errorf("what is there: %v after %s", got, took)
		}
		began, seen, batches := time.Now(), 3, 0
		for {
			got, _, ended := read()
			if ended {
				break
			}
			if batches++; batches == 1 && time.Since(began) > time.Minute+suddenWindow {
				t.Errorf("the first after a pause comes after %s", time.Since(began)-time.Minute)
			}
			for _, v := range got {
				if v != seen {
					t.Fatalf("%d comes after %d", v, seen-1)
				}
				seen++
			}
		}
		if seen != 1003 || batches < 5 || batches > 7 {
			t.Errorf("%d came, in %d batches", seen, batches)
		}
	})
}
