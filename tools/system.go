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
	// Peer names the Peer that the source needs, such as a graph; empty means
	// the only one that is connected. Nil: the System has no Peer.
	Peer func(config C) string
	// Detect reports whether a directory looks like one of this System. Nil:
	// it is never detected.
	Detect      func(dir fs.FS) Detection
	ErrorFormat ErrorFormat
	Tools       []Tool[S]
	Resources   []Resource[S]
	Prompts     []Prompt[S]
	Pages       *Pages[S] // nil: its pages cannot be browsed
}

// A Detection says how well a directory fits a System. The highest Score wins;
// 0 means not at all.
type Detection struct {
	Score  int
	Reason string // "it has an .obsidian folder"
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
	// PeerName names the Peer that a source with this configuration needs;
	// wanted is false if it needs none. Its errors are those of Open.
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
	// ErrorCodes are the System's own words for each Code.
	ErrorCodes  map[Code]string `json:"errors"`
	ErrorFormat ErrorFormat     `json:"-"`
}

// Tool finds a tool by its name.
func (m *Manifest) Tool(name string) (ToolInfo, bool) {
	i := slices.IndexFunc(m.Tools, func(t ToolInfo) bool { return t.Name == name })
	if i < 0 {
		return ToolInfo{}, false
	}
	return m.Tools[i], true
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
