package tools

import (
	"context"
	"encoding/json"
	"io/fs"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
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
	// Peer says which Peer the source wants, by the name that it goes by (a
	// graph); empty: the only one there is. Nil: the System has no Peer.
	Peer func(config C) string
	// Detect says how sure the System is that a directory is one of its own.
	// Nil: never detected.
	Detect      func(dir fs.FS) Detection
	ErrorFormat ErrorFormat
	Tools       []Tool[S]
	Resources   []Resource[S]
	Prompts     []Prompt[S]
	Pages       *Pages[S] // nil: there is nothing to look through
}

// A Detection is a System's claim on a directory. The greatest Score wins; 0 means
// no.
type Detection struct {
	Score  int
	Reason string // "it has an .obsidian folder"
}

// A Kind is a System whose type parameters have been erased.
type Kind interface {
	// Manifest is the declaration as pure data. It is the same from call to
	// call and never nil inside.
	Manifest() *Manifest
	// Open opens a source from the JSON of its configuration keys. A key that
	// the System does not know is an Invalid error that names it.
	Open(ctx context.Context, config json.RawMessage, env Env) (*OpenedSource, error)
	Detect(dir fs.FS) Detection
	// PeerName says which Peer a source of this configuration wants, and
	// whether it wants one at all. It errs as Open does.
	PeerName(config json.RawMessage) (name string, wanted bool, err error)
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
	// ErrorCodes is how the specification spells each Code.
	ErrorCodes  map[Code]string `json:"errors"`
	ErrorFormat ErrorFormat     `json:"-"`
}

// Tool finds a tool by its name in the System.
func (m *Manifest) Tool(name string) (ToolInfo, bool) {
	i := slices.IndexFunc(m.Tools, func(t ToolInfo) bool { return t.Name == name })
	if i < 0 {
		return ToolInfo{}, false
	}
	return m.Tools[i], true
}

// SearchTool is the tool that finds things by words: the first that says so.
func (m *Manifest) SearchTool() (ToolInfo, bool) {
	i := slices.IndexFunc(m.Tools, func(t ToolInfo) bool { return t.Hits != nil })
	if i < 0 {
		return ToolInfo{}, false
	}
	return m.Tools[i], true
}

// erasedSystem is the one implementation of [Kind].
type erasedSystem[S Source, C any] struct {
	system   System[S, C]
	manifest Manifest
}

// Erase makes the [Kind] of a System. Output schemas are published in a form
// that admits the System's error object.
func Erase[S Source, C any](s System[S, C]) Kind {
	m := Manifest{
		Name: s.Name, Title: s.Title, Doc: s.Doc, Config: inferSchema[C](), ErrorCodes: map[Code]string{}, ErrorFormat: s.ErrorFormat,
		Tools: []ToolInfo{}, Resources: []ResourceInfo{}, Prompts: []PromptInfo{},
	}
	if s.ErrorFormat.shape == nil {
		m.ErrorFormat.schema = inferSchema[DefaultErrorObject]()
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
		m.Resources = append(m.Resources, ResourceInfo{r.Name, r.Title, r.Doc, r.URI, r.MIME})
	}
	for _, p := range s.Prompts {
		m.Prompts = append(m.Prompts, PromptInfo{p.Name, p.Title, p.Doc, append([]PromptArgument{}, p.Arguments...)})
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

func (k *erasedSystem[S, C]) PeerName(config json.RawMessage) (name string, wanted bool, err error) {
	if k.system.Peer == nil {
		return "", false, nil
	}
	var c C
	if err := decodeArguments(k.manifest.Config, config, &c); err != nil {
		return "", true, err
	}
	return k.system.Peer(c), true, nil
}

func (k *erasedSystem[S, C]) Open(ctx context.Context, config json.RawMessage, env Env) (*OpenedSource, error) {
	var c C
	if err := decodeArguments(k.manifest.Config, config, &c); err != nil {
		return nil, err
	}
	src, err := k.system.Open(ctx, c, env)
	if err != nil {
		return nil, err
	}
	return k.bind(src, env.Name), nil
}
