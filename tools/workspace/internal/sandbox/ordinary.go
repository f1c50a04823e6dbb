package sandbox

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net/http"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// ordinary is what scripts usually do. The functions of the engine that it uses are
// loaded first.
//
//go:embed ordinary.js
var ordinary string

// ordinaryScripts are ordinary, and scripts that end in other ways.
func ordinaryScripts() []Script {
	return []Script{
		{Code: ordinary, WorkspaceID: "ws", Input: []byte(`{"names":["a","b"],"limit":10}`)},
		{Code: "const rows = host.call('GET', '/notes');\nreturn rows.length"},
		{Code: "const note = null;\nnote.title"},
	}
}

// callRecorder notes which functions of the modules that are compiled with its context are
// called, by their indexes.
type callRecorder struct{ called map[uint32]bool }

func (r *callRecorder) context(ctx context.Context) context.Context {
	return experimental.WithFunctionListenerFactory(ctx, r)
}

// NewFunctionListener implements [experimental.FunctionListenerFactory].
func (r *callRecorder) NewFunctionListener(definition api.FunctionDefinition) experimental.FunctionListener {
	index := definition.Index()
	return experimental.FunctionListenerFunc(func(context.Context, api.Module, api.FunctionDefinition, []uint64, experimental.StackIterator) {
		if r.called != nil {
			r.called[index] = true
		}
	})
}

// record runs the ordinary scripts in an instance of p, of which the image was taken.
func (s *Sandbox) record(ctx context.Context, recorder *callRecorder, in *instance, p *preparedModule) error {
	recorder.called = map[uint32]bool{}
	for _, script := range ordinaryScripts() {
		source, err := s.source(ctx, script, s.limits)
		if err != nil {
			return err
		}
		r := &run{sandbox: s, prepared: p, instance: in, host: ordinaryHost{}, limits: s.limits, script: script, source: source}
		err = r.carryOut(ctx)
		if failure, ok := errors.AsType[*Error](err); err != nil && (!ok || failure.Name != ExecutionError || script.Code == ordinary) {
			return fmt.Errorf("run ordinary script: %w", err)
		}
	}
	return nil
}

// ordinaryHost answers what ordinary scripts ask.
type ordinaryHost struct{}

// Call implements [Host].
func (ordinaryHost) Call(_ context.Context, call HostCall) (HostAnswer, error) {
	if call.Path == "/notes/missing" {
		return HostAnswer{Status: http.StatusNotFound, Body: []byte(`{"detail":"note not found"}`)}, nil
	}
	return HostAnswer{Status: http.StatusOK, Body: []byte(
		`[{"id":"n1","title":"Gr\u00fc\u00dfe \ud83d\ude00","tags":["a"],"properties":{"Status":"open","Hours":1.5,"Done":false,"Due":null}}]`)}, nil
}
