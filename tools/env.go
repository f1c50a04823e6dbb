package tools

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"time"

	"github.com/lectern-mcp/lectern/status"
)

// A Source is one opened knowledge base. Its other methods are its tools. It may
// also be a [Runner], [Preparer], [Restorer], [ChangeFilter], [UndoFilter], [NestedTargets],
// [Drafter] or [Authenticator], and an http.Handler if its System declares [Routes].
type Source interface {
	io.Closer // called once, after the last call and after Run have returned or their grace has passed
	// Check reports why the source cannot serve now, or nil. It is cheap: the
	// hub calls it every few seconds.
	Check(ctx context.Context) error
}

// A Runner is a [Source] that works in the background while it is open: it
// indexes, watches, synchronises or keeps a schedule.
type Runner interface {
	// Run is called once after Open, and never twice at a time for sources of
	// one name, whatever is reloaded. It returns when ctx ends, or nil before
	// that if nothing is left to do. An error or a panic is shown as a Problem,
	// and Run is called again after 1, 2, 5, 10, 20, 30, 60 s; a healthy minute
	// starts over. Exclusive locks are taken here, not in Open.
	Run(ctx context.Context) error
}

// A Preparer is a [Source] that has to make something, such as a compiled engine, before
// its calls that compute can run.
type Preparer interface {
	// Prepare returns when that is made. It is called before each call of a tool with
	// [Spec].Computes has its turn, so that others compute meanwhile.
	Prepare(ctx context.Context, c CallContext) error
}

// A Drafter is a [Source] on which calls can be worked out together before any
// of them is made.
type Drafter interface {
	// Draft is the same source with writes that stay apart: its reads see them,
	// nobody else does, and Close forgets them. It has the type of the source
	// itself, and announces and shows nothing. [WriteObserver].BeforeWrite is
	// called as ever. ctx ends after Close.
	Draft(ctx context.Context) (Source, error)
}

// A CallBounder is a [Source] whose calls that make others are bounded by what its user has set.
type CallBounder interface {
	// CallBounds says it, as a part of the question about such a call.
	CallBounds() string
}

// An Authenticator is a [Source] that knows callers of its routes by tokens of
// its own.
type Authenticator interface {
	// Authenticate returns who showed this bearer token, or Denied. It is called
	// on every request, before the body is read, and takes the same time for
	// every wrong token. A source that also has
	//
	//	ServeUnauthorized(w http.ResponseWriter, r *http.Request)
	//
	// answers requests without a token that counts in the words of its own API;
	// their header Authorization is as it was sent.
	Authenticate(ctx context.Context, bearer string) (Identity, error)
}

// Env is what the hub gives to a Source when it opens it. Open fills in what a
// test leaves out, except for Peer and the folders.
type Env struct {
	// Name is the name of the source in the configuration, [a-z0-9-]+.
	Name string
	// Log writes to Lectern's log, which agents do not see: ids and sizes,
	// never content or secrets.
	Log *slog.Logger
	// Now is the wall clock.
	Now func() time.Time
	// Version is that of Lectern.
	Version string
	// Peer is the other application, for a System that declares [System].Peer;
	// nil for any other.
	Peer Peer
	// ResourceChanged announces that the resource with this URI has new
	// content; of one that is [Resource].Polled, that it may have. It never blocks and may be called from any goroutine.
	ResourceChanged func(uri string)
	// Subscribed returns the URIs that clients are subscribed to now, in their own
	// spelling, of this source or any other.
	Subscribed func() []string
	// Calls makes calls that no client asks for, such as those of a schedule, and has
	// writes recorded that the source makes by itself; nil: neither can be done. Only
	// [Runner].Run uses it.
	Calls ClientCaller
	// Report shows people how the source is.
	Report Reporter
	// Reveal reads a secret.
	Reveal Reveal
	// Getenv looks up an environment variable of the hub, empty if it is not set. A
	// System looks up what tells where another application is, and nothing else.
	Getenv func(name string) string
	// Privacy is what agents must not see. What it hides does not exist for
	// them: no answer may depend on it.
	Privacy Privacy
	// Cache and Data are folders of the source's own, for a System that asks
	// with [System].Folders; empty for any other. Cache is for what can be made
	// again: it may be empty at the next start, or belong to a folder that had
	// the source's name before. Data is for what is nowhere else.
	Cache, Data string
}

// A ClientCaller makes calls of a source's own tools for clients that are nobody
// but the source: a script that has a schedule.
type ClientCaller interface {
	// CallAs calls a tool of the source as the client "WORD:SOURCE/NAME", of which
	// client is "WORD:NAME". It has the rights that a person granted to that name,
	// and no others: not those that every client has. Policy, approval, rate limits,
	// journal and audit hold as for any call; it returns when the call has ended,
	// also with a person who was asked.
	CallAs(ctx context.Context, client, tool string, args json.RawMessage) (Result, error)
	// WriteAs has write change the source as such a client, when another program has
	// changed what the source mirrors. write reports its Changes to the CallContext like
	// a tool, and they are in the journal under the name of action, and undone as one;
	// the audit has it as a call. No policy, approval or rate limit is asked, because
	// the person who set up the mirror has decided. write may run on after ctx has ended,
	// and its error is returned as agents would see it.
	WriteAs(ctx context.Context, client, action string, write func(context.Context, CallContext) error) error
}

// A Reporter shows people how a source is, on the panel and in `lectern status`.
// Its methods never block, may be called from any goroutine, and do nothing after
// Close, when all that was shown is removed.
type Reporter interface {
	// Progress shows how far a background task is; a total of 0 means unknown.
	// The task is removed when done equals a total above 0. At most 8 are shown.
	Progress(task string, done, total int64)
	// Raise shows a Problem of a type in [System].Problems, or updates its
	// words. A Problem that is not declared is logged and not shown.
	Raise(p status.ProblemType, args status.Args)
	// Clear removes a Problem.
	Clear(p status.ProblemType)
	// BlockIdleExit keeps the hub from leaving when idle until release is called: because
	// of a schedule, a synchronisation, routes that others use. Stopping and
	// upgrading the hub do not wait for it.
	BlockIdleExit(why string) (release func())
}

// withDefaults fills in what may be left out.
func (e Env) withDefaults() Env {
	if e.Log == nil {
		e.Log = slog.New(slog.DiscardHandler)
	}
	if e.Now == nil {
		e.Now = time.Now
	}
	if e.ResourceChanged == nil {
		e.ResourceChanged = func(string) {}
	}
	if e.Getenv == nil {
		e.Getenv = func(string) string { return "" }
	}
	if e.Subscribed == nil {
		e.Subscribed = func() []string { return nil }
	}
	if e.Report == nil {
		e.Report = nopReporter{}
	}
	if e.Reveal == nil {
		e.Reveal = func(_ context.Context, s Secret) (string, error) {
			if s.IsZero() {
				return "", nil
			}
			return "", Errorf(Unavailable, "secrets cannot be read here")
		}
	}
	return e
}

type nopReporter struct{}

func (nopReporter) Progress(string, int64, int64)         {}
func (nopReporter) Raise(status.ProblemType, status.Args) {}
func (nopReporter) Clear(status.ProblemType)              {}
func (nopReporter) BlockIdleExit(string) (release func()) { return func() {} }
