package update

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// binaryName is the installed file's name in an archive for goos.
func binaryName(goos string) string {
	if goos == "windows" {
		return "lectern.exe"
	}
	return "lectern"
}

// archiveName is the file of a release for a system.
func archiveName(version, goos, goarch string) string {
	kind := "tar.gz"
	if goos == "windows" {
		kind = "zip"
	}
	return fmt.Sprintf("lectern_%s_%s_%s.%s", version, goos, goarch, kind)
}

// A extractedBinary is what we extract from an archive: the binary and its signature.
// Both are at the top level, once.
type extractedBinary struct {
	name              string // of the binary
	binary, signature []byte

	files  int
	left   int64 // bytes that may still be unpacked
	limits Limits
}

// extract extracts the binary from an archive that has been verified. Other
// files are ignored, but one suspicious name or type of file rejects the archive.
func extract(archive, goos string, limits Limits) (extractedBinary, error) {
	p := extractedBinary{name: binaryName(goos), left: limits.Unpacked, limits: limits}
	var err error
	if strings.HasSuffix(archive, ".zip") {
		err = p.zip(archive)
	} else {
		err = p.tar(archive)
	}
	switch {
	case err != nil:
		return extractedBinary{}, fmt.Errorf("%s: %w", filepath.Base(archive), err)
	case p.binary == nil || p.signature == nil:
		return extractedBinary{}, fmt.Errorf("%s does not hold both %s and %s; report this release", filepath.Base(archive), p.name,
			p.name+signatureSuffix)
	}
	return p, nil
}

func (p *extractedBinary) tar(archive string) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // only read
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		return unpackError(err)
	}
	// Skipping takes time as well, so the whole stream is bounded.
	in := tar.NewReader(http.MaxBytesReader(nil, unzipped, p.limits.Unpacked))
	for {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return unpackError(err)
		}
		mode := h.FileInfo().Mode()
		if h.Typeflag != tar.TypeReg && h.Typeflag != tar.TypeDir {
			mode |= fs.ModeIrregular // a hard link looks regular
		}
		if err := p.readFile(h.Name, mode, h.Size, in); err != nil {
			return err
		}
	}
}

func (p *extractedBinary) zip(archive string) error {
	z, err := zip.OpenReader(archive)
	if err != nil {
		return unpackError(err)
	}
	defer z.Close() //nolint:errcheck // only read
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			return unpackError(err)
		}
		err = p.readFile(f.Name, f.Mode(), int64(min(f.UncompressedSize64, 1<<62)), in)
		if err = errors.Join(err, in.Close()); err != nil {
			return err
		}
	}
	return nil
}

// readFile checks one file of an archive, and keeps it if it is one of the two.
func (p *extractedBinary) readFile(name string, mode fs.FileMode, size int64, in io.Reader) error {
	if p.files++; p.files > p.limits.Files {
		return fmt.Errorf("it holds more than %d files; do not install it", p.limits.Files)
	}
	clean := path.Clean(name)
	if !filepath.IsLocal(name) || strings.ContainsAny(name, "\\:\x00") || clean == "." {
		return fmt.Errorf("it holds a file named %q, outside of the archive; do not install it", name)
	}
	if !mode.IsRegular() && !mode.IsDir() {
		return fmt.Errorf("%q in it is a link or a device; do not install it", name)
	}
	if p.left -= size; p.left < 0 || size < 0 {
		return unpackedTooBig(p.limits.Unpacked)
	}
	to, most := &p.binary, p.limits.Unpacked
	switch clean {
	case p.name:
	case p.name + signatureSuffix:
		to, most = &p.signature, maxSmallFile
	default:
		return nil
	}
	if *to != nil || !mode.IsRegular() {
		return fmt.Errorf("it holds %q twice, or as a folder; do not install it", name)
	}
	content, err := io.ReadAll(http.MaxBytesReader(nil, io.NopCloser(in), most))
	if err != nil {
		return unpackError(err)
	}
	*to = content
	return nil
}

func unpackedTooBig(most int64) error {
	return fmt.Errorf("it unpacks to more than %d bytes, too many for a release of lectern; do not install it", most)
}

func unpackError(err error) error {
	if e, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return unpackedTooBig(e.Limit)
	}
	return fmt.Errorf("unpack: %w; report this release", err)
}
