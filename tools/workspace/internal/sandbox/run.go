package sandbox

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Run runs a script to its end. The error is an *Error if the script failed, and
// what the host returned if the host did; in every case the result has logs and
// usage. When ctx ends, the run ends, within milliseconds.
func (s *Sandbox) Run(ctx context.Context, script Script, host Host) (Result, error) {
	limits := s.limits.lower(script.Limits)
	source, err := s.source(ctx, script, limits)
	if err != nil {
		return Result{}, err
	}
	in, err := s.acquire(ctx)
	if err != nil {
		return Result{}, fmt.Errorf("run script: %w", err)
	}
	r := &run{sandbox: s, prepared: s.prepared, instance: in, host: host, limits: limits, script: script, source: source}
	failure := r.carryOut(ctx)
	s.finish(ctx, in, r.clean)
	return r.result, failure
}

// carryOut runs the script in its instance, and returns why it failed.
func (r *run) carryOut(ctx context.Context) error {
	in := r.instance
	in.run, in.clock = r, 0
	if !r.script.Time.IsZero() {
		in.clock = r.script.Time.UnixNano()
	}
	in.reservation.limit = uint64(r.limits.Memory)
	r.grant(0)
	r.clock = startClock(ctx, r.limits.Timeout)
	err := r.clock.cause()
	if err == nil {
		err = r.execute()
	}
	r.clock.end()
	r.clean = err == nil
	r.result.Usage.Fuel = min(r.granted-int64(in.remaining.Get()), r.limits.Fuel)
	r.result.Usage.Memory = int64(in.memory.Size())
	r.result.Usage.Duration = time.Since(r.clock.started)
	return r.failure(err)
}

// acquire returns an instance as the image is.
func (s *Sandbox) acquire(ctx context.Context) (*instance, error) {
	select {
	case in := <-s.idle:
		return in, nil
	default:
	}
	in, err := newInstance(ctx, s.runtime, s.compiled, s.pool)
	if err != nil {
		return nil, err
	}
	s.instances.Store(in.module, in)
	return in, nil
}

// finish keeps an instance that ended as it should, restored, and drops others.
func (s *Sandbox) finish(ctx context.Context, in *instance, clean bool) {
	if clean && in.restore(&s.pool.image) {
		select {
		case s.idle <- in:
			return
		default:
		}
	}
	s.instances.Delete(in.module)
	_ = in.close(context.WithoutCancel(ctx)) // nothing is lost with an instance
}

// run is one script under way.
type run struct {
	sandbox  *Sandbox
	prepared *preparedModule
	instance *instance
	host     Host
	limits   Limits
	script   Script
	source   source
	clock    *runClock

	granted    int64 // fuel, of which the instance has what remains
	result     Result
	thrown     *thrownError         // what the script threw, nil if nothing
	rejections map[uint64]rejection // by the addresses of their promises
	rejected   int
	logged     int64 // bytes
	aborted    error // what the host returned
	clean      bool  // it ended by itself, so that its instance can be used again
}

// fuelSlice is how much fuel is granted at a time, about 0.03 ms: so often a run
// looks whether it has to end. What a script can do does not depend on it. The deepest
// recursion uses a dozen of them, so that the stack of compiled code, which takes longest
// to move when it is largest, does not move twice without a look.
const fuelSlice = 150_000

// grant gives the instance its next slice, beyond what it used.
func (r *run) grant(used int64) {
	r.granted = min(r.limits.Fuel, used+r.sandbox.slice)
	r.instance.remaining.Set(uint64(r.granted - used))
}

var errFuel = errors.New("no fuel is left")

// interrupt is called when the slice is used up.
func (in *instance) interrupt() {
	r := in.run
	if r == nil {
		if int64(in.remaining.Get()) >= 0 {
			return // a large copy or fill, which asks whatever is left
		}
		panic(stopped{errFuel}) // the image alone uses more than there is
	}
	if err := r.clock.cause(); err != nil {
		panic(stopped{err})
	}
	used := r.granted - int64(in.remaining.Get())
	if used > r.limits.Fuel {
		panic(stopped{errFuel})
	}
	r.grant(used)
}

// flagAsync of qjs_eval allows await outside of functions; the value is then a
// promise of {value}.
const flagAsync = 1 << 7

// execute runs the script. An error means that it was stopped from outside.
func (r *run) execute() error {
	in, prepared := r.instance, r.prepared
	begin, err := r.beginArguments()
	if err != nil {
		return err
	}
	thrown, err := in.invoke(prepared.Begin, begin...)
	if err != nil {
		return err
	}
	if thrown {
		return errUnexpected // the input was checked
	}
	value, thrown, err := in.evaluate(r.source.code, scriptFile, flagAsync)
	if err != nil {
		return err
	}
	if thrown {
		if _, err := in.invoke(prepared.Fail, value); err != nil || !r.thrown.returnsOutside() {
			return err
		}
		// The script is written as the body of a function.
		r.thrown, r.source = nil, r.source.wrap()
		if value, thrown, err = in.evaluate(r.source.code, scriptFile, flagAsync); err != nil {
			return err
		}
	}
	next := prepared.Settle
	if thrown {
		next = prepared.Fail
	}
	if _, err = in.invoke(next, value); err != nil {
		return err
	}
	if err := in.drain(); err != nil {
		return err
	}
	return r.failUnawaited()
}

func (r *run) beginArguments() ([]uint64, error) {
	in := r.instance
	workspace, err := in.newString(r.script.WorkspaceID)
	if err != nil {
		return nil, err
	}
	input, err := in.newString(string(r.script.Input))
	if err != nil {
		return nil, err
	}
	arguments := []uint64{workspace, input}
	for _, number := range []float64{float64(r.script.Seed >> 32), float64(uint32(r.script.Seed)), float64(r.limits.Result)} {
		value, err := in.newNumber(number)
		if err != nil {
			return nil, err
		}
		arguments = append(arguments, value)
	}
	return arguments, nil
}
