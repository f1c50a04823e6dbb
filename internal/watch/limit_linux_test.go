package watch

import "golang.org/x/sys/unix"

const errTooMany = unix.ENOSPC
