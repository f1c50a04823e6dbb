package update

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// An PackageManager is the package manager that an install belongs to.
type PackageManager struct {
	Name    string // "Homebrew"
	Command string // what updates lectern there
}

// A ManagedError means that a package manager owns the installed binary: its next
// update would undo ours, or fail.
type ManagedError struct {
	PackageManager

	File string
}

func (e *ManagedError) Error() string {
	return fmt.Sprintf("%s is managed by %s; update it with: %s", e.File, e.Name, e.Command)
}

// managedFolders are the folders of package managers.
var managedFolders = []struct {
	part string
	PackageManager
}{
	{"/cellar/", PackageManager{"Homebrew", "brew upgrade lectern"}},
	{"/caskroom/", PackageManager{"Homebrew", "brew upgrade --cask lectern"}},
	{"/nix/store/", PackageManager{"Nix", "nix profile upgrade lectern (or update the flake that names it)"}},
	{"/gnu/store/", PackageManager{"Guix", "guix upgrade lectern"}},
	{"/snap/", PackageManager{"Snap", "sudo snap refresh lectern"}},
	{"/scoop/apps/", PackageManager{"Scoop", "scoop update lectern"}},
	{"/winget/packages/", PackageManager{"winget", "winget upgrade LecternMCP.Lectern"}},
}

// packageManagers can say whether they own a file. Their query then exits with
// status 0.
var packageManagers = []struct {
	query []string // the file's path comes last
	PackageManager
}{
	{[]string{"dpkg", "-S"}, PackageManager{"dpkg", "sudo apt-get install --only-upgrade lectern (or install the new .deb)"}},
	{[]string{"rpm", "-qf"}, PackageManager{"RPM", "sudo dnf upgrade lectern (or install the new .rpm)"}},
	{[]string{"apk", "info", "--who-owns"}, PackageManager{"apk", "sudo apk upgrade lectern (or install the new .apk)"}},
	{[]string{"pacman", "-Qo"}, PackageManager{"pacman", "sudo pacman -Syu lectern"}},
}

// ownerTimeout bounds each query of a package manager. One that times out,
// because it is busy, counts as not owning the file.
const ownerTimeout = 5 * time.Second

func findPackageManager(ctx context.Context, file string) (PackageManager, bool) {
	if o, ok := packageManagerByPath(file); ok {
		return o, true
	}
	for _, d := range packageManagers {
		if tool, err := exec.LookPath(d.query[0]); err == nil && filepath.IsAbs(tool) && owns(ctx, tool, d.query[1:], file) {
			return d.PackageManager, true
		}
	}
	return PackageManager{}, false
}

func packageManagerByPath(file string) (PackageManager, bool) {
	path := strings.ToLower(strings.ReplaceAll(file, `\`, "/"))
	for _, p := range managedFolders {
		if strings.Contains(path, p.part) {
			return p.PackageManager, true
		}
	}
	return PackageManager{}, false
}

func owns(ctx context.Context, tool string, args []string, file string) bool {
	ctx, cancel := context.WithTimeout(ctx, ownerTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, tool, append(slices.Clip(args), //nolint:gosec // a fixed list of programs, found on the person's own path
		file)...)
	cmd.WaitDelay = time.Second
	return cmd.Run() == nil
}
