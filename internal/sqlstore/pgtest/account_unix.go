//go:build unix

package pgtest

import (
	"errors"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// An account is who runs the server: nil is the user of the tests.
type account struct{ credential *syscall.Credential }

// unprivileged returns another account if the tests run as root, which
// PostgreSQL refuses to run as.
func unprivileged() (account, error) {
	if os.Geteuid() != 0 {
		return account{}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.ParseUint(u.Uid, 10, 32)
		gid, gidErr := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(err, gidErr); err != nil {
			return account{}, err
		}
		return account{&syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
	}
	return account{}, errors.New("PostgreSQL does not run as root, and there is neither a user postgres nor nobody")
}

func (a account) own(dir string) error {
	if a.credential == nil {
		return nil
	}
	return os.Chown(dir, int(a.credential.Uid), int(a.credential.Gid))
}

// run has c run by the account, in a process group that a Ctrl-C of the tests
// does not reach: the server ends after them.
func (a account) run(c *exec.Cmd) {
	c.Dir = "/"
	c.SysProcAttr = &syscall.SysProcAttr{Credential: a.credential, Setpgid: true}
}
