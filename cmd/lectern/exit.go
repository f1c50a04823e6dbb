package main

import (
	"errors"
	"fmt"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
	"github.com/lectern-mcp/lectern/tools"
)

// An exitCode is a contract with scripts: it is printed in every help text.
type exitCode int

const (
	exitDone   exitCode = 0
	exitFailed exitCode = 1
	exitUsage  exitCode = 2
	exitNoHub  exitCode = 3
	exitDenied exitCode = 4

	// exitAgain is EX_TEMPFAIL: a hub left for another to take its place.
	exitAgain exitCode = 75
)

const exitHelp = `
Exit status: 0 done, 1 failed, 2 usage, 3 no hub runs, 4 denied.
`

// An exitError carries its exit code. One without a cause says nothing more:
// what there is to say has been said.
type exitError struct {
	code  exitCode
	cause error
}

func (e *exitError) Error() string {
	if e.cause == nil {
		return ""
	}
	return e.cause.Error()
}

func (e *exitError) Unwrap() error { return e.cause }

func usagef(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// exitOf is the code for what a command returned.
func exitOf(err error) exitCode {
	if e, ok := errors.AsType[*exitError](err); ok {
		return e.code
	}
	if e, ok := errors.AsType[*status.CallError](err); ok && e.Code == string(tools.Denied) {
		return exitDenied
	}
	if errors.Is(err, daemon.ErrNoHub) {
		return exitNoHub
	}
	return exitFailed
}
