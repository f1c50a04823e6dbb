package cardclient

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"
)

// attempts is how often a request that changes nothing is sent.
const attempts = 4

// retry calls send again, after 0.5, 1 and 2 s or what the wiki asks for, while the
// request is repeatable, the error passes by itself, and the wait ends within the
// deadline of ctx. An answer that says to wait longer is returned at once.
func (c *Client) retry(ctx context.Context, repeatable bool, send func() (Response, error)) (Response, error) {
	pause := 500 * time.Millisecond
	for n := 1; ; n++ {
		out, err := send()
		least, passes := passing(err)
		if err == nil || !repeatable || !passes || n == attempts {
			return out, err
		}
		wait := max(pause, least)
		if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= wait {
			return out, err
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return out, err
		case <-timer.C:
		}
		pause *= 2
	}
}

// passing reports whether an error may be gone at the next try, and how long to wait
// for that at least. A 500 is none: Decko answers it to requests that it will not
// understand at the next try either.
func passing(err error) (least time.Duration, passes bool) {
	if e, ok := errors.AsType[*NetworkError](err); ok {
		return 0, e.Cause != nil
	}
	e, ok := errors.AsType[*APIError](err)
	if !ok {
		return 0, false
	}
	switch e.Status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return e.RetryAfter, true
	}
	return 0, false
}

// retryAfter reads the header: seconds, or a moment.
func retryAfter(text string, now time.Time) time.Duration {
	if seconds, err := strconv.Atoi(text); err == nil && seconds > 0 && seconds < 1e6 {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}
