package markdown

import (
	"errors"
	"io/fs"
	"syscall"

	"github.com/lectern-mcp/lectern/internal/atomicfile"
	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
)

// toolError converts err, which happened at path, for an agent. Unknown errors are
// returned unchanged and become Internal.
func (n *Notebook) toolError(path string, err error) error {
	if name, ok := errors.AsType[*folder.NameError](err); ok {
		if name.Outside {
			return n.outsideError()
		}
		return tools.Errorf(tools.Invalid, "path: %s", name.Reason).WithHint("Paths look like Projects/Alpha.md.")
	}
	if twin, ok := errors.AsType[*folder.CaseConflictError](err); ok {
		return tools.Errorf(tools.Conflict, "A page or folder already exists whose name differs only in case or accents: %s", twin.Existing).
			WithHint("Use that path, or another name.")
	}
	if taken, ok := errors.AsType[*folder.TakenError](err); ok {
		path = taken.Name
	}
	switch {
	case errors.Is(err, folder.ErrHidden):
		return hiddenError()
	case errors.Is(err, folder.ErrTrash):
		return &tools.Error{
			Code: tools.Unavailable, Message: "The vault's trash cannot be written, so nothing was deleted: " + path,
			Hint: "Ask the user to check the permissions of the application's trash folder.", Cause: err,
		}
	case errors.Is(err, folder.ErrLimit):
		return tools.Errorf(tools.Limited, "More than %d bytes would change at once", maxChanged).
			WithHint("Ask the user to do it, or move smaller parts.")
	case errors.Is(err, folder.ErrGone):
		return &tools.Error{
			Code: tools.Unavailable, Message: "The folder " + n.view.Path() + " does not exist any more", Hint: "Ask the user to restore it.",
			Cause: err,
		}
	case errors.Is(err, atomicfile.ErrChanged):
		return &tools.Error{Code: tools.Conflict, Message: modifiedMessage, Hint: "Read the page again, then write.", Cause: err}
	case errors.Is(err, folder.ErrExists), errors.Is(err, atomicfile.ErrExists):
		return tools.Errorf(tools.Conflict, "A file or folder already exists at path: %s", path).
			WithHint("Choose another path; nothing is overwritten.")
	case errors.Is(err, folder.ErrAmbiguous):
		return tools.Errorf(tools.Conflict, "Several pages have names that differ only in case or accents from: %s", path).
			WithHint("Use the exact path from list_pages.")
	case errors.Is(err, folder.ErrTooLarge):
		return tools.Errorf(tools.Limited, "The file is too large to open, at most %d MB: %s", maxPage>>20, path).
			WithHint("Ask the user to split it. Files of up to 50 MB can be moved and deleted.")
	case errors.Is(err, fs.ErrPermission):
		return &tools.Error{
			Code: tools.Unavailable, Message: "Permission denied at path: " + path, Hint: "Ask the user to check the file permissions.", Cause: err,
		}
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return &tools.Error{
			Code: tools.Unavailable, Message: "The disk is full; nothing was changed at path: " + path, Hint: "Ask the user to free disk space.",
			Cause: err,
		}
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, folder.ErrNotRegular), errors.Is(err, atomicfile.ErrNotRegular), folder.IsEscape(err),
		notDirectory(err):
		return notFoundError(path)
	}
	return err
}

func isPartlyWritten(err error) bool {
	_, is := errors.AsType[*folder.PartlyWrittenError](err)
	return is
}

// partlyWrittenError is the answer where a write failed and taking it back, too.
func partlyWrittenError(err error) error {
	return &tools.Error{
		Code: tools.Unavailable, Message: "The files could not be written, and not all that was written could be taken back",
		Hint:  "Lectern takes it back before the next call. Ask the user whether the disk is full or fails, then look at the pages again.",
		Cause: err,
	}
}

// modifiedMessage is given by the specification.
const modifiedMessage = "Page was modified externally, please retry"

// missingPage is given by the specification.
const missingPage = "Page not found at path: "

func notFoundError(path string) *tools.Error {
	return tools.Errorf(tools.NotFound, missingPage+"%s", path).WithHint("Use list_pages or search_pages to find it.")
}

func readOnlyError(path string) error {
	return tools.Errorf(tools.Denied, "The file is read-only: %s; nothing was changed", path).
		WithHint("Ask the user; chmod u+w on the file lets it be changed.")
}

func (n *Notebook) outsideError() error {
	if n.tenant {
		return tools.Errorf(tools.Denied, "Cannot access pages in another tenant")
	}
	return tools.Errorf(tools.Denied, "Cannot access files outside the folder of pages").
		WithHint("Paths are relative to it, like Projects/Alpha.md.")
}

// notDirectory reports whether a path uses a file as a folder.
func notDirectory(err error) bool { return errors.Is(err, syscall.ENOTDIR) }

// conflictError reports that a page has changed, with its present etag.
func conflictError(etag string) error {
	return tools.Errorf(tools.Conflict, modifiedMessage).WithHint("Read the page again, then write with the new etag.").
		WithData(currentEtag{etag})
}
