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

// A spot is a file and what it holds for us.
type spot struct {
	path  string // where symbolic links lead
	named string // as the user knows it
	text  []byte // nil: there is no file
	place entry.Place
	entry map[string]any // nil: it has none of that name
}

// spot reads a client's file.
func (m Machine) spot(c Client, name string, in Where) (spot, error) {
	s := spot{place: c.place(name)}
	top := m.Home
	var err error
	if in.Project != "" {
		if c.project == "" {
			return s, fmt.Errorf("%s has no file in projects; leave --project out", c.Title)
		}
		top = in.Project
		s.named = filepath.Join(in.Project, filepath.FromSlash(c.project))
	} else if s.named, err = c.file(m); err != nil {
		return s, err
	}
	if s.path, err = within(top, s.named); err != nil {
		return s, err
	}
	return s.read(c)
}

// read fills a spot in whose paths are known.
func (s spot) read(c Client) (_ spot, err error) {
	if s.text, err = readFile(s.path); err != nil {
		return s, err
	}
	s.place = c.as(s.text, s.place.Name).place(s.place.Name)
	if s.entry, err = s.place.Get(s.text); err != nil {
		return s, fmt.Errorf("%s:%w; mend it first, or paste the snippet of `lectern client show %s`", s.named, err, c.ID)
	}
	return s, nil
}

// Install proposes to put the server into a client's configuration. What is
// there already is no change; an entry of that name that is not ours is an
// error.
func (m Machine) Install(c Client, server Server, in Where) (*Proposal, error) {
	p := m.proposal("Connect " + c.Title)
	if err := c.can(server, in); err != nil {
		return nil, err
	}
	s, err := m.spot(c, server.Name, in)
	if err != nil {
		return nil, err
	}
	c = c.as(s.text, server.Name)
	fields, add, token := c.want(server, in.HTTP)
	if old := targetOf(s.entry); s.entry != nil {
		if old.equal(targetOf(fields.Map())) {
			p.Said = fmt.Sprintf("%s has Lectern already, in %s", c.Title, s.named)
			return p, nil
		}
		if !old.ours(server) {
			return nil, fmt.Errorf("%s has an entry %s that is not ours: it leads to %s; give ours another name with --name, or remove that one",
				s.named, server.Name, old)
		}
	}
	m.warn(p, c, s, in)
	if m.ownCommand(c, add, in) {
		p.byCommand(c, server, s, fields, server.command(add, fields, token))
	} else if err := p.byFile(c, server, s, fields); err != nil {
		return nil, err
	}
	if c.after != "" {
		p.After = append(p.After, c.Title+": "+c.after)
	}
	if in.HTTP {
		p.After = append(p.After, c.Title+": start it where the environment variable "+TokenVariable+" holds the token")
	}
	return p, nil
}

// can says why the client cannot be connected that way.
func (c Client) can(server Server, in Where) error {
	switch {
	case c.retired != "":
		return fmt.Errorf("connect %s: %s", c.Title, c.retired)
	case len(c.paths) == 0 && in.Project == "":
		return fmt.Errorf("connect %s: it has no file that we can edit; paste the snippet of `lectern client show %s` in %s", c.Title, c.ID, c.paste)
	case !in.HTTP:
		return nil
	case c.http == nil:
		return fmt.Errorf("connect %s: it speaks stdio alone; leave --http out", c.Title)
	case server.URL == "":
		return fmt.Errorf("connect %s: HTTP is off in the configuration; leave --http out, or set http = true in [hub]", c.Title)
	case c.token == "":
		return fmt.Errorf("connect %s: its file would have to hold the token, and we write that into nobody's file; leave --http out, or paste the snippet of `lectern client show %s --http`", c.Title, c.ID)
	}
	return nil
}

// warn says what a person should know first.
func (m Machine) warn(p *Proposal, c Client, s spot, in Where) {
	if !c.Detected(m) && in.Project == "" {
		p.risk("%s does not seem to be on this machine", c.Title)
	}
	if in.Project != "" {
		p.risk("%s is often committed: others then find the path of your binary in it", s.named)
	}
	if s.path != s.named {
		p.risk("%s is a symbolic link; %s is edited", s.named, s.path)
	}
}

// ownCommand reports whether to run the client's own command: where it writes
// its file all the time, an edit of ours could be lost.
func (m Machine) ownCommand(c Client, argv []string, in Where) bool {
	if m.OS == "windows" && slices.Contains(argv, "$JSON") {
		return false // batch files do not take quotes as they are
	}
	return c.live && !in.ByFile && in.Project == "" && len(argv) > 0 && m.Run != nil && m.Look(c.program) != ""
}

// byFile proposes an edit of the client's file. Fields of ours that a person
// has changed meanwhile, and those that they have added, stay.
func (p *Proposal) byFile(c Client, server Server, s spot, fields entry.Fields) error {
	if s.entry != nil {
		for _, key := range []string{"env", "environment", "envs"} {
			if env, ok := s.entry[key].(map[string]any); ok {
				s.entry[key] = server.at(env)
			}
		}
		fields = kept(fields, s.entry).With(s.entry, append(server.fill(c.stdio, ""), server.fill(c.http, "")...))
	}
	after, made, err := s.place.Set(s.text, fields)
	if err != nil {
		return fmt.Errorf("%s: %w; or paste the snippet of `lectern client show %s`", s.named, err, c.ID)
	}
	ch := change{
		path: s.path, before: s.text, after: after, perm: 0o600, keep: true,
		mark: mark{Kind: entryMark, ID: c.ID, Name: server.Name, Path: s.path, Made: made},
	}
	p.step(status.Step{What: ch.what(), Diff: ch.diff()}, func(context.Context) error { return p.machine.make(ch) })
	return nil
}

// identity are the fields that say what an entry leads to.
var identity = []string{"type", "transport", "command", "cmd", "args", "url", "httpUrl", "serverUrl", "uri", "headers", "bearer_token_env_var"}

// kept is fields with the values that an entry has, but for its identity.
func kept(fields entry.Fields, old map[string]any) entry.Fields {
	fields = slices.Clone(fields)
	for i, f := range fields {
		v, ok := old[f.Key]
		if !ok || slices.Contains(identity, f.Key) {
			continue
		}
		fields[i].Value = v
	}
	return fields
}

// at is an environment with where Lectern is now.
func (s Server) at(env map[string]any) map[string]any {
	env = maps.Clone(env)
	delete(env, homeVariable)
	if s.Home != "" {
		env[homeVariable] = s.Home
	}
	return env
}

// byCommand proposes to run the client's own command, and to look whether it
// did what it should.
func (p *Proposal) byCommand(c Client, server Server, s spot, fields entry.Fields, argv []string) {
	m := p.machine
	if s.entry != nil && c.drop != nil {
		drop := server.command(c.drop, fields, "")
		p.step(status.Step{What: "run " + shellLine(drop, m.OS)}, func(ctx context.Context) error { return m.run(ctx, drop) })
	}
	p.step(status.Step{What: "run " + shellLine(argv, m.OS)}, func(ctx context.Context) error {
		x := mark{Kind: entryMark, ID: c.ID, Name: server.Name, Path: s.path}
		if err := m.note(x); err != nil {
			return err
		}
		if err := m.run(ctx, argv); err != nil {
			return err
		}
		if slices.Contains(c.add, "$JSON") {
			return nil // it tells a running window, which writes when it likes
		}
		now, err := m.spot(c, server.Name, Where{})
		if err == nil && !targetOf(now.entry).equal(targetOf(fields.Map())) {
			err = fmt.Errorf("%s says that it is done, but %s has no such entry; try --by-file", c.program, s.named)
		}
		return err
	})
}

// run runs a client's own command.
func (m Machine) run(ctx context.Context, argv []string) error {
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
