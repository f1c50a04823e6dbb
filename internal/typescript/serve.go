package typescript

import (
	"encoding/json"
	"errors"
	"io"
	"runtime/debug"
	"strings"
	"unicode/utf8"

	"github.com/evanw/esbuild/pkg/api"
)

// Bounds of the child process.
const (
	maxStack  = 128 << 20 // bytes; what needs more ends the process
	maxMemory = 1 << 30   // bytes; beyond, the system refuses
)

// Serve answers the requests of a Compiler until in ends. It bounds the whole
// process, which should do nothing else, and returns when in ends even if a
// compilation is under way, so that the process can exit.
func Serve(in io.Reader, out io.Writer) error {
	debug.SetMaxStack(maxStack)
	if err := limitMemory(maxMemory); err != nil {
		return err
	}
	ended := make(chan error, 2)
	requests := make(chan request)
	go func() { ended <- readRequests(in, requests) }()
	go func() { ended <- answerRequests(requests, out) }()
	return <-ended
}

func readRequests(in io.Reader, requests chan<- request) error {
	lines := json.NewDecoder(in)
	for {
		var r request
		if err := lines.Decode(&r); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		requests <- r
	}
}

func answerRequests(requests <-chan request, out io.Writer) error {
	for r := range requests {
		answer, err := json.Marshal(compile(r.Source))
		if err != nil {
			return err
		}
		if _, err := out.Write(append(answer, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// Around code that returns outside of functions and cannot be compiled so.
const (
	wrapStart = "(async function $script() {"
	wrapEnd   = "\n})()"
)

// compile compiles a script. One that both awaits and returns outside of
// functions becomes the body of one.
func compile(source string) response {
	r := transform(source)
	if len(r.Errors) > 0 && strings.HasPrefix(r.Errors[0].Text, "Top-level return") {
		r = transform(wrapStart + source + wrapEnd)
		for i := range r.Errors {
			if at := r.Errors[i].Location; at != nil && at.Line == 1 {
				at.Column -= len(wrapStart)
				at.LineText = strings.TrimPrefix(at.LineText, wrapStart)
			}
		}
		return makeResponse(r, len(wrapStart))
	}
	return makeResponse(r, 0)
}

func transform(source string) api.TransformResult {
	return api.Transform(source, api.TransformOptions{
		Loader:    api.LoaderTS,
		Target:    api.ESNext,
		Charset:   api.CharsetUTF8,
		Sourcemap: api.SourceMapExternal,
		// Indentation of nested code would be as large as its square.
		MinifyWhitespace: true,
		SourcesContent:   api.SourcesContentExclude,
	})
}

func makeResponse(r api.TransformResult, prefix int) response {
	if len(r.Errors) > 0 {
		e := &Error{Message: "SyntaxError: " + r.Errors[0].Text}
		if at := r.Errors[0].Location; at != nil {
			e.Line = at.Line
			e.Column = 1 + utf8.RuneCountInString(at.LineText[:max(0, min(at.Column, len(at.LineText)))])
		}
		return response{Error: e}
	}
	var sourceMap struct {
		Mappings string `json:"mappings"`
	}
	if err := json.Unmarshal(r.Map, &sourceMap); err != nil {
		return response{Error: &Error{Message: err.Error()}}
	}
	return response{Code: string(r.Code), Mappings: sourceMap.Mappings, Prefix: prefix}
}
