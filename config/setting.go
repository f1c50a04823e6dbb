package config

import (
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/internal/tomltext"
)

// A setting is one key of a table that occurs once in the file. The list of
// all settings is what the file is read with, so nothing else can disagree
// about a key.
type setting struct {
	key         string // "hub.port"
	description string
	choices     []string // nil: any text
	restart     bool     // takes effect at the hub's next start
	read        func(t configTable, key string, c *Config)
	show        func(c *Config) string // as a person types it
	write       func(typed string) string
}

// settings returns all settings, in the order shown to people. The keys of a
// table are next to each other.
func settings() []setting {
	return []setting{
		intSetting("hub.port", "port on 127.0.0.1 for HTTP; no other port is ever used",
			1, 65535, func(c *Config) *int { return &c.Hub.Port }).needsRestart(),
		boolSetting("hub.http", "serve HTTP; false: agents connect only through `lectern serve`",
			func(c *Config) *bool { return &c.Hub.HTTP }).needsRestart(),
		durationSetting("hub.idle_after", "stop after this long without connections; 0s: never",
			0, func(c *Config) *time.Duration { return &c.Hub.IdleAfter }).needsRestart(),
		boolSetting("hub.data_marker", "mark what tools answer as data, not instructions, in _meta and in a line after the text",
			func(c *Config) *bool { return &c.Hub.DataMarker }).needsRestart(),
		boolSetting("hub.own_changes", "agents may list and undo their own changes, with the tools list_changes and undo_change",
			func(c *Config) *bool { return &c.Hub.OwnChanges }).needsRestart(),
		durationSetting("limits.deadline", "time limit of one tool call",
			time.Second, func(c *Config) *time.Duration { return &c.Limits.Deadline }).needsRestart(),
		intSetting("limits.in_flight", "calls of one agent that run at the same time; more wait",
			1, 1024, func(c *Config) *int { return &c.Limits.InFlight }).needsRestart(),
		durationSetting("limits.approval", "how long a call waits for a person to approve it",
			5*time.Second, func(c *Config) *time.Duration { return &c.Limits.Approval }).needsRestart(),
		intSetting("limits.calls_per_minute", "calls of one client in a minute; 0: no limit",
			0, 1<<20, func(c *Config) *int { return &c.Limits.CallsPerMinute }).needsRestart(),
		intSetting("limits.session_writes", "calls of one session that may change something; 0: no limit",
			0, 1<<20, func(c *Config) *int { return &c.Limits.SessionWrites }).needsRestart(),
		intSetting("limits.breaker_deletes", "targets that one client deletes in a minute until its circuit breaker trips and you are asked; "+
			"0: never",
			0, 1<<20, func(c *Config) *int { return &c.Limits.BreakerDeletes }).needsRestart(),
		intSetting("limits.breaker_bytes", "bytes that one client rewrites in a minute until its circuit breaker trips and you are asked; 0: "+
			"never",
			0, 1<<30, func(c *Config) *int { return &c.Limits.BreakerBytes }).needsRestart(),
		daysSetting("journal.keep", "how long changes of agents can be undone, such as 90d",
			func(c *Config) *time.Duration { return &c.Journal.Keep }).needsRestart(),
		intSetting("journal.max_mb", "MB of contents that are kept for undo; the oldest are dropped first",
			1, 1<<20, func(c *Config) *int { return &c.Journal.Max }).needsRestart(),
		boolSetting("bridge.plain_token", "let a plugin that cannot prove its token send the token itself",
			func(c *Config) *bool { return &c.Bridge.PlainToken }).needsRestart(),
		originsSetting("bridge.origins", "more origins of plugin pages that may connect",
			func(c *Config) *[]string { return &c.Bridge.Origins }),
		stringSetting("listen.address", "IP address and port of a second listener for other machines, over TLS; empty: none. Set it last",
			func(c *Config) *string { return &c.Listen.Address }).needsRestart(),
		fileSetting("listen.tls_cert", "file with the certificate of the second listener and those of its issuers, in PEM",
			func(c *Config) *string { return &c.Listen.TLSCert }).needsRestart(),
		fileSetting("listen.tls_key", "file with the key of that certificate, in PEM, which only you can read",
			func(c *Config) *string { return &c.Listen.TLSKey }).needsRestart(),
		listSetting("listen.hosts", "host names of requests to the second listener, without port",
			checkHost, func(c *Config) *[]string { return &c.Listen.Hosts }).needsRestart(),
		listSetting("listen.allow", "networks that may connect to the second listener, such as 10.0.0.0/8; none: only this machine",
			checkNetwork, func(c *Config) *[]string { return &c.Listen.Allow }).needsRestart(),
		listSetting("listen.sources", "sources whose routes the second listener serves",
			func(_ Schema, name string) error { return CheckName(name) }, func(c *Config) *[]string { return &c.Listen.Sources }).needsRestart(),
		boolSetting("listen.mcp", "serve /mcp/NAME of these sources there too, to clients with a token of their own",
			func(c *Config) *bool { return &c.Listen.MCP }).needsRestart(),
		boolSetting("update.check", "check once a day for a new version", func(c *Config) *bool { return &c.Update.Check }),
		stringSetting("update.mirror", "https URL to get releases from instead of GitHub", func(c *Config) *string { return &c.Update.Mirror }),
		stringSetting("update.pin", "version that `lectern self-update` stays at", func(c *Config) *string { return &c.Update.Pin }),
	}
}

// removedSettings are keys that earlier versions had. A file that still has one
// is read, with a notice that says why the key has no effect.
var removedSettings = map[string]string{
	"journal.key": "the key of the journal is always in a file beside it",
}

// renamedSettings are keys that had another name in earlier versions. A file
// with the old name is read, with a notice that gives the new one.
var renamedSettings = map[string]string{
	"hub.mark":            "hub.data_marker",
	"limits.fuse_deletes": "limits.breaker_deletes",
	"limits.fuse_bytes":   "limits.breaker_bytes",
	"logseq.plain_token":  "bridge.plain_token",
	"logseq.origins":      "bridge.origins",
}

func (s setting) needsRestart() setting {
	s.restart = true
	return s
}

// split returns the table and the key in it.
func (s setting) split() (table, key string) {
	table, key, _ = strings.Cut(s.key, ".")
	return table, key
}

func boolSetting(key, means string, at func(*Config) *bool) setting {
	return setting{
		key: key, description: means, choices: []string{"true", "false"},
		read: func(t configTable, key string, c *Config) { t.bool(key, at(c)) },
		show: func(c *Config) string { return strconv.FormatBool(*at(c)) },
		write: func(typed string) string {
			if typed == "true" || typed == "false" {
				return typed
			}
			return tomltext.Quote(typed) // which is then reported as a fault
		},
	}
}

func intSetting(key, means string, minimum, maximum int, at func(*Config) *int) setting {
	return setting{
		key: key, description: means,
		read: func(t configTable, key string, c *Config) { t.int(key, at(c), minimum, maximum) },
		show: func(c *Config) string { return strconv.Itoa(*at(c)) },
		write: func(typed string) string {
			if n, err := strconv.Atoi(typed); err == nil {
				return strconv.Itoa(n)
			}
			return tomltext.Quote(typed)
		},
	}
}

func durationSetting(key, means string, minimum time.Duration, at func(*Config) *time.Duration) setting {
	return setting{
		key: key, description: means, write: tomltext.Quote,
		read: func(t configTable, key string, c *Config) { t.duration(key, at(c), minimum) },
		show: func(c *Config) string { return shortDuration(*at(c)) },
	}
}

// shortDuration formats a duration without the zeros that time.Duration adds.
func shortDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

func stringSetting(key, means string, at func(*Config) *string) setting {
	return setting{
		key: key, description: means, write: tomltext.Quote,
		read: func(t configTable, key string, c *Config) {
			if s, ok := t.string(key); ok {
				*at(c) = s
			}
		},
		show: func(c *Config) string { return *at(c) },
	}
}

// originsSetting is a list that people type with commas.
func originsSetting(key, means string, at func(*Config) *[]string) setting {
	return setting{
		key: key, description: means,
		read: func(t configTable, key string, c *Config) { t.origins(key, at(c)) },
		show: func(c *Config) string { return strings.Join(*at(c), ", ") }, write: writeTypedList,
	}
}

// listSetting is a list of texts, each of which check accepts.
func listSetting(key, means string, check func(Schema, string) error, at func(*Config) *[]string) setting {
	return setting{
		key: key, description: means,
		read: func(t configTable, key string, c *Config) { t.list(key, at(c), check) },
		show: func(c *Config) string { return strings.Join(*at(c), ", ") }, write: writeTypedList,
	}
}

func writeTypedList(typed string) string {
	var quoted []string
	for _, one := range splitTyped(typed) {
		quoted = append(quoted, tomltext.Quote(one))
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// fileSetting is a path, which the loader makes absolute.
func fileSetting(key, means string, at func(*Config) *string) setting {
	s := stringSetting(key, means, at)
	s.read = func(t configTable, key string, c *Config) {
		if t.values[key] == nil || t.values[key] == "" {
			return
		}
		*at(c), _ = t.folder(Key{Name: key}, filepath.Dir(c.Path))
	}
	return s
}
