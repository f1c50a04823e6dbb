// Package typescript makes JavaScript of TypeScript, by esbuild. It removes types
// and does not check them.
//
// esbuild was not made for hostile input: 100 kB of nested code end the process
// with a stack overflow, which nothing can catch, and a few kB keep it busy for
// minutes, which nothing can interrupt. So it runs in a child process, which is
// bounded and can be killed.
//
// The sandbox of scripts imports it; cmd/lectern is what the child runs.
// Start at Compiler; Serve is the other side.
package typescript

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"time"
)

// ChildArgument is the only argument with which lectern serves a Compiler.
const ChildArgument = "compile-typescript"

// maxTime is how long one source may take. A usual one takes a millisecond, and
// the first one the start of the child.
const maxTime = 5 * time.Second

// Compiler compiles in a child process, which it starts when it is needed, keeps,
// and replaces when it dies. It compiles one source at a time.
type Compiler struct {
	command []string
	turn    chan struct{} // holds one token
	child   *child        // of the holder of the token; nil if none runs
}

// NewCompiler returns a compiler whose child is started by command: a program
// that calls Serve with its standard input and output. It gets no environment.
func NewCompiler(command ...string) *Compiler {
	c := &Compiler{command: command, turn: make(chan struct{}, 1)}
	c.turn <- struct{}{}
	return c
}

// Output is JavaScript.
type Output struct {
	Code      string
	positions positions
	prefix    int // characters before the first line of the source
}

// Error is a fault of the source.
type Error struct {
	Message string
	Line    int // from 1; 0 if it is not known
	Column  int // in characters, from 1; 0 if it is not known
}

func (e *Error) Error() string { return e.Message }

// Compile compiles source. The error is an *Error if the source is at fault.
// When ctx ends it returns at once.
func (c *Compiler) Compile(ctx context.Context, source string) (Output, error) {
	select {
	case <-c.turn:
	case <-ctx.Done():
		return Output{}, context.Cause(ctx)
	}
	defer func() { c.turn <- struct{}{} }()
	if c.child == nil {
		child, err := startChild(c.command)
		if err != nil {
			return Output{}, fmt.Errorf("start the TypeScript compiler: %w", err)
		}
		c.child = child
	}
	limited, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	r, err := c.child.ask(limited, request{Source: source})
	switch {
	case err == nil && r.Error != nil:
		return Output{}, r.Error
	case err == nil:
		p, err := parsePositions(r.Mappings)
		return Output{r.Code, p, r.Prefix}, err
	}
	c.child.stop()
	c.child = nil
	switch {
	case ctx.Err() != nil:
		return Output{}, context.Cause(ctx)
	case limited.Err() != nil:
		return Output{}, &Error{Message: fmt.Sprintf("the TypeScript compiler needs more than %s for this script: it is too deeply nested",
			maxTime)}
	default:
		return Output{}, &Error{Message: "the TypeScript compiler gave up on this script: it is too deeply nested"}
	}
}

// Close ends the child. No compilation may be under way.
func (c *Compiler) Close() {
	if c.child != nil {
		c.child.stop()
		c.child = nil
	}
}

type request struct {
	Source string `json:"source"`
}

type response struct {
	Code     string `json:"code"`
	Mappings string `json:"mappings"` // as in a source map
	Prefix   int    `json:"prefix"`
	Error    *Error `json:"error,omitempty"`
}

// child is a process that serves.
type child struct {
	process *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	stop    func()
}

func startChild(command []string) (*child, error) {
	if len(command) == 0 {
		return nil, errors.New("no command")
	}
	cmd := exec.Command(command[0], command[1:]...) //nolint:gosec,noctx // the caller's own program, which outlives calls
	cmd.Env = []string{}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	c := &child{process: cmd, in: in, out: bufio.NewReader(out)}
	c.stop = sync.OnceFunc(func() {
		_ = cmd.Process.Kill() // it may have died by itself
		_ = cmd.Wait()
	})
	return c, nil
}

// ask sends a request and waits for its response. After an error the child is of
// no more use.
func (c *child) ask(ctx context.Context, r request) (response, error) {
	release := context.AfterFunc(ctx, c.stop)
	defer release()
	var answer response
	line, err := json.Marshal(r)
	if err != nil {
		return answer, err
	}
	if _, err := c.in.Write(append(line, '\n')); err != nil {
		return answer, err
	}
	if line, err = c.out.ReadBytes('\n'); err != nil {
		return answer, err
	}
	return answer, json.Unmarshal(line, &answer)
}
