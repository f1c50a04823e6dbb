package update

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/minio/selfupdate"

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

// prepare writes the binary into the staging folder and returns its path. The
// library verifies checksum and signature again, of the bytes that it writes;
// nobody else can write to the folder, so the name that it uses is safe.
func prepare(folder string, p extractedBinary, by verifiedSignature) (string, error) {
	sig := filepath.Join(folder, p.name+signatureSuffix)
	if err := atomicfile.WriteFile(sig, p.signature, 0o600); err != nil {
		return "", err
	}
	verifier := selfupdate.NewVerifier()
	if err := verifier.LoadFromFile(sig, by.key.String()); err != nil {
		return "", fmt.Errorf("read signature: %w", err)
	}
	sum := sha256.Sum256(p.binary)
	staged := filepath.Join(folder, p.name)
	err := selfupdate.PrepareAndCheckBinary(bytes.NewReader(p.binary), selfupdate.Options{
		TargetPath: staged, TargetMode: 0o700, Checksum: sum[:], Verifier: verifier,
	})
	if err != nil {
		return "", fmt.Errorf("write new binary: %w", err)
	}
	if err := os.Rename(filepath.Join(folder, "."+p.name+".new"), staged); err != nil {
		return "", fmt.Errorf("write new binary: %w", err)
	}
	return staged, makeDurable(staged, sum)
}

// makeDurable syncs a file to the disk and reads it back.
func makeDurable(name string, sum [sha256.Size]byte) (err error) {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("write new binary: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := f.Sync(); err != nil {
		return fmt.Errorf("write new binary: %w", err)
	}
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return fmt.Errorf("verify new binary: %w", err)
	}
	if [sha256.Size]byte(h.Sum(nil)) != sum {
		return errors.New("verify new binary: the disk returns other bytes than were written; check the disk")
	}
	return nil
}
