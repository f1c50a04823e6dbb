// Package emacs talks to the Emacs that a person works in: which Org files it has
// unsaved changes of, what those buffers hold, changes in them by compare and
// swap, and the values of its variables as data.
//
// It speaks the protocol of Emacs's server itself, over the socket that
// emacsclient uses; no program is started. It never runs an Org command there and
// never makes Emacs ask a question. What agents send reaches Emacs only inside of
// quoted strings. The System for Org files imports it; what a change of a file is,
// it does not know. Start reading at [Client.Swap].
package emacs

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/tools/org/internal/lispdata"
)

// Errors of a Client. Each is wrapped with what was found and what to do.
var (
	// ErrNoServer means that no server of Emacs was found, or that what was found
	// does not answer to this user.
	ErrNoServer = errors.New("no Emacs server")
	// ErrBusy means that Emacs did not answer in time. It did nothing, and it will
	// not do it later.
	ErrBusy = errors.New("emacs is busy")
	// ErrOutcomeUnknown means that Emacs began and did not report. [Client.Read]
	// tells what the buffer holds.
	ErrOutcomeUnknown = errors.New("emacs did not say whether it made the change")
	// ErrNoUnsavedChanges means that Emacs does not visit the file, or that the
	// buffer equals its file: the file is what counts.
	ErrNoUnsavedChanges = errors.New("no buffer has unsaved changes of the file")
	// ErrConflict means that the buffer holds another text than was expected.
	ErrConflict = errors.New("the buffer has changed")
	// ErrRefused means that Emacs cannot do what was asked to this buffer.
	ErrRefused = errors.New("refused by Emacs")
)

// Options say where Emacs is looked for. Only Now is required.
type Options struct {
	Socket  string                   // name or path of the server; "" stands for "server"
	Getenv  func(name string) string // nil: as if no variable were set
	Home    string                   // of the user; "" leaves out TCP servers
	Timeout time.Duration            // for an answer; 0 stands for two seconds
	Now     func() time.Time         // the wall clock: Emacs compares it with its own
}

// A Client asks the Emacs that runs at the moment of each call. Its methods may be
// called from any goroutine; paths are absolute, without symbolic links.
type Client struct {
	options Options
	mu      sync.Mutex
	overdue chan struct{} // closed when the answer of a request comes that was given up; nil: none was
	silent  time.Time     // until when that is waited for
}

// NewClient returns a Client. It connects to nothing yet.
func NewClient(options Options) *Client {
	if options.Getenv == nil {
		options.Getenv = func(string) string { return "" }
	}
	if options.Timeout == 0 {
		options.Timeout = 2 * time.Second
	}
	return &Client{options: options}
}

// A State says how a buffer stands to its file.
type State uint8

// The states.
const (
	NotVisited State = iota
	Clean            // no unsaved changes
	Modified         // unsaved changes
)

// A Buffer is what Emacs has of a file.
type Buffer struct {
	State      State
	ReadOnly   bool
	Narrowed   bool
	Outdated   bool // the file has changed since Emacs read it
	AutoRevert bool // Emacs reads the file again by itself while the buffer is clean
}

// Status is what Emacs says about itself.
type Status struct {
	Version   string
	PID       int
	LockFiles bool     // a file with unsaved changes has a lock file beside it
	Unsaved   []string // Org files with unsaved changes, as Emacs names them; 200 at most
}

// Status asks Emacs how it is.
func (c *Client) Status(ctx context.Context) (Status, error) {
	v, err := c.eval(ctx, statusProgram)
	if err != nil {
		return Status{}, err
	}
	fields, err := result(v, "ok", 4)
	if err != nil {
		return Status{}, err
	}
	s := Status{Version: fields[0].Text, PID: fields[1].Int, LockFiles: !fields[2].Nil()}
	for _, f := range fields[3].Items {
		s.Unsaved = append(s.Unsaved, f.Text)
	}
	return s, nil
}

// Buffer asks what Emacs has of the file at path.
func (c *Client) Buffer(ctx context.Context, path string) (Buffer, error) {
	v, err := c.eval(ctx, fmt.Sprintf(bufferProgram, quoteLisp(path)))
	if err != nil {
		return Buffer{}, err
	}
	if _, err := result(v, "none", 0); err == nil {
		return Buffer{}, nil
	}
	fields, err := result(v, "ok", 5)
	if err != nil {
		return Buffer{}, err
	}
	b := Buffer{State: Clean, ReadOnly: !fields[1].Nil(), Narrowed: !fields[2].Nil(), Outdated: !fields[3].Nil(), AutoRevert: !fields[4].Nil()}
	if !fields[0].Nil() {
		b.State = Modified
	}
	return b, nil
}

// Revert makes Emacs read the file at path again if a buffer without unsaved
// changes visits it, and says what it had of the file. It asks the person nothing,
// and keeps point, markers and narrowing.
func (c *Client) Revert(ctx context.Context, path string) (State, error) {
	v, err := c.eval(ctx, fmt.Sprintf(revertProgram, quoteLisp(path)))
	if err != nil {
		return NotVisited, err
	}
	switch name := resultName(v); name {
	case "none":
		return NotVisited, nil
	case "ok":
		return Clean, nil
	case "modified":
		return Modified, nil
	default:
		return NotVisited, resultError(v)
	}
}

// Variables returns the printed values of those of the variables that have one in
// Emacs: Lisp data for [lispdata.Read]. A value of more than 64 KB is left out.
// Nothing is loaded for it: what a package that is not loaded would set is absent.
func (c *Client) Variables(ctx context.Context, names []string) (map[string]string, error) {
	var list strings.Builder
	for _, name := range names {
		list.WriteString(quoteLisp(name) + " ")
	}
	v, err := c.eval(ctx, fmt.Sprintf(variablesProgram, list.String()))
	if err != nil {
		return nil, err
	}
	fields, err := result(v, "ok", 1)
	if err != nil {
		return nil, err
	}
	values := map[string]string{}
	for _, pair := range fields[0].Items {
		if len(pair.Items) == 2 {
			values[pair.Items[0].Text] = pair.Items[1].Text
		}
	}
	return values, nil
}

// eval runs a program in Emacs. The program is one of this package's; what it
// answers is a list that begins with a symbol.
func (c *Client) eval(ctx context.Context, program string) (lispdata.Value, error) {
	if err := c.awaitAnswer(ctx); err != nil {
		return lispdata.Value{}, err
	}
	server, err := c.Find()
	if err != nil {
		return lispdata.Value{}, err
	}
	deadline := c.options.Now().Add(c.options.Timeout)
	// Emacs starts nothing after the deadline; what it has started by then may take
	// half as long again.
	ctx, cancel := context.WithTimeout(ctx, c.options.Timeout+c.options.Timeout/2)
	defer cancel()
	text, err := c.request(ctx, server, fmt.Sprintf(wrapProgram, float64(deadline.UnixMilli())/1000, program))
	if err != nil {
		return lispdata.Value{}, err
	}
	v, err := lispdata.Read(text)
	if err != nil {
		return lispdata.Value{}, fmt.Errorf("%w: the answer is not understood: %w", ErrOutcomeUnknown, err)
	}
	switch resultName(v) {
	case "late":
		return v, fmt.Errorf("%w: it answered after %v only, and did nothing", ErrBusy, c.options.Timeout)
	case "old":
		return v, fmt.Errorf("%w: Emacs 28 or later is needed, %s is running", ErrNoServer, resultText(v))
	}
	return v, nil
}

// awaitAnswer waits until Emacs has answered a request that was given up, but no
// longer than that request could have waited.
func (c *Client) awaitAnswer(ctx context.Context) error {
	c.mu.Lock()
	overdue, silent := c.overdue, c.silent
	c.mu.Unlock()
	if overdue == nil {
		return nil
	}
	timer := time.NewTimer(silent.Sub(c.options.Now()))
	defer timer.Stop()
	select {
	case <-overdue:
		return nil
	case <-timer.C:
	case <-ctx.Done():
	}
	return fmt.Errorf("%w: it has not answered an earlier request yet", ErrBusy)
}

// drainAnswer closes a connection once Emacs has answered on it, for a minute at
// most. An Emacs that cannot deliver an answer stops for seconds to say so.
func (c *Client) drainAnswer(conn net.Conn) {
	answered := make(chan struct{})
	c.mu.Lock()
	c.overdue, c.silent = answered, c.options.Now().Add(c.options.Timeout)
	c.mu.Unlock()
	go func() {
		_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
		_, _ = readReply(conn)
		_ = conn.Close()
		c.mu.Lock()
		if c.overdue == answered {
			c.overdue = nil
		}
		c.mu.Unlock()
		close(answered)
	}()
}

func resultName(v lispdata.Value) string {
	if len(v.Items) > 0 && v.Items[0].Kind == lispdata.Symbol {
		return v.Items[0].Text
	}
	return ""
}

func resultText(v lispdata.Value) string {
	if len(v.Items) > 1 {
		return v.Items[1].Text
	}
	return ""
}

// result returns the n fields behind name, or what the answer says instead.
func result(v lispdata.Value, name string, n int) ([]lispdata.Value, error) {
	if resultName(v) != name || len(v.Items) != n+1 {
		return nil, resultError(v)
	}
	return v.Items[1:], nil
}

func resultError(v lispdata.Value) error {
	switch resultName(v) {
	case "none", "clean":
		return ErrNoUnsavedChanges
	case "conflict":
		return ErrConflict
	case "read-only":
		return fmt.Errorf("%w: the buffer is read-only", ErrRefused)
	case "coding":
		return fmt.Errorf("%w: the buffer is encoded in %s, only UTF-8 is read; save it first", ErrRefused, resultText(v))
	case "large":
		return fmt.Errorf("%w: the buffer holds more than %d MB; save it first", ErrRefused, maxBuffer>>20)
	case "error":
		return fmt.Errorf("%w: %s", ErrRefused, resultText(v))
	}
	return fmt.Errorf("%w: an answer of another form", ErrOutcomeUnknown)
}

// withTemp hands use a file that only this user can read, with data in it.
func withTemp(data []byte, use func(name string) error) (err error) {
	f, err := os.CreateTemp("", "lectern-*.org")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(f.Name())) }()
	if _, err := f.Write(data); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := f.Close(); err != nil {
		return err
	}
	return use(f.Name())
}
