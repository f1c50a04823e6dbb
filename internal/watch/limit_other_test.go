//go:build !linux

package watch

import "errors"

var errTooMany = errors.ErrUnsupported
