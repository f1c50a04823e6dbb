package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/lectern-mcp/lectern/installer/bundle"
)

// build makes the archives of systems, such as linux/amd64, or of all, and their list without
// goreleaser. CI runs it on every change; mirrors and tests can use it. The bytes depend only
// on the source and the version.
func (m releaser) build(ctx context.Context, version string, systems []string) error {
	var list bytes.Buffer
	for _, t := range bundle.Targets() {
		if len(systems) > 0 && !slices.Contains(systems, t.OS+"/"+t.Arch) {
			continue
		}
		archive, packed, err := m.buildTarget(ctx, version, t)
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(&list, "%x  %s\n", sha256.Sum256(packed), archive) // to memory
		_, _ = fmt.Fprintf(m.log, "%s: %.1f MB\n", archive, float64(len(packed))/1e6)
	}
	return m.write("checksums.txt", list.Bytes())
}

func binaryName(t bundle.Target) string {
	if t.OS == "windows" {
		return "lectern.exe"
	}
	return "lectern"
}

// buildTarget builds for one system, and returns the name and content of the
// archive.
func (m releaser) buildTarget(ctx context.Context, version string, t bundle.Target) (archive string, packed []byte, err error) {
	file, err := filepath.Abs(filepath.Join(m.out, t.OS+"_"+t.Arch, binaryName(t)))
	if err != nil {
		return "", nil, err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil { //nolint:gosec // to be published
		return "", nil, err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", //nolint:gosec // our own arguments
		"-ldflags", "-s -w -buildid= -X main.lecternVersion="+version, "-o", file, "./cmd/lectern")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+t.OS, "GOARCH="+t.Arch)
	cmd.Dir, cmd.Stdout, cmd.Stderr = m.source, m.log, m.log
	if err := cmd.Run(); err != nil {
		return "", nil, fmt.Errorf("build for %s/%s: %w", t.OS, t.Arch, err)
	}
	if err := m.signAndBundle(ctx, file, version, t); err != nil {
		return "", nil, err
	}
	if archive, packed, err = packArchive(file, version, t); err != nil {
		return "", nil, err
	}
	return archive, packed, m.write(archive, packed)
}

// packArchive packs a binary, and its signature if there is one.
func packArchive(file, version string, t bundle.Target) (name string, packed []byte, err error) {
	var out bytes.Buffer
	add, finish, ext := tarWriter(&out)
	if t.OS == "windows" {
		add, finish, ext = zipWriter(&out)
	}
	for _, f := range []string{file, file + ".minisig"} {
		text, err := os.ReadFile(f)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err == nil {
			err = add(filepath.Base(f), text)
		}
		if err != nil {
			return "", nil, err
		}
	}
	err = finish()
	return fmt.Sprintf("lectern_%s_%s_%s.%s", version, t.OS, t.Arch, ext), out.Bytes(), err
}

func tarWriter(out io.Writer) (add func(name string, text []byte) error, finish func() error, ext string) {
	z := gzip.NewWriter(out)
	w := tar.NewWriter(z)
	add = func(name string, text []byte) error {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(text)), Typeflag: tar.TypeReg}); err != nil {
			return err
		}
		_, err := w.Write(text)
		return err
	}
	return add, func() error { return errors.Join(w.Close(), z.Close()) }, "tar.gz"
}

func zipWriter(out io.Writer) (add func(name string, text []byte) error, finish func() error, ext string) {
	w := zip.NewWriter(out)
	add = func(name string, text []byte) error {
		in, err := w.Create(name)
		if err == nil {
			_, err = in.Write(text)
		}
		return err
	}
	return add, w.Close, "zip"
}
