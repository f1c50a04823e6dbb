package update

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// maxSmallFile bounds lists and signatures, in bytes.
const maxSmallFile = 64 << 10

// An statusError is an HTTP status other than success.
type statusError struct {
	URL, Status string
	Code        int
	RetryAfter  string
}

func (e *statusError) Error() string {
	msg := fmt.Sprintf("%s answers %s", e.URL, e.Status)
	switch {
	case e.Code == http.StatusNotFound:
		return msg + ": no such release for this system; `lectern self-update --check` shows the available one"
	case e.Code == http.StatusForbidden || e.Code == http.StatusTooManyRequests:
		if e.RetryAfter != "" {
			return msg + ": rate limit exceeded; try again in " + e.RetryAfter + " seconds"
		}
		return msg + ": access refused, probably by a rate limit for your address; try again in an hour"
	case e.Code >= 500:
		return msg + ": server error; try again later"
	}
	return msg + "; try again later, or install by hand"
}

// isTemporary reports whether to try again at once.
func (e *statusError) isTemporary() bool { return e.Code >= 500 }

// get requests a URL, from byte offset on if the server supports that.
func (u *Updater) get(ctx context.Context, at string, offset int64) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", "lectern/"+u.Version)
	if offset > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", offset))
	}
	res, err := u.web.Do(req)
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = fmt.Errorf("get %s: %w", at, e.Err) // without the method and the last hop
	}
	return res, err
}

func newStatusError(at string, res *http.Response) *statusError {
	return &statusError{URL: at, Status: res.Status, Code: res.StatusCode, RetryAfter: res.Header.Get("Retry-After")}
}

// getSmallFile gets a list or a signature.
func (u *Updater) getSmallFile(ctx context.Context, at string) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, u.Limits.Small, fmt.Errorf("%s took longer than %s; try again later", at, u.Limits.Small))
	defer cancel()
	res, err := u.get(ctx, at, 0)
	if err != nil {
		return nil, preferCause(ctx, err)
	}
	defer res.Body.Close() //nolint:errcheck // only read
	if res.StatusCode != http.StatusOK {
		return nil, newStatusError(at, res)
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, maxSmallFile+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("get %s: %w", at, preferCause(ctx, err))
	case len(text) > maxSmallFile:
		return nil, fmt.Errorf("get %s: it has more than %d bytes, too many for this file", at, maxSmallFile)
	}
	return text, nil
}

// preferCause replaces the error of a context by its cause.
func preferCause(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}
