package tools

import (
	"context"
	"encoding/json"
	"io/fs"
	"reflect"
	"slices"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/status"
)

// A System is a kind of knowledge base: the one value that declares it. S is
// its opened form, C the struct of its own keys in a [[source]] table of the
// configuration file.
type System[S Source, C any] struct {
	Name  string // [a-z]+; prefixes tool names where a session exposes several Systems
	Title string
	Doc   string // one paragraph: what it opens, what it is good for
	// Open opens a source. It returns an [Error] with code Unavailable when
	// what the configuration names is not there.
	Open func(ctx context.Context, config C, env Env) (S, error)
	// CheckConfig returns what is wrong with keys that each have the right type,
	// without looking at the disk: a source that is refused for it is never added.
	// Open checks the same. Nil: nothing can be wrong.
	CheckConfig func(config C) error
	// Detect reports whether a directory looks like one of this System. Nil:
	// it is never detected.
	Detect func(dir fs.FS) Detection
	// UsualFolders lists folders where people usually keep files of this System, from
	// what their programs have set: absolute, or beginning with ~/. home is the home
	// folder. Nil: none.
	UsualFolders func(home fs.FS) []string
	ErrorFormat  ErrorFormat
	Tools        []Tool[S]
	Resources    []Resource[S]
	Prompts      []Prompt[S]
	Pages        *Pages[S]    // nil: its pages cannot be browsed
	Peer         *PeerSpec[C] // nil: it talks to no other application
	// Problems are all that its sources may raise; their codes begin with the
	// System's name and a full stop.
	Problems []status.ProblemType
	Checks   []Check[S]
	Commands []Command[S]
	// Roles, least first. Whoever is not proven, or was assigned none, has the
	// first. Nil: all callers are alike.
	Roles  []Role
	Routes *Routes // answered by S, which is then an http.Handler; nil: none
	// Folders asks for [Env].Cache and [Env].Data.
	Folders     bool
	Sample      *Sample // nil: none
	Environment []EnvironmentVariable
	// RemoteKey is the configuration key that names a service elsewhere: calls of a source
	// that has it leave the machine. Empty: none do.
	RemoteKey string
	// TextTarget reports whether the [State] of a target is the text of a page as
	// people read and edit it. Before they allow a call that changes such a page they
	// may leave out parts of the change, or write another text: [Restorer].Restore
	// takes the page there. Nil: no target is.
	TextTarget func(target string) bool
}

// A Detection says how well a directory fits a System. The highest Score wins;
// where two Systems claim a directory, a person chooses. Usual scores: 90 for a
// mark that only the System has, 50 for files of its kind, 10 for a guess; 0
// means not at all.
type Detection struct {
	Score  int
	Reason string // "it has an .obsidian folder"
	// Ext is the extension of its pages, such as ".md". Of Systems that all say one, the one
	// of most files is taken. Empty: files say nothing.
	Ext string
}

// A Kind is a System without its type parameters.
type Kind interface {
	// Manifest is the declaration as pure data. It is the same from call to
	// call and never nil inside.
	Manifest() *Manifest
	// Open opens a source from the JSON of its configuration keys. An unknown
	// key is an Invalid error that names it.
	Open(ctx context.Context, config json.RawMessage, env Env) (*OpenedSource, error)
	Detect(dir fs.FS) Detection
	// CheckConfig returns what is wrong with configuration keys that Open would
	// not look at the disk for.
	CheckConfig(config json.RawMessage) error
	// Peer is the System's view of its Peers; nil if it has none.
	Peer() *ErasedPeer
}

// Manifest is the pure data of a System.
type Manifest struct {
	Name      string             `json:"name"`
	Title     string             `json:"title"`
	Doc       string             `json:"description"`
	Config    *jsonschema.Schema `json:"config"`
	Tools     []ToolInfo         `json:"tools"`
	Resources []ResourceInfo     `json:"resources"`
	Prompts   []PromptInfo       `json:"prompts"`
	// ErrorCodes are the System's own words for each Code.
	ErrorCodes   map[Code]string       `json:"errors"`
	Roles        []Role                `json:"roles,omitempty"` // least first
	Routes       *Routes               `json:"routes,omitempty"`
	Commands     []CommandInfo         `json:"commands,omitempty"`
	Checks       []CheckInfo           `json:"checks,omitempty"`
	Environment  []EnvironmentVariable `json:"environment,omitempty"`
	ErrorFormat  ErrorFormat           `json:"-"`
	Problems     []status.ProblemType  `json:"-"`
	Sample       *Sample               `json:"-"` // nil: none
	Folders      bool                  `json:"-"` // its sources have folders of their own
	UsualFolders func(fs.FS) []string  `json:"-"` // [System].UsualFolders; nil: none
	TextTarget   func(string) bool     `json:"-"` // [System].TextTarget; nil: none
	RemoteKey    string                `json:"-"` // [System].RemoteKey; empty: none
}

// CheckInfo is the part of a [Check] that is pure data.
type CheckInfo struct {
	Name    string        `json:"name"`
	Title   string        `json:"title"`
	Timeout time.Duration `json:"-"`
}

// Tool finds a tool by its name.
func (m *Manifest) Tool(name string) (ToolInfo, bool) {
	i := slices.IndexFunc(m.Tools, func(t ToolInfo) bool { return t.Name == name })
	if i < 0 {
		return ToolInfo{}, false
	}
	return m.Tools[i], true
}

// HasCommand reports whether there is a command of this name.
func (m *Manifest) HasCommand(name string) bool {
	return slices.ContainsFunc(m.Commands, func(c CommandInfo) bool { return c.Name == name })
}

// SearchTool is the first tool that declares Hits.
func (m *Manifest) SearchTool() (ToolInfo, bool) {
	i := slices.IndexFunc(m.Tools, func(t ToolInfo) bool { return t.Hits != nil })
	if i < 0 {
		return ToolInfo{}, false
	}
	return m.Tools[i], true
}

// erasedSystem implements [Kind].
type erasedSystem[S Source, C any] struct {
	system   System[S, C]
	manifest Manifest
}

// Erase returns a System as a [Kind]. Output schemas are published so that they
// also allow the System's error object.
func Erase[S Source, C any](s System[S, C]) Kind {
	m := Manifest{
		Name: s.Name, Title: s.Title, Doc: s.Doc, Config: inferSchema(reflect.TypeFor[C]()), ErrorCodes: map[Code]string{},
		ErrorFormat: s.ErrorFormat,
		Tools:       []ToolInfo{}, Resources: []ResourceInfo{}, Prompts: []PromptInfo{},
		Roles: s.Roles, Routes: s.Routes, Environment: s.Environment, Problems: s.Problems, Sample: s.Sample, Folders: s.Folders,
		UsualFolders: s.UsualFolders, TextTarget: s.TextTarget, RemoteKey: s.RemoteKey,
	}
	if s.ErrorFormat.shape == nil {
		m.ErrorFormat.schema = copyOpen(publishOutput(inferSchema(reflect.TypeFor[DefaultErrorObject]())))
	}
	for _, c := range Codes() {
		m.ErrorCodes[c] = s.ErrorFormat.Code(&Error{Code: c})
	}
	for _, t := range s.Tools {
		info := t.info
		info.Out = allowErrorObject(info.Out, m.ErrorFormat.schema)
		m.Tools = append(m.Tools, info)
	}
	for _, r := range s.Resources {
		m.Resources = append(m.Resources, ResourceInfo{r.Name, r.Title, r.Doc, r.URI, r.MIME, r.Shared, r.Listed, r.Polled})
	}
	for _, p := range s.Prompts {
		m.Prompts = append(m.Prompts, PromptInfo{p.Name, p.Title, p.Doc, append([]PromptArgument{}, p.Arguments...)})
	}
	for _, c := range s.Checks {
		m.Checks = append(m.Checks, c.info())
	}
	for _, c := range s.Commands {
		m.Commands = append(m.Commands, c.CommandInfo)
	}
	return &erasedSystem[S, C]{s, m}
}

func (k *erasedSystem[S, C]) Manifest() *Manifest { return &k.manifest }

func (k *erasedSystem[S, C]) Detect(dir fs.FS) Detection {
	if k.system.Detect == nil {
		return Detection{}
	}
	return k.system.Detect(dir)
}

func (k *erasedSystem[S, C]) CheckConfig(config json.RawMessage) error {
	var c C
	if err := decodeConfig(k.manifest.Config, config, &c); err != nil || k.system.CheckConfig == nil {
		return err
	}
	return k.system.CheckConfig(c)
}

func (k *erasedSystem[S, C]) Peer() *ErasedPeer {
	spec := k.system.Peer
	if spec == nil {
		return nil
	}
	name := func(config json.RawMessage) (string, error) {
		var c C
		if err := decodeConfig(k.manifest.Config, config, &c); err != nil {
			return "", err
		}
		return spec.Name(c), nil
	}
	return &ErasedPeer{spec.Skill, name, spec.Describe, spec.Code, spec.Origins, spec.Setup, spec.Opened}
}

func (k *erasedSystem[S, C]) Open(ctx context.Context, config json.RawMessage, env Env) (*OpenedSource, error) {
	var c C
	if err := decodeConfig(k.manifest.Config, config, &c); err != nil {
		return nil, err
	}
	src, err := k.system.Open(ctx, c, env.withDefaults())
	if err != nil {
		return nil, err
	}
	return k.bind(src, env.Name), nil
}
