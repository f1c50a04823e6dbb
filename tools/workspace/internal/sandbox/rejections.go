package sandbox

// A rejection is a promise that was rejected and that nothing has awaited so far.
type rejection struct {
	nth             int    // of the run
	promise, reason uint64 // values of JavaScript: while one is kept, nothing else has its address
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
		if r.rejections == nil {
			r.rejections = map[uint64]rejection{}
		}
		r.rejections[address] = told
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

// failUnawaited makes the first rejection that nothing has awaited the failure of a script
// that has come to its end.
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
	r.thrown.Message += " (a promise was rejected, and nothing awaited it)"
	return nil
}
