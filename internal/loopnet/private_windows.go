package loopnet

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

// CheckPrivateDir has nothing to check: directories below the user's profile
// inherit an access list that is closed to other users.
func CheckPrivateDir(string) error { return nil }

// CheckOwnDir has nothing to check, for the same reason.
func CheckOwnDir(string) error { return nil }

// openPrivate opens a regular file that this user owns.
func openPrivate(path string) (*os.File, error) {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file: remove it", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	sd, err := windows.GetSecurityInfo(windows.Handle(f.Fd()), windows.SE_FILE_OBJECT, windows.OWNER_SECURITY_INFORMATION)
	if err == nil {
		err = checkOwner(sd)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w: remove it", path, err), f.Close())
	}
	return f, nil
}

// restrictToUser gives the file at path to this user and removes the inherited
// rights of everybody else; mode bits mean nothing here.
func restrictToUser(path string) error {
	sid, err := currentUser()
	if err != nil {
		return err
	}
	sd, err := windows.SecurityDescriptorFromString(fmt.Sprintf("O:%sD:P(A;;FA;;;%s)", sid, sid))
	if err != nil {
		return fmt.Errorf("describe access to %s: %w", path, err)
	}
	acl, _, err := sd.DACL()
	if err != nil {
		return fmt.Errorf("describe access to %s: %w", path, err)
	}
	what := windows.SECURITY_INFORMATION(
		windows.OWNER_SECURITY_INFORMATION | windows.DACL_SECURITY_INFORMATION | windows.PROTECTED_DACL_SECURITY_INFORMATION,
	)
	if err := windows.SetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, what, sid, nil, acl, nil); err != nil {
		return fmt.Errorf("restrict access to %s: %w", path, err)
	}
	return nil
}
