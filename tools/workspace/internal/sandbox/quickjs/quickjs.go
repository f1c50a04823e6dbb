// Package quickjs carries the JavaScript engine: QuickJS-NG 0.17.0 compiled to
// WebAssembly, the file quickjs.wasm of the npm package quickjs-wasi 3.6.2, byte
// for byte. LICENSE-quickjs-wasi and LICENSE-quickjs-ng are its licences.
//
// It is data and runs nothing. The sandbox imports it. A test pins the file's
// hash and everything that it imports and exports; another version is a decision.
package quickjs

import _ "embed"

// Module is the WebAssembly module.
//
//go:embed quickjs.wasm
var Module []byte
