// Package config is the configuration file: its keys, their defaults, what is
// wrong with it, the small edits that `lectern source add` and `remove` make
// to its text, and where on disk everything lives.
//
// It is not where settings are used: cmd/lectern loads a [Config] and hands
// its pieces to the hub as plain values. It opens no source and knows no
// System; which kinds exist and which keys they have is given to [Load].
//
// Start reading at [Config], then edit.go.
package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// maxSize bounds the file in bytes; a longer one is not a configuration.
const maxSize = 1 << 20

// A Config is what the file says, completed by the defaults.
type Config struct {
	// Path is the file it was read from, which may not exist yet.
	Path    string
	Hub     Hub
	Limits  Limits
	Journal Journal
	Logseq  Logseq
	Update  Update
	Sources []Source // in the order of the file
	Clients []Client
	Rules   []Rule
	// Notices are about keys that the file has and that no longer have an
	// effect. Nothing is wrong with the file.
	Notices []Fault

	text   []byte // the file's bytes; nil: there is no file
	schema Schema
}

// Hub is the table [hub].
type Hub struct {
	// Port on 127.0.0.1 for HTTP. It is fixed: a taken port is a problem to
	// show, never a reason to take another one.
	Port int
	// IdleAfter is how long the hub stays with nobody connected; 0: for ever.
	IdleAfter time.Duration
	// HTTP says whether the hub listens on Port at all.
	HTTP bool
	// OwnChanges says whether agents get the tools to list and undo what they
	// changed themselves.
	OwnChanges bool
	// Mark says whether answers are marked as data that is no instruction.
	Mark bool
}

// Limits is the table [limits].
type Limits struct {
	Deadline time.Duration // of one tool call
	InFlight int           // calls of one agent at the same time; more wait
	// Approval is how long a call waits for a person. The default is below the
	// 60 s after which clients built on MCP's TypeScript SDK, and Codex, give
	// up, so that it is we who tell the agent what to do next.
	Approval time.Duration
	// What one client may do; 0: as much as it likes.
	CallsPerMinute int
	SessionWrites  int
	FuseDeletes    int
	FuseBytes      int
}

// Logseq is the table [logseq]: which plugins may connect, and how.
type Logseq struct {
	// PlainToken lets a plugin send the token instead of proving it.
	PlainToken bool
	// Origins of pages may connect besides the two that Logseq uses.
	Origins []string
}

// Update is the table [update].
type Update struct {
	// Check says whether a panel may ask once a day if there is a new version.
	Check bool
	// Mirror is the https URL to get releases from; empty: where they are made.
	Mirror string
	// Pin is the version to stay at; empty: the newest.
	Pin string
}

// Source is one [[source]] table.
type Source struct {
	Name     string
	Kind     string
	Path     string // absolute; empty: the kind has no folder
	ReadOnly bool
	// Effects are what agents may do; nil: what the hub grants by default.
	Effects []string
	// Ask are effects that a person is asked about first; nil: none.
	Ask []string
	// Exclude and Only are marks of what agents must not see, as people write
	// them; nil: none.
	Exclude, Only []string
	// Options are the System's own keys as a JSON object, path among them.
	Options json.RawMessage
	// Line of the table in the file, from 1; 0: not from a file.
	Line int
}

// Schema says what the file may hold besides the keys of this package, and
// what its paths are relative to.
type Schema struct {
	// Kinds has the own keys of every kind of source that this build opens.
	Kinds map[string][]string
	// Effects and Verdicts are the words that effects and do may hold, in the
	// order shown to people.
	Effects, Verdicts []string
	// CheckPrivacyRule returns what is wrong with a rule in exclude or only. Nil:
	// every rule is accepted.
	CheckPrivacyRule func(rule string) error
	// Home replaces a leading ~ in paths; empty: such paths are an error.
	Home string
}

// Default is the configuration of a machine without a file.
func Default(path string, schema Schema) Config {
	return Config{
		Path:    path,
		Hub:     Hub{Port: 12740, IdleAfter: 10 * time.Minute, HTTP: true, Mark: true},
		Limits:  Limits{Deadline: 30 * time.Second, InFlight: 32, Approval: 50 * time.Second, FuseDeletes: 100, FuseBytes: 32 << 20},
		Journal: Journal{Keep: 90 * 24 * time.Hour, Max: 512},
		Update:  Update{Check: true},
		schema:  schema,
	}
}

// Load reads the file at path. A missing file is the defaults; a broken one is
// an [Error], and nothing of it is used.
func Load(path string, schema Schema) (Config, error) {
	text, err := read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Default(path, schema), nil
	case err != nil:
		return Config{}, fmt.Errorf("read configuration: %w", err)
	}
	return Parse(path, text, schema)
}

// Parse is [Load] for text that has been read already; path is for messages
// and for relative paths inside.
func Parse(path string, text []byte, schema Schema) (Config, error) {
	c := Default(path, schema)
	c.text = text
	if err := c.decode(); err != nil {
		return Config{}, err
	}
	return c, nil
}

// InFile reports whether there is a file, as against defaults alone.
func (c Config) InFile() bool { return c.text != nil }

// Source finds a source by name.
func (c Config) Source(name string) (Source, bool) {
	for _, s := range c.Sources {
		if s.Name == name {
			return s, true
		}
	}
	return Source{}, false
}

// read returns the bytes of a regular file of at most maxSize. It looks before
// it opens, because opening a named pipe would wait for a writer.
func read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file; move it away", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // read to its end: closing has nothing to add
	text, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxSize {
		return nil, fmt.Errorf("%s has more than %d bytes, which no configuration needs", path, maxSize)
	}
	return text, nil
}
