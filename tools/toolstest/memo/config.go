package memo

import (
	"cmp"
	"embed"
	"io/fs"

	"github.com/lectern-mcp/lectern/tools"
)

// Config holds the keys of a [[source]] table with kind "memo", besides those
// that every source has. Its schema is made from these tags, and from the schema
// come the checks of the configuration, `lectern source add memo KEY=VALUE`, its
// completion and the panel's form. A key without omitempty (omitzero for a
// Secret) is required.
type Config struct {
	Notebook string            `json:"notebook,omitempty" jsonschema:"which notebook to open; the source's name when omitted"`
	Notes    map[string]string `json:"notes,omitempty" jsonschema:"texts by title, for a new notebook"`
	// A Folder is absolute when Open gets it. `lectern source add PATH` sets the
	// first key of this type.
	Folder tools.Folder `json:"folder,omitempty" jsonschema:"where the notebook belongs; instead of notebook"`
	// A Secret is only a reference. It is read with [tools.Env].Reveal when it is
	// used, and not kept.
	Key tools.Secret `json:"key,omitzero" jsonschema:"the key of programs that use the notes over HTTP; without one there are none"`
}

// check refuses keys that do not go together. A wrong type is refused before.
func (c Config) check() error {
	if c.Notebook != "" && c.Folder != "" {
		return tools.Errorf(tools.Invalid, "notebook and folder: both name the notebook").WithHint("Leave one of them out.")
	}
	return nil
}

// notebookName is the notebook that a source of this name opens.
func (c Config) notebookName(source string) string {
	return cmp.Or(c.Notebook, string(c.Folder), source)
}

//go:embed all:sample
var sampleFiles embed.FS

// sample is for `lectern source add memo --sample`.
func sample() *tools.Sample {
	files, err := fs.Sub(sampleFiles, "sample")
	if err != nil {
		panic(err) // the name is valid
	}
	return &tools.Sample{Title: "Recipes", Files: files, Key: "folder", Keys: map[string]string{"notes": "Soup=Water and salt"}}
}

// environment are the variables with which `lectern serve` opens a notebook that
// no configuration names.
func environment() []tools.EnvironmentVariable {
	return []tools.EnvironmentVariable{
		{Name: "MEMO_NOTEBOOK", Key: "notebook", Doc: "which notebook to open", Required: true},
		{Name: "MEMO_KEY", Key: "key", Doc: "its key"},
	}
}
