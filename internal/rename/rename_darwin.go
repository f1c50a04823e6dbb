package rename

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

type flag uint32

const (
	swap flag = unix.RENAME_SWAP
	keep flag = unix.RENAME_EXCL
)

func renameAt(source *os.File, from string, dest *os.File, to string, how flag) error {
	err := unix.RenameatxNp(int(source.Fd()), from, int(dest.Fd()), to, uint32(how))
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) { // HFS+, network folders
		return errors.ErrUnsupported
	}
	return err
}
