package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
)

// A fakeAgent is an MCP client of `lectern serve`.
type fakeAgent struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Scanner
	next int
}

// startAgent starts an agent with a name.
func startAgent(ctx context.Context, exe string, env []string, name string) (*fakeAgent, error) {
	a := &fakeAgent{cmd: exec.CommandContext(ctx, exe, "serve")}
	a.cmd.Env = env
	var err error
	if a.in, err = a.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := a.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	a.out = bufio.NewScanner(out)
	a.out.Buffer(nil, 4<<20)
	if err := a.cmd.Start(); err != nil {
		return nil, err
	}
	hello := map[string]any{
		"protocolVersion": "2025-11-25", "capabilities": map[string]any{}, "clientInfo": map[string]string{"name": name, "version": "1.0"},
	}
	if err := a.requestAndWait("initialize", hello); err != nil {
		return nil, err
	}
	return a, a.write(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
}

func (a *fakeAgent) write(message map[string]any) error {
	b, err := json.Marshal(message)
	if err != nil {
		return err
	}
	_, err = a.in.Write(append(b, '\n'))
	return err
}

// send sends a request and does not wait for the answer.
func (a *fakeAgent) send(method string, params map[string]any) (id int, err error) {
	a.next++
	return a.next, a.write(map[string]any{"jsonrpc": "2.0", "id": a.next, "method": method, "params": params})
}

// requestAndWait sends a request and waits for the answer.
func (a *fakeAgent) requestAndWait(method string, params map[string]any) error {
	id, err := a.send(method, params)
	if err != nil {
		return err
	}
	for a.out.Scan() {
		var answer struct {
			ID     *int            `json:"id"`
			Method string          `json:"method"`
			Error  json.RawMessage `json:"error"`
		}
		if err := json.Unmarshal(a.out.Bytes(), &answer); err != nil {
			return fmt.Errorf("read answer: %w", err)
		}
		if answer.Method == "" && answer.ID != nil && *answer.ID == id {
			if answer.Error != nil {
				return fmt.Errorf("%s: %s", method, answer.Error)
			}
			return nil
		}
	}
	return fmt.Errorf("%s: no answer: %w", method, a.out.Err())
}

// toolCallParams returns the params of tools/call.
func toolCallParams(tool string, args map[string]any) map[string]any {
	return map[string]any{"name": tool, "arguments": args}
}

func (a *fakeAgent) close() {
	_ = a.in.Close()
	_ = a.cmd.Wait() // it ends with its input
}
