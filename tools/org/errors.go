package org

import (
	"errors"
	"io/fs"
	"syscall"

	"github.com/lectern-mcp/lectern/internal/atomicfile"
	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgedit"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

// ErrorObject is the specification's error object, with a hint and what helps to
// repair the call.
type ErrorObject struct {
	Error         string      `json:"error" jsonschema:"what went wrong: State mismatch, Not found, Conflict and so on"`
	Message       string      `json:"message" jsonschema:"one sentence"`
	Hint          string      `json:"hint,omitempty" jsonschema:"what to do next"`
	ActualState   *string     `json:"actualState,omitempty" jsonschema:"after a mismatch"`
	ExpectedState *string     `json:"expectedState,omitempty" jsonschema:"after a mismatch"`
	ResourceURI   string      `json:"resourceUri,omitempty" jsonschema:"the headline"`
	Etag          string      `json:"etag,omitempty" jsonschema:"after a conflict: its present etag"`
	Candidates    []Candidate `json:"candidates,omitempty" jsonschema:"headlines that the URI may mean"`
	Applied       any         `json:"applied,omitempty" jsonschema:"of a write without an answer: false, or unknown"`
}

// A Candidate is a headline that a URI may mean.
type Candidate struct {
	ResourceURI string `json:"resourceUri" jsonschema:"names this headline and no other"`
	OrgID       string `json:"orgId,omitempty" jsonschema:"its ID"`
	Line        int    `json:"line" jsonschema:"its position, from 1"`
}

// errorData is what an error has besides its words.
type errorData struct {
	actual, expected *string
	uri, etag        string
	candidates       []Candidate
}

func errorFormat() tools.ErrorFormat {
	return tools.NewErrorFormat(map[tools.Code]string{
		tools.Invalid: "Invalid request", tools.NotFound: "Not found", tools.Conflict: "Conflict", tools.Denied: "Denied",
		tools.Unavailable: "Unavailable", tools.Limited: "Limit exceeded", tools.Timeout: "Timed out", tools.Internal: "Internal error",
	}, func(code string, e *tools.Error) ErrorObject {
		o := ErrorObject{Error: code, Message: e.Message, Hint: e.Hint, Applied: e.Applied}
		if d, ok := e.Data.(errorData); ok {
			o.ActualState, o.ExpectedState, o.ResourceURI, o.Etag, o.Candidates = d.actual, d.expected, d.uri, d.etag, d.candidates
		}
		return o
	})
}

// partlyWrittenError is the answer where a write failed and taking it back, too.
func partlyWrittenError(err error) error {
	return &tools.Error{
		Code: tools.Unavailable, Message: "The files could not be written, and not all that was written could be taken back",
		Hint:  "Lectern takes it back before the next call. Ask the user whether the disk is full or fails, then read the files again.",
		Cause: err,
	}
}

// notAllowedError is the answer for every file that is not open: hidden, foreign or
// missing.
func notAllowedError(file string) error {
	return tools.Errorf(tools.NotFound, "'%.200s': the referenced file not in allowed list", file).
		WithHint("The resource org://config/files lists the files.")
}

// toolError converts err, which happened at the file of that name, for an agent.
// Unknown errors are returned unchanged and become Internal.
func (s *catalog) toolError(file string, err error) error {
	if _, ok := errors.AsType[*tools.Error](err); ok {
		return err // an answer already
	}
	if _, ok := errors.AsType[*folder.PartlyWrittenError](err); ok {
		return partlyWrittenError(err)
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, folder.ErrHidden):
		return hiddenError()
	case errors.Is(err, folder.ErrLimit):
		return tools.Errorf(tools.Limited, "More than %d bytes would change at once", maxChanged).WithHint("Make smaller changes.")
	case errors.Is(err, folder.ErrGone):
		return &tools.Error{
			Code: tools.Unavailable, Message: "A folder of this source does not exist any more", Hint: "Ask the user to restore it.", Cause: err,
		}
	case errors.Is(err, atomicfile.ErrChanged), errors.Is(err, folder.ErrExists), errors.Is(err, atomicfile.ErrExists):
		return tools.Errorf(tools.Conflict, "The file was changed by another program at the same moment: %s", file).
			WithHint("Read it again, then write.")
	case errors.Is(err, folder.ErrTooLarge), errors.Is(err, orgfile.ErrTooLarge):
		return tools.Errorf(tools.Limited, "The file is too large to open: %s", file)
	case errors.Is(err, fs.ErrPermission):
		return &tools.Error{
			Code: tools.Unavailable, Message: "Permission denied: " + file, Hint: "Ask the user to check the file permissions.", Cause: err,
		}
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return &tools.Error{
			Code: tools.Unavailable, Message: "The disk is full; nothing was changed", Hint: "Ask the user to free disk space.", Cause: err,
		}
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, folder.ErrNotRegular), errors.Is(err, atomicfile.ErrNotRegular),
		errors.Is(err, syscall.ENOTDIR):
		return notAllowedError(file)
	}
	if _, ok := errors.AsType[*folder.NameError](err); ok {
		return notAllowedError(file)
	}
	return err
}

// editError converts an error of package orgedit, all of which are about the
// arguments.
func editError(err error) error {
	if err == nil {
		return nil
	}
	if blocked, ok := errors.AsType[*orgedit.BlockedError](err); ok {
		if blocked.Checkbox {
			return tools.Errorf(tools.Conflict, "TODO state change blocked (checkbox)").WithHint("Check the boxes in the headline's text first.")
		}
		return tools.Errorf(tools.Conflict, "TODO state change blocked by %.200q", blocked.By).WithHint("Complete that headline first.")
	}
	if unknown, ok := errors.AsType[*orgedit.UnknownStateError](err); ok {
		return tools.Errorf(tools.Invalid, "newState: %.100q is not a TODO state of this file", unknown.State).
			WithHint("It has %q.", unknown.Known)
	}
	return tools.Errorf(tools.Invalid, "%.500s", err.Error())
}
