package sandbox

import (
	"fmt"
	"time"
)

// Limits bound a script. A sandbox has its own, and a script may ask for lower
// ones; what is zero or negative is the sandbox's. All are at most what
// [LimitTable] says is the maximum.
type Limits struct {
	Fuel       int64         // instructions, see package fuel
	Memory     int64         // bytes
	Timeout    time.Duration // of the whole run, host calls included
	Code       int64         // bytes of source
	TypeScript int64         // bytes of source in TypeScript
	Input      int64         // bytes of JSON
	Result     int64         // bytes of JSON; more is cut
	Console    int64         // bytes of text; more is dropped
	HostCalls  int64         // calls
	Argument   int64         // bytes of JSON in a host call's body, or of its path
	Answer     int64         // bytes of JSON that a host call answers
}

// Limit is a row of the table of limits.
type Limit struct {
	Key     string // as people write it
	Unit    string
	Default int64
	Maximum int64  // what a sandbox can be opened with
	Meaning string // what is bounded, and what happens beyond

	field func(*Limits) *int64
}

const (
	kibibyte = 1 << 10
	mebibyte = 1 << 20
)

// LimitTable lists every limit, in the order in which people read them. Each row
// has a test of its own.
func LimitTable() []Limit {
	return []Limit{
		{
			"fuel", "instructions", 10_000_000_000, 1_000_000_000_000, "The work of a script, about 1.5 s of computing. Beyond: FuelExhausted.",
			func(l *Limits) *int64 {
				return &l.Fuel
			},
		},
		{
			"memory", "bytes", 128 * mebibyte, 1024 * mebibyte, "The memory of a script, engine included. Beyond: MemoryExceeded.",
			func(l *Limits) *int64 {
				return &l.Memory
			},
		},
		{
			"timeout", "ns", int64(30 * time.Second), int64(time.Hour),
			"The time of a run with its host calls, but not while a person is asked. Beyond: Timeout.", func(l *Limits) *int64 {
				return (*int64)(&l.Timeout)
			},
		},
		{"code", "bytes", 256 * kibibyte, 4 * mebibyte, "The source. Beyond: ExecutionError, and nothing runs.", func(l *Limits) *int64 {
			return &l.Code
		}},
		{
			"typescript", "bytes", 64 * kibibyte, 256 * kibibyte, "The source, if it is TypeScript. Beyond: ExecutionError, and nothing runs.",
			func(l *Limits) *int64 {
				return &l.TypeScript
			},
		},
		{
			"input", "bytes", mebibyte, 16 * mebibyte, "The JSON that the script sees as input. Beyond: ExecutionError, and nothing runs.",
			func(l *Limits) *int64 {
				return &l.Input
			},
		},
		{
			"result", "bytes", 960 * kibibyte, 16 * mebibyte, "The result as JSON. Beyond: it is cut to valid JSON, and the answer says so.",
			func(l *Limits) *int64 {
				return &l.Result
			},
		},
		{
			"console", "bytes", 64 * kibibyte, mebibyte, "What console methods write. Beyond: it is dropped, and the answer says how much.",
			func(l *Limits) *int64 {
				return &l.Console
			},
		},
		{
			"host_calls", "calls", 2000, 65536,
			"Calls of host.call; the key `script_calls` of the source sets it. Beyond: each throws HostCallError 429.",
			func(l *Limits) *int64 {
				return &l.HostCalls
			},
		},
		{
			"argument", "bytes", mebibyte, 16 * mebibyte, "The body of one host call, and its path. Beyond: it throws HostCallError 413.",
			func(l *Limits) *int64 {
				return &l.Argument
			},
		},
		{
			"answer", "bytes", 16 * mebibyte, 64 * mebibyte, "The answer to one host call. Beyond: it throws HostCallError 507.",
			func(l *Limits) *int64 {
				return &l.Answer
			},
		},
	}
}

// maxStack is how deep scripts can recurse, in bytes of the C stack, which has
// 1 MiB: some 1,400 calls of a function. Beyond: a RangeError that the script can
// catch. The stack of the compiled code is some thirty times as large, and is doubled as a whole, which no
// deadline interrupts: a recursion without end can pass its deadline by a tenth of a second.
const maxStack = 336 * kibibyte

// withDefaults fills in what l leaves out, and says what is too high.
func (l Limits) withDefaults() (Limits, error) {
	for _, row := range LimitTable() {
		switch value := row.field(&l); {
		case *value <= 0:
			*value = row.Default
		case *value > row.Maximum:
			return l, fmt.Errorf("limit %s is %d %s: it can be at most %d", row.Key, *value, row.Unit, row.Maximum)
		}
	}
	return l, nil
}

// lower returns l, with what asked sets lower. Asking for more asks for nothing.
func (l Limits) lower(asked Limits) Limits {
	for _, row := range LimitTable() {
		if value := *row.field(&asked); value > 0 {
			*row.field(&l) = min(*row.field(&l), value)
		}
	}
	return l
}
