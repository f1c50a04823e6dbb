//go:build !linux && !darwin

package rename

import (
	"errors"
	"os"
)

type flag int

const (
	swap flag = iota
	keep
)

func renameAt(*os.File, string, *os.File, string, flag) error { return errors.ErrUnsupported }
