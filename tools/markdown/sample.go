package markdown

import (
	"embed"
	"io/fs"

	"github.com/lectern-mcp/lectern/tools"
)

//go:embed all:welcome
var embedded embed.FS

// sample is a vault that shows what agents can do with pages, and explains
// Lectern.
func sample() *tools.Sample {
	vault, err := fs.Sub(embedded, "welcome")
	if err != nil {
		panic(err) // the name is valid
	}
	return &tools.Sample{Title: "Welcome", Files: vault, Key: "path"}
}

// Environment are the variables that make a source: the mirror of a wiki, as its
// specification has it.
func Environment() []tools.EnvironmentVariable {
	return []tools.EnvironmentVariable{
		{Name: "MIRROR_DIR", Key: "path", Doc: "the folder that holds the pages", Required: true, Source: "mirror"},
		{Name: "TENANT_ID", Key: "tenant", Doc: "a folder directly below it to use as the whole source"},
	}
}
