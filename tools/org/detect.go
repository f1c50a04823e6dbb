package org

import (
	"embed"
	"io/fs"
	"path"

	"github.com/lectern-mcp/lectern/tools"
)

// Detect recognises folders with .org files at or near the top.
func Detect(dir fs.FS) tools.Detection {
	for _, pattern := range []string{"*.org", "*/*.org"} {
		if found, err := fs.Glob(dir, pattern); err == nil && len(found) > 0 {
			return tools.Detection{Score: 50, Reason: "it has Org files, such as " + path.Base(found[0])}
		}
	}
	return tools.Detection{}
}

//go:embed all:welcome
var embedded embed.FS

// sample is a folder that shows what agents can do with Org files.
func sample() *tools.Sample {
	files, err := fs.Sub(embedded, "welcome")
	if err != nil {
		panic(err) // the name is valid
	}
	return &tools.Sample{Title: "Tasks", Files: files, Key: "path"}
}
