package main

import (
	"errors"
	"fmt"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
	"github.com/lectern-mcp/lectern/tools"
)

// An exitCode is a contract with scripts: every help text prints it.
type exitCode int

const (
	exitDone   exitCode = 0
	exitFailed exitCode = 1
	exitUsage  exitCode = 2
	exitNoHub  exitCode = 3
	exitDenied exitCode = 4

	// exitUnavailable is EX_UNAVAILABLE: a person must end another hub first.
	exitUnavailable exitCode = 69
	// exitTempFail is EX_TEMPFAIL: a hub exited so that another can take over.
	exitTempFail exitCode = 75
)

const exitStatusHelp = `
Exit status: 0 success, 1 failure, 2 usage error, 3 no hub is running, 4 denied.
`

// An exitError carries an exit code. Without a cause it prints nothing: the
// command has printed everything itself.
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

func usageErrorf(format string, args ...any) error { return app.UsageErrorf(format, args...) }

// exitCodeFor is the exit code for what a command returned.
func exitCodeFor(err error) exitCode {
	if e, ok := errors.AsType[*exitError](err); ok {
		return e.code
	}
	if _, ok := errors.AsType[*app.UsageError](err); ok {
		return exitUsage
	}
	if e, ok := errors.AsType[*status.CallError](err); ok && e.Code == string(tools.Denied) {
		return exitDenied
	}
	if errors.Is(err, daemon.ErrNoHub) {
		return exitNoHub
	}
	return exitFailed
}

// addStartHubAdvice adds what to do when no hub is running.
func addStartHubAdvice(err error) error {
	if errors.Is(err, daemon.ErrNoHub) {
		return fmt.Errorf("%w; start one with `lectern` or `lectern hub start`", err)
	}
	return err
}
