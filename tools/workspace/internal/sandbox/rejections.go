package sandbox

// A rejection is a promise that was rejected and that nothing has awaited so far, or what a
// job of no promise has thrown.
type rejection struct {
	nth             int    // of the run
	promise, reason uint64 // values of JavaScript: while one is kept, nothing else has its address
}

// noPromise is the address of what a job has thrown that settles no promise, such as one of
// queueMicrotask: nothing can await it.
const noPromise = 0

// jobThrew is called when a job has thrown.
func (in *instance) jobThrew() error {
	reason, err := in.call(qjsGetException)
	if err != nil {
		return err
	}
	in.run.rejected++
	if _, is := in.run.rejections[noPromise]; is {
		_, err = in.call(qjsFreeValue, reason) // the first counts
		return err
	}
	in.run.keepRejection(noPromise, rejection{nth: in.run.rejected, reason: reason})
	return nil
}

func (r *run) keepRejection(address uint64, told rejection) {
	if r.rejections == nil {
		r.rejections = map[uint64]rejection{}
	}
	r.rejections[address] = told
}

// promiseRejected is called when a promise is rejected that nothing awaits, and again when
// something does after all: with the promise, the reason, and whether it is awaited.
func (in *instance) promiseRejected(stack []uint64) {
	r := in.run
	if r == nil {
		panic(stopped{errUnexpected})
	}
	r.rejected++
	told := rejection{r.rejected, uint64(uint32(stack[0])), uint64(uint32(stack[1]))}
	address := in.must(qjsGetValuePtr, told.promise)
	if awaited := uint32(stack[2]) != 0; !awaited {
		r.keepRejection(address, told)
		return
	}
	in.freeRejection(told)
	if known, is := r.rejections[address]; is {
		in.freeRejection(known)
		delete(r.rejections, address)
	}
}

func (in *instance) freeRejection(r rejection) {
	in.must(qjsFreeValue, r.promise)
	in.must(qjsFreeValue, r.reason)
}

// failUnawaited makes the first failure that nothing has awaited that of a script that has
// come to its end.
func (r *run) failUnawaited() error {
	if r.thrown != nil || len(r.rejections) == 0 {
		return nil
	}
	first := rejection{nth: r.rejected + 1}
	for _, one := range r.rejections {
		if one.nth < first.nth {
			first = one
		}
	}
	if _, err := r.instance.invoke(r.prepared.Fail, first.reason); err != nil || r.thrown == nil {
		return err
	}
	r.result.Value, r.result.Cut = nil, nil
	if first.promise == noPromise {
		r.thrown.Message += " (thrown by a job, where nothing catches it)"
	} else {
		r.thrown.Message += " (a promise was rejected, and nothing awaited it)"
	}
	return nil
}
