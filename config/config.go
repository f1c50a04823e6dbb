// Package config is the configuration file: its keys, their defaults, what is
// wrong with it, the small edits that commands and the panel make to its text,
// and where on disk everything is.
//
// It does not use the settings: cmd/lectern loads a [Config] and passes its
// parts to the hub as plain values. It opens no source and knows no System;
// which kinds exist and which keys they have is passed to [Load] in a
// [Schema]. cmd/lectern and installer import it.
//
// Start reading at [Config], then edit.go.
package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"time"
)

// maxSize bounds the file in bytes.
const maxSize = 1 << 20

// A Config is the content of the file, completed by the defaults.
type Config struct {
	// Path is the file, which may not exist yet.
	Path    string
	Hub     Hub
	Limits  Limits
	Journal Journal
	Bridge  Bridge
	Listen  Listen
	Update  Update
	Sources []Source // in the order of the file
	Clients []Client
	Rules   []Rule
	// Notices are about keys in the file that have another name or no effect now. They are
	// not errors.
	Notices []Fault

	text     []byte // the file's bytes; nil if there is no file
	schema   Schema
	defaults defaultKeys
}

// Hub is the table [hub].
type Hub struct {
	// Port on 127.0.0.1 for HTTP. It is fixed: if another program has it, that is a
	// problem to show, never a reason to choose another port.
	Port int
	// IdleAfter is how long the hub runs without connections; 0 means for ever.
	IdleAfter time.Duration
	// HTTP reports whether the hub listens on Port at all.
	HTTP bool
	// OwnChanges reports whether agents get tools to list and undo their own
	// changes.
	OwnChanges bool
	// DataMarker reports whether answers are marked as data that is not an instruction.
	DataMarker bool
}

// Limits is the table [limits].
type Limits struct {
	Deadline time.Duration // of one tool call
	InFlight int           // calls of one agent at the same time; more wait
	// Approval is how long a call waits for a person. Clients built on MCP's
	// TypeScript SDK, and Codex, give up after 60 s. The default is below that, so
	// that the agent gets an answer from us.
	Approval time.Duration
	// Limits of one client; 0 means no limit.
	CallsPerMinute int
	SessionWrites  int
	BreakerDeletes int
	BreakerBytes   int
}

// Bridge is the table [bridge]: which plugins may connect, and how.
type Bridge struct {
	// PlainToken lets a plugin send the token instead of proving it.
	PlainToken bool
	// Origins of pages that may connect besides those that the Systems name.
	Origins []string
}

// Listen is the table [listen]: a second listener, which other machines reach
// over TLS.
type Listen struct {
	// Address is the IP address and the port; empty: there is no second listener.
	Address string
	// TLSCert and TLSKey are files in PEM, absolute.
	TLSCert, TLSKey string
	// Hosts are the names that requests come under, without port, in lower case.
	Hosts []string
	// Allow are the networks that may connect; nil: only this machine.
	Allow []string
	// Sources are the sources that are served there.
	Sources []string
	// MCP reports whether /mcp/NAME of these sources is served too, to clients
	// that have a token of their own.
	MCP bool
}

// Update is the table [update].
type Update struct {
	// Check reports whether a panel may check for a new version once a day.
	Check bool
	// Mirror is the https URL to get releases from; empty means GitHub.
	Mirror string
	// Pin is the version to stay at; empty means the newest.
	Pin string
}

// A Source is one [[source]] table.
type Source struct {
	Name     string
	Kind     string
	Path     string // the first of its keys that is a folder, absolute; empty: none is
	ReadOnly bool
	// Effects that agents may have, and Ask those that a person must approve first;
	// nil means that the file does not say it.
	Effects []string
	Ask     []string
	// Role is that of clients that were assigned none, in a System with roles;
	// empty: the least.
	Role string
	// Tools are those that agents see besides the kind's default list, or
	// [AllTools]; nil: none.
	Tools []string
	// Exclude and Only are privacy rules as people write them: what agents must not
	// see, or all that they may see; nil means none.
	Exclude, Only []string
	// Options are the System's own keys as a JSON object, completed by those of
	// [system.KIND].
	Options json.RawMessage
	// Line of the table in the file, from 1; 0 if it is not from a file.
	Line int
}

// AllTools in the key tools of a source stands for every tool of its kind.
const AllTools = "all"

// A Schema says what the file may contain besides the keys of this package.
type Schema struct {
	// Kinds has the keys of every kind of source in this build, besides the common
	// ones, in the order in which people see them.
	Kinds map[string][]Key
	// Roles are those of the kinds that have any, least first.
	Roles map[string][]string
	// Tools are those of the kinds that a source may name. Those of the default list are
	// seen without.
	Tools map[string][]string
	// Effects and Verdicts are the words that effects and do may hold, in the
	// order shown to people.
	Effects, Verdicts []string
	// CheckPrivacyRule returns what is wrong with a rule in exclude or only of a
	// source that opens a folder, or none. Nil: every rule is accepted.
	CheckPrivacyRule func(rule, folder string) error
	// CheckSecret returns what is wrong with a reference to a secret, without
	// repeating it. Nil: every key of type [Secret] is refused.
	CheckSecret func(reference string) error
	// CheckAddress returns what is wrong with an IP address and port to listen on,
	// and whether only this machine reaches it; CheckNetwork what is wrong with a
	// network in allow. Nil: the table [listen] is refused.
	CheckAddress func(address string) (local bool, err error)
	CheckNetwork func(network string) error
	// Home replaces a leading ~ in paths; if it is empty, such paths are an error.
	Home string
}

// kindNames returns the kinds in the order of their names.
func (s Schema) kindNames() []string { return slices.Sorted(maps.Keys(s.Kinds)) }

// Default returns the configuration of a machine without a file.
func Default(path string, schema Schema) Config {
	return Config{
		Path:    path,
		Hub:     Hub{Port: 12740, IdleAfter: 10 * time.Minute, HTTP: true, DataMarker: true, OwnChanges: true},
		Limits:  Limits{Deadline: 30 * time.Second, InFlight: 32, Approval: 50 * time.Second, BreakerDeletes: 100, BreakerBytes: 32 << 20},
		Journal: Journal{Keep: 90 * 24 * time.Hour, Max: 512},
		Update:  Update{Check: true},
		schema:  schema,
	}
}

// Load reads the file at path. Without a file it returns the defaults; a file
// with faults is an [Error], and nothing of it is used.
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

// Parse is [Load] for text that has been read already. path is for messages
// and for relative paths in the text.
func Parse(path string, text []byte, schema Schema) (Config, error) {
	c := Default(path, schema)
	c.text = text
	if err := c.decode(); err != nil {
		return Config{}, err
	}
	return c, nil
}

// InFile reports whether there is a file.
func (c Config) InFile() bool { return c.text != nil }

// Source returns the source with this name.
func (c Config) Source(name string) (Source, bool) {
	for _, s := range c.Sources {
		if s.Name == name {
			return s, true
		}
	}
	return Source{}, false
}

// read returns the bytes of a regular file of at most maxSize. It checks
// before it opens, because opening a named pipe would block.
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
	defer func() { _ = f.Close() }() // only read
	text, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxSize {
		return nil, fmt.Errorf("%s is larger than %d bytes; is it a configuration file?", path, maxSize)
	}
	return text, nil
}
