package update

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/internal/atomicfile"
)

// A Binary is what `lectern version --json` of a binary prints.
type Binary struct {
	Version string `json:"version"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
}

// inspectTimeout is how long a binary may take to print its version.
const inspectTimeout = 20 * time.Second

func inspect(ctx context.Context, binary string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, inspectTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, "version", "--json")
	cmd.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("it does not run here: %w %s", err, strings.TrimSpace(stderr.String()))
	}
	return stdout.Bytes(), nil
}

// inspectBinary runs a binary and reads its version.
func (u *Updater) inspectBinary(ctx context.Context, binary string) (Binary, error) {
	var b Binary
	text, err := u.Inspect(ctx, binary)
	if err != nil {
		return b, err
	}
	if err := json.Unmarshal(text, &b); err != nil {
		return b, fmt.Errorf("it does not print its version: %w", err)
	}
	return b, nil
}

// installedVersion is the version of the installed binary, or of this process if
// that binary does not run.
func (u *Updater) installedVersion(ctx context.Context, target string) string {
	if b, err := u.inspectBinary(ctx, target); err == nil {
		return b.Version
	}
	return u.Version
}

// checkBinary says why a binary must not be installed, or nil.
func (u *Updater) checkBinary(ctx context.Context, binary, version string) error {
	b, err := u.inspectBinary(ctx, binary)
	if err != nil {
		return err
	}
	if want := (Binary{version, u.OS, u.Arch}); b != want {
		return fmt.Errorf("it is version %s for %s/%s instead of %s for %s/%s; report this release",
			b.Version, b.OS, b.Arch, version, u.OS, u.Arch)
	}
	return nil
}

// writeStaged writes the verified binary into the staging folder, durably, and
// returns its path. Nobody else can write to the folder.
func writeStaged(folder string, p extractedBinary) (string, error) {
	staged := filepath.Join(folder, p.name)
	if err := atomicfile.WriteFile(staged, p.binary, 0o700); err != nil {
		return "", fmt.Errorf("write new binary: %w", err)
	}
	switch written, err := os.ReadFile(staged); {
	case err != nil:
		return "", fmt.Errorf("verify new binary: %w", err)
	case !bytes.Equal(written, p.binary):
		return "", errors.New("verify new binary: the disk returns other bytes than were written; check the disk")
	}
	return staged, nil
}
