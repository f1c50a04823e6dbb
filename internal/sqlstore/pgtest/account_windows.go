package pgtest

import "os/exec"

type account struct{}

// unprivileged says that there is no server: it is started by a shell and
// reached by a socket.
func unprivileged() (account, error) { return account{}, errMissing }

func (account) own(string) error { return nil }

func (account) run(*exec.Cmd) {}
