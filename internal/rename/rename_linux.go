package rename

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

type flag uint

const (
	swap flag = unix.RENAME_EXCHANGE
	keep flag = unix.RENAME_NOREPLACE
)

func renameAt(source *os.File, from string, dest *os.File, to string, how flag) error {
	err := unix.Renameat2(int(source.Fd()), from, int(dest.Fd()), to, uint(how))
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) { // NFS, FUSE, old kernels
		return errors.ErrUnsupported
	}
	return err
}
