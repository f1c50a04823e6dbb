package apptest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"testing"

	"aead.dev/minisign"
)

// PublishRelease serves a signed release and returns its URL and key. tamper
// changes the files before they are served; nil: nothing.
func PublishRelease(t testing.TB, version string, binary []byte, tamper func(files map[string][]byte)) (url, key string) {
	t.Helper()
	public, private, err := minisign.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	sign := func(text []byte, comment string) []byte {
		return minisign.SignWithComments(private, text, comment, "a test")
	}
	var archive bytes.Buffer
	zipped, err := gzip.NewWriterLevel(&archive, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(zipped)
	for name, text := range map[string][]byte{
		"lectern": binary, "lectern.minisig": sign(binary, fmt.Sprintf("lectern %s %s/%s", version, runtime.GOOS, runtime.GOARCH)),
	} {
		err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(text)), Typeflag: tar.TypeReg})
		if _, werr := w.Write(text); err != nil || werr != nil {
			t.Fatal(err, werr)
		}
	}
	if err := errors.Join(w.Close(), zipped.Close()); err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("lectern_%s_%s_%s.tar.gz", version, runtime.GOOS, runtime.GOARCH)
	list := fmt.Appendf(nil, "%x  %s\n", sha256.Sum256(archive.Bytes()), name)
	files := map[string][]byte{"checksums.txt": list, "checksums.txt.minisig": sign(list, "lectern "+version), name: archive.Bytes()}
	if tamper != nil {
		tamper(files)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, ok := files[filepath.Base(r.URL.Path)]
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(text)
	}))
	t.Cleanup(server.Close)
	return server.URL, public.String()
}
