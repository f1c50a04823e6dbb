// Package quickjs carries the JavaScript engine: QuickJS-NG 0.17.0 compiled to
// WebAssembly, the file quickjs.wasm of the npm package quickjs-wasi 3.6.2, byte
// for byte, in gzip. LICENSE-quickjs-wasi and LICENSE-quickjs-ng are its licences.
//
// It is data and runs nothing. The sandbox imports it. A test pins the file's
// hash and everything that it imports and exports; another version is a decision.
package quickjs

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
)

// Compressed is what Module is made of; another engine has other bytes.
//
//go:embed quickjs.wasm.gz
var Compressed []byte

// Module returns the WebAssembly module. It is made by each call, in a few
// milliseconds: a process that finds what it needs in a cache makes none.
func Module() ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(Compressed))
	if err != nil {
		return nil, fmt.Errorf("read engine: %w", err)
	}
	module, err := io.ReadAll(z)
	if err != nil {
		return nil, fmt.Errorf("read engine: %w", err)
	}
	return module, nil
}
