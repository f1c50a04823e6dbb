package installer

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/installer/internal/entry"
)

// ConnectOptions says which of a client's files is meant, and how Lectern is reached.
type ConnectOptions struct {
	Project string // a project's folder; empty: the user's file
	HTTP    bool   // by the hub's address rather than our command
	ByFile  bool   // edit the file even if the client has a command of its own
}

// A clientFile is a client's file with our entry in it.
type clientFile struct {
	realPath string // where symbolic links lead
	path     string // as the user knows it
	text     []byte // nil: there is no file
	location entry.Location
	entry    map[string]any // nil: there is none of that name
}

func (m Machine) readClientFile(c Client, name string, in ConnectOptions) (clientFile, error) {
	f := clientFile{location: c.location(name)}
	top := m.Home
	var err error
	if in.Project != "" {
		if c.project == "" {
			return f, fmt.Errorf("%s has no configuration in projects; leave --project out", c.Title)
		}
		top = in.Project
		f.path = filepath.Join(in.Project, filepath.FromSlash(c.project))
	} else if f.path, err = c.file(m); err != nil {
		return f, err
	}
	if f.realPath, err = resolveLink(top, f.path); err != nil {
		return f, err
	}
	return f.load(c)
}

// load reads the file at realPath.
func (f clientFile) load(c Client) (_ clientFile, err error) {
	if f.text, err = readFile(f.realPath); err != nil {
		return f, err
	}
	f.location = c.withDetectedLayout(f.text, f.location.Name).location(f.location.Name)
	if f.entry, err = f.location.Get(f.text); err != nil {
		return f, fmt.Errorf("%s:%w; fix it first, or paste the snippet of `lectern client show %s`", f.path, err, c.ID)
	}
	return f, nil
}

// Install proposes to add the server to a client's configuration. An entry that
// is there already is no change; one of that name that is not ours is an error.
func (m Machine) Install(c Client, server Server, in ConnectOptions) (*Proposal, error) {
	p := m.proposal("Connect " + c.Title)
	server = server.forClient(c)
	if err := c.checkConnectable(server, in); err != nil {
		return nil, err
	}
	f, err := m.readClientFile(c, server.Name, in)
	if err != nil {
		return nil, err
	}
	c = c.withDetectedLayout(f.text, server.Name)
	fields, add, token := c.wantedEntry(server, in.HTTP)
	if old := m.parseEntryTarget(f.entry); f.entry != nil {
		if old.equal(m.parseEntryTarget(fields.Map())) {
			p.Message = fmt.Sprintf("%s has Lectern already, in %s", c.Title, f.path)
			return p, nil
		}
		if !old.isLectern(server) {
			return nil, fmt.Errorf("%s has an entry %s that does not belong to Lectern: it leads to %s; name ours differently with --name, or "+
				"remove that entry",
				f.path, server.Name, old)
		}
		if recorded, err := m.receipts().hasEntry(c, server, f); err != nil {
			return nil, err
		} else if !old.belongsTo(server, recorded) {
			p.risk("the entry %s belongs to %s and is replaced; to keep both, name this one with --name", server.Name, old.owner())
		}
	}
	m.addRisks(p, c, f, in)
	if len(server.Env) > 0 && !in.HTTP {
		p.risk("Lectern's folders are not the usual ones here, so the entry passes %s", strings.Join(describeEnv(server.Env), " "))
	}
	if m.usesOwnCommand(c, add, in) {
		p.runOwnCommand(c, server, f, fields, server.commandLine(add, fields, token))
	} else if err := p.editFile(c, server, f, fields); err != nil {
		return nil, err
	}
	if c.nextStep != "" {
		p.NextSteps = append(p.NextSteps, c.Title+": "+c.nextStep)
	}
	if in.HTTP {
		p.NextSteps = append(p.NextSteps, c.Title+": start it with the token in the environment variable "+TokenVariable)
	}
	return p, nil
}

// checkConnectable says why the client cannot be connected that way.
func (c Client) checkConnectable(server Server, in ConnectOptions) error {
	switch {
	case c.retired != "":
		return fmt.Errorf("connect %s: %s", c.Title, c.retired)
	case len(c.paths) == 0 && in.Project == "":
		return fmt.Errorf("connect %s: Lectern cannot edit its configuration; paste the snippet of `lectern client show %s` in %s",
			c.Title, c.ID, c.pasteHint)
	case !in.HTTP:
		return nil
	case c.http == nil:
		return fmt.Errorf("connect %s: it supports only stdio; leave --http out", c.Title)
	case server.URL == "":
		return fmt.Errorf("connect %s: HTTP is off in the configuration; leave --http out, or set http = true in [hub]", c.Title)
	case c.tokenRef == "":
		return fmt.Errorf("connect %s: its file would contain the token itself, which Lectern never writes there; leave --http out, "+
			"or paste the snippet of `lectern client show %s --http`", c.Title, c.ID)
	}
	return nil
}

func (m Machine) addRisks(p *Proposal, c Client, f clientFile, in ConnectOptions) {
	if !c.Detected(m) && in.Project == "" {
		p.risk("%s does not seem to be on this machine", c.Title)
	}
	if in.Project != "" {
		p.risk("%s is often committed: others then see the path of your binary in it", f.path)
	}
	if f.realPath != f.path {
		p.risk("%s is a symbolic link; %s is edited", f.path, f.realPath)
	}
}

// usesOwnCommand reports whether to run the client's own command: if the client
// rewrites its file while it runs, our edit could be lost.
func (m Machine) usesOwnCommand(c Client, argv []string, in ConnectOptions) bool {
	if m.OS == "windows" && slices.Contains(argv, "$JSON") {
		return false // batch files do not take quotes as they are
	}
	return c.prefersCommand && !in.ByFile && in.Project == "" && len(argv) > 0 && m.Run != nil && m.LookPath(c.program) != ""
}

// editFile proposes an edit of the client's file. Values that a person has
// changed or added stay.
func (p *Proposal) editFile(c Client, server Server, f clientFile, fields entry.Fields) error {
	if f.entry != nil {
		for _, key := range envKeys {
			if env, ok := f.entry[key].(map[string]any); ok {
				f.entry[key] = server.updateEnv(env)
			}
		}
		fields = keepUserValues(fields, f.entry).With(f.entry, append(server.substitute(c.stdio, ""), server.substitute(c.http, "")...))
	}
	after, made, err := f.location.Set(f.text, fields)
	if err != nil {
		return fmt.Errorf("%s: %w; or paste the snippet of `lectern client show %s`", f.path, err, c.ID)
	}
	p.applyChange(fileChange{
		path: f.realPath, before: f.text, after: after, perm: 0o600, backup: true,
		receipt: receipt{Kind: entryReceipt, ID: c.ID, Name: server.Name, Path: f.realPath, Made: made},
	})
	return nil
}

// identityKeys are the fields that say what an entry leads to.
var identityKeys = []string{
	"type", "transport", "command", "cmd", "args", "url", "httpUrl", "serverUrl", "uri", "headers",
	"bearer_token_env_var",
}

// keepUserValues is fields with the values of an older entry, except those of
// identityKeys.
func keepUserValues(fields entry.Fields, old map[string]any) entry.Fields {
	fields = slices.Clone(fields)
	for i, f := range fields {
		if v, ok := old[f.Key]; ok && !slices.Contains(identityKeys, f.Key) {
			fields[i].Value = v
		}
	}
	return fields
}

// updateEnv is an environment with our present folders.
func (s Server) updateEnv(env map[string]any) map[string]any {
	env = maps.Clone(env)
	for _, name := range folderVariables {
		delete(env, name)
		if value := s.Env[name]; value != "" {
			env[name] = value
		}
	}
	return env
}

// runOwnCommand proposes to run the client's own command, and to verify what it
// did.
func (p *Proposal) runOwnCommand(c Client, server Server, f clientFile, fields entry.Fields, argv []string) {
	m := p.machine
	if f.entry != nil && c.remove != nil {
		remove := server.commandLine(c.remove, fields, "")
		p.addCommand(remove, func(ctx context.Context) error { return m.runCommand(ctx, remove) })
	}
	p.addCommand(argv, func(ctx context.Context) error {
		if err := m.receipts().add(receipt{Kind: entryReceipt, ID: c.ID, Name: server.Name, Path: f.realPath}); err != nil {
			return err
		}
		if err := m.runCommand(ctx, argv); err != nil {
			return err
		}
		if slices.Contains(c.add, "$JSON") {
			return nil // it tells a running window, which writes later
		}
		now, err := m.readClientFile(c, server.Name, ConnectOptions{})
		if err == nil && !m.parseEntryTarget(now.entry).equal(m.parseEntryTarget(fields.Map())) {
			err = fmt.Errorf("%s reported success, but %s has no such entry; try --by-file", c.program, f.path)
		}
		return err
	})
}

// runCommand runs a client's own command.
func (m Machine) runCommand(ctx context.Context, argv []string) error {
	path := m.LookPath(argv[0])
	if path == "" {
		return fmt.Errorf("%s is not on PATH", argv[0])
	}
	output, err := m.Run(ctx, append([]string{path}, argv[1:]...))
	if err != nil {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(output))
	}
	return nil
}
