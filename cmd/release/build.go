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
	"os"
	"os/exec"
	"path/filepath"

	"github.com/lectern-mcp/lectern/installer/bundle"
)

// build makes the archives of every system and their list without goreleaser:
// what CI proves on every change, and what mirrors and tests can be made of.
// The bytes depend on the source and the version alone.
func (m maker) build(ctx context.Context, version string) error {
	var list bytes.Buffer
	for _, t := range bundle.Targets() {
		archive, packed, err := m.one(ctx, version, t)
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(&list, "%x  %s\n", sha256.Sum256(packed), archive) // into memory
		_, _ = fmt.Fprintf(m.say, "%s: %.1f MB\n", archive, float64(len(packed))/1e6)
	}
	return m.write("checksums.txt", list.Bytes())
}

// one makes the archive of one system, and answers its name and content.
func (m maker) one(ctx context.Context, version string, t bundle.Target) (archive string, packed []byte, err error) {
	name := "lectern"
	if t.OS == "windows" {
		name += ".exe"
	}
	file, err := filepath.Abs(filepath.Join(m.out, t.OS+"_"+t.Arch, name))
	if err != nil {
		return "", nil, err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil { //nolint:gosec // to be published
		return "", nil, err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", //nolint:gosec // arguments of ours
		"-ldflags", "-s -w -buildid= -X main.lecternVersion="+version, "-o", file, "./cmd/lectern")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+t.OS, "GOARCH="+t.Arch)
	cmd.Dir, cmd.Stdout, cmd.Stderr = m.source, m.say, m.say
	if err := cmd.Run(); err != nil {
		return "", nil, fmt.Errorf("build for %s/%s: %w", t.OS, t.Arch, err)
	}
	if err := m.binary(ctx, file, version, t); err != nil {
		return "", nil, err
	}
	if archive, packed, err = archived(file, version, t); err != nil {
		return "", nil, err
	}
	return archive, packed, m.write(archive, packed)
}

// archived packs a binary, and its signature where there is one.
func archived(file, version string, t bundle.Target) (name string, packed []byte, err error) {
	contents := map[string][]byte{}
	for _, f := range []string{file, file + ".minisig"} {
		text, err := os.ReadFile(f)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", nil, err
		}
		contents[filepath.Base(f)] = text
	}
	name = fmt.Sprintf("lectern_%s_%s_%s", version, t.OS, t.Arch)
	order := []string{filepath.Base(file), filepath.Base(file) + ".minisig"}
	if t.OS == "windows" {
		packed, err = zipped(order, contents)
		return name + ".zip", packed, err
	}
	packed, err = tarred(order, contents)
	return name + ".tar.gz", packed, err
}

func tarred(order []string, contents map[string][]byte) ([]byte, error) {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	for _, name := range order {
		text, ok := contents[name]
		if !ok {
			continue
		}
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(text)), Typeflag: tar.TypeReg}); err != nil {
			return nil, err
		}
		if _, err := w.Write(text); err != nil {
			return nil, err
		}
	}
	err := errors.Join(w.Close(), z.Close())
	return out.Bytes(), err
}

func zipped(order []string, contents map[string][]byte) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, name := range order {
		text, ok := contents[name]
		if !ok {
			continue
		}
		in, err := w.Create(name)
		if err != nil {
			return nil, err
		}
		if _, err := in.Write(text); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}
