package installer

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/installer/internal/entry"
	"github.com/lectern-mcp/lectern/status"
)

// Where says which of a client's files is meant, and how Lectern is reached.
type Where struct {
	Project string // a project's folder; empty: the user's file
	HTTP    bool   // by the hub's address rather than our command
	ByFile  bool   // edit the file even where the client has a command of its own
}

// A clientFile is a file and what it holds for us.
type clientFile struct {
	realPath string // where symbolic links lead
	path     string // as the user knows it
	text     []byte // nil: there is no file
	location entry.Location
	entry    map[string]any // nil: it has none of that name
}

// readClientFile reads a client's file.
func (m Machine) readClientFile(c Client, name string, in Where) (clientFile, error) {
	s := clientFile{location: c.location(name)}
	top := m.Home
	var err error
	if in.Project != "" {
		if c.project == "" {
			return s, fmt.Errorf("%s has no file in projects; leave --project out", c.Title)
		}
		top = in.Project
		s.path = filepath.Join(in.Project, filepath.FromSlash(c.project))
	} else if s.path, err = c.file(m); err != nil {
		return s, err
	}
	if s.realPath, err = resolveLink(top, s.path); err != nil {
		return s, err
	}
	return s.load(c)
}

// load fills a spot in whose paths are known.
func (s clientFile) load(c Client) (_ clientFile, err error) {
	if s.text, err = readFile(s.realPath); err != nil {
		return s, err
	}
	s.location = c.withDetectedLayout(s.text, s.location.Name).location(s.location.Name)
	if s.entry, err = s.location.Get(s.text); err != nil {
		return s, fmt.Errorf("%s:%w; mend it first, or paste the snippet of `lectern client show %s`", s.path, err, c.ID)
	}
	return s, nil
}

// Install proposes to put the server into a client's configuration. What is
// there already is no change; an entry of that name that is not ours is an
// error.
func (m Machine) Install(c Client, server Server, in Where) (*Proposal, error) {
	p := m.proposal("Connect " + c.Title)
	if err := c.checkConnectable(server, in); err != nil {
		return nil, err
	}
	s, err := m.readClientFile(c, server.Name, in)
	if err != nil {
		return nil, err
	}
	c = c.withDetectedLayout(s.text, server.Name)
	fields, add, token := c.wantedEntry(server, in.HTTP)
	if old := parseTarget(s.entry); s.entry != nil {
		if old.equal(parseTarget(fields.Map())) {
			p.Said = fmt.Sprintf("%s has Lectern already, in %s", c.Title, s.path)
			return p, nil
		}
		if !old.isLectern(server) {
			return nil, fmt.Errorf("%s has an entry %s that is not ours: it leads to %s; give ours another name with --name, or remove that one",
				s.path, server.Name, old)
		}
	}
	m.addRisks(p, c, s, in)
	if m.usesOwnCommand(c, add, in) {
		p.runOwnCommand(c, server, s, fields, server.commandLine(add, fields, token))
	} else if err := p.editFile(c, server, s, fields); err != nil {
		return nil, err
	}
	if c.nextStep != "" {
		p.After = append(p.After, c.Title+": "+c.nextStep)
	}
	if in.HTTP {
		p.After = append(p.After, c.Title+": start it where the environment variable "+TokenVariable+" holds the token")
	}
	return p, nil
}

// checkConnectable says why the client cannot be connected that way.
func (c Client) checkConnectable(server Server, in Where) error {
	switch {
	case c.retired != "":
		return fmt.Errorf("connect %s: %s", c.Title, c.retired)
	case len(c.paths) == 0 && in.Project == "":
		return fmt.Errorf("connect %s: it has no file that we can edit; paste the snippet of `lectern client show %s` in %s", c.Title, c.ID, c.pasteHint)
	case !in.HTTP:
		return nil
	case c.http == nil:
		return fmt.Errorf("connect %s: it speaks stdio alone; leave --http out", c.Title)
	case server.URL == "":
		return fmt.Errorf("connect %s: HTTP is off in the configuration; leave --http out, or set http = true in [hub]", c.Title)
	case c.tokenRef == "":
		return fmt.Errorf("connect %s: its file would have to hold the token, and we write that into nobody's file; leave --http out, or paste the snippet of `lectern client show %s --http`", c.Title, c.ID)
	}
	return nil
}

// addRisks says what a person should know first.
func (m Machine) addRisks(p *Proposal, c Client, s clientFile, in Where) {
	if !c.Detected(m) && in.Project == "" {
		p.risk("%s does not seem to be on this machine", c.Title)
	}
	if in.Project != "" {
		p.risk("%s is often committed: others then find the path of your binary in it", s.path)
	}
	if s.realPath != s.path {
		p.risk("%s is a symbolic link; %s is edited", s.path, s.realPath)
	}
}

// usesOwnCommand reports whether to run the client's own command: where it writes
// its file all the time, an edit of ours could be lost.
func (m Machine) usesOwnCommand(c Client, argv []string, in Where) bool {
	if m.OS == "windows" && slices.Contains(argv, "$JSON") {
		return false // batch files do not take quotes as they are
	}
	return c.prefersCommand && !in.ByFile && in.Project == "" && len(argv) > 0 && m.Run != nil && m.Look(c.program) != ""
}

// editFile proposes an edit of the client's file. Fields of ours that a person
// has changed meanwhile, and those that they have added, stay.
func (p *Proposal) editFile(c Client, server Server, s clientFile, fields entry.Fields) error {
	if s.entry != nil {
		for _, key := range []string{"env", "environment", "envs"} {
			if env, ok := s.entry[key].(map[string]any); ok {
				s.entry[key] = server.updateEnv(env)
			}
		}
		fields = keepUserValues(fields, s.entry).With(s.entry, append(server.substitute(c.stdio, ""), server.substitute(c.http, "")...))
	}
	after, made, err := s.location.Set(s.text, fields)
	if err != nil {
		return fmt.Errorf("%s: %w; or paste the snippet of `lectern client show %s`", s.path, err, c.ID)
	}
	ch := change{
		path: s.realPath, before: s.text, after: after, perm: 0o600, backup: true,
		receipt: receipt{Kind: entryReceipt, ID: c.ID, Name: server.Name, Path: s.realPath, Made: made},
	}
	p.step(status.Step{What: ch.describe(), Diff: ch.diff()}, func(context.Context) error { return p.machine.apply(ch) })
	return nil
}

// identityKeys are the fields that say what an entry leads to.
var identityKeys = []string{"type", "transport", "command", "cmd", "args", "url", "httpUrl", "serverUrl", "uri", "headers", "bearer_token_env_var"}

// keepUserValues is fields with the values that an entry has, but for its identity.
func keepUserValues(fields entry.Fields, old map[string]any) entry.Fields {
	fields = slices.Clone(fields)
	for i, f := range fields {
		v, ok := old[f.Key]
		if !ok || slices.Contains(identityKeys, f.Key) {
			continue
		}
		fields[i].Value = v
	}
	return fields
}

// updateEnv is an environment with where Lectern is now.
func (s Server) updateEnv(env map[string]any) map[string]any {
	env = maps.Clone(env)
	delete(env, homeVariable)
	if s.Home != "" {
		env[homeVariable] = s.Home
	}
	return env
}

// runOwnCommand proposes to run the client's own command, and to look whether it
// did what it should.
func (p *Proposal) runOwnCommand(c Client, server Server, s clientFile, fields entry.Fields, argv []string) {
	m := p.machine
	if s.entry != nil && c.remove != nil {
		drop := server.commandLine(c.remove, fields, "")
		p.step(status.Step{What: "run " + shellLine(drop, m.OS)}, func(ctx context.Context) error { return m.runCommand(ctx, drop) })
	}
	p.step(status.Step{What: "run " + shellLine(argv, m.OS)}, func(ctx context.Context) error {
		x := receipt{Kind: entryReceipt, ID: c.ID, Name: server.Name, Path: s.realPath}
		if err := m.addReceipt(x); err != nil {
			return err
		}
		if err := m.runCommand(ctx, argv); err != nil {
			return err
		}
		if slices.Contains(c.add, "$JSON") {
			return nil // it tells a running window, which writes when it likes
		}
		now, err := m.readClientFile(c, server.Name, Where{})
		if err == nil && !parseTarget(now.entry).equal(parseTarget(fields.Map())) {
			err = fmt.Errorf("%s says that it is done, but %s has no such entry; try --by-file", c.program, s.path)
		}
		return err
	})
}

// runCommand runs a client's own command.
func (m Machine) runCommand(ctx context.Context, argv []string) error {
	path := m.Look(argv[0])
	if path == "" {
		return fmt.Errorf("%s is not on PATH", argv[0])
	}
	said, err := m.Run(ctx, append([]string{path}, argv[1:]...))
	if err != nil {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(said))
	}
	return nil
}
