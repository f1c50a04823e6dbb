package update

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"aead.dev/minisign"
)

// A signer is a key pair of a test.
type signer struct {
	public  minisign.PublicKey
	private minisign.PrivateKey
}

func newSigner(t *testing.T) signer {
	t.Helper()
	public, private, err := minisign.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return signer{public, private}
}

func (s signer) sign(text []byte, comment string) []byte {
	return minisign.SignWithComments(s.private, text, comment, "a test")
}

// program is a lectern that only says its version.
func program(version string) []byte {
	return fmt.Appendf(nil, "#!/bin/sh\n[ \"$2\" = --json ] || { echo lectern %s test; exit; }\necho '{\"version\":%q,\"os\":%q,\"arch\":%q}'\n",
		version, version, runtime.GOOS, runtime.GOARCH)
}

// A archiveFile is one file of an archive.
type archiveFile struct {
	name string
	text []byte
	kind byte   // of tar; 0: a regular file
	link string // what a link leads to
}

func tarball(t *testing.T, members ...archiveFile) []byte {
	t.Helper()
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	w := tar.NewWriter(zipped)
	for _, m := range members {
		h := &tar.Header{Name: m.name, Size: int64(len(m.text)), Mode: 0o755, Typeflag: m.kind, Linkname: m.link}
		if m.kind == 0 {
			h.Typeflag = tar.TypeReg
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(m.text); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func zipfile(t *testing.T, members ...archiveFile) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, m := range members {
		f, err := w.Create(m.name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(m.text); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// A fakeServer is a release server that is honest, until a test makes it lie.
type fakeServer struct {
	t      *testing.T
	url    string
	key    signer
	files  map[string][]byte // by path below the URL
	answer func(w http.ResponseWriter, r *http.Request) bool

	mu    sync.Mutex
	asked []string // paths, with ranges
}

func newFakeServer(t *testing.T) *fakeServer {
	t.Helper()
	s := &fakeServer{t: t, key: newSigner(t), files: map[string][]byte{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

func (s *fakeServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked = append(s.asked, strings.TrimSpace(r.URL.Path+" "+r.Header.Get("Range")))
	s.mu.Unlock()
	if s.answer != nil && s.answer(w, r) {
		return
	}
	text, ok := s.files[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	http.ServeContent(w, r, r.URL.Path, time.Time{}, bytes.NewReader(text))
}

// offer publishes an honest release, and makes it the newest.
func (s *fakeServer) offer(version string) {
	s.t.Helper()
	s.offerArchive(version, tarball(s.t, s.contents(version)...))
}

func (s *fakeServer) contents(version string) []archiveFile {
	binary := program(version)
	return []archiveFile{
		{name: "README.md", text: []byte("read me")},
		{name: "lectern", text: binary},
		{name: "lectern" + signatureSuffix, text: s.key.sign(binary, fmt.Sprintf("lectern %s %s/%s", version, runtime.GOOS, runtime.GOARCH))},
	}
}

func (s *fakeServer) offerArchive(version string, archive []byte) {
	s.t.Helper()
	name := archiveName(version, runtime.GOOS, runtime.GOARCH)
	s.files["/download/v"+version+"/"+name] = archive
	s.list(version, fmt.Sprintf("%s  %s\n%s  other.zip\n", hexSum(archive), name, hexSum(nil)))
}

func (s *fakeServer) list(version, text string) {
	for _, at := range []string{"/download/v" + version + "/", "/latest/download/"} {
		s.files[at+checksumsFile] = []byte(text)
		s.files[at+checksumsFile+signatureSuffix] = s.key.sign([]byte(text), "lectern "+version)
	}
}

func hexSum(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// A testInstall is where lectern 1.0.0 is installed.
type testInstall struct {
	t      *testing.T
	dir    string
	target string
	config Config
	steps  []Step
}

func newTestInstall(t *testing.T, s *fakeServer) *testInstall {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the programs of these tests are shell scripts")
	}
	h := &testInstall{t: t, dir: filepath.Join(t.TempDir(), "bin")}
	h.target = filepath.Join(h.dir, "lectern")
	if err := os.Mkdir(h.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(h.target, program("1.0.0"), 0o755); err != nil {
		t.Fatal(err)
	}
	h.config = Config{
		Mirror: s.url, PlainLoopback: true, Keys: []string{s.key.public.String()},
		Version: "1.0.0", OS: runtime.GOOS, Arch: runtime.GOARCH, Target: h.target, State: filepath.Join(filepath.Dir(h.dir), "state"),
		Owner: func(context.Context, string) (PackageManager, bool) { return PackageManager{}, false },
		Progress: func(p Progress) {
			if len(h.steps) == 0 || h.steps[len(h.steps)-1] != p.Step {
				h.steps = append(h.steps, p.Step)
			}
		},
		Now: time.Now,
	}
	return h
}

func (h *testInstall) updater() *Updater {
	h.t.Helper()
	u, err := New(h.config)
	if err != nil {
		h.t.Fatal(err)
	}
	return u
}

// expect fails unless the installed binary is, byte for byte, of the version
// and runs, and nothing of ours lies around but what is named.
func (h *testInstall) expect(version string, beside ...string) {
	h.t.Helper()
	text, err := os.ReadFile(h.target)
	if err != nil {
		h.t.Fatal(err)
	}
	if !bytes.Equal(text, program(version)) {
		h.t.Errorf("installed is %q, want version %s", text, version)
	}
	if said, err := exec.CommandContext(h.t.Context(), h.target, "version", "--json").Output(); err != nil || !strings.Contains(string(said), version) {
		h.t.Errorf("installed binary says %q, %v", said, err)
	}
	found, err := os.ReadDir(h.dir)
	if err != nil {
		h.t.Fatal(err)
	}
	want := append([]string{"lectern"}, beside...)
	names := make([]string, 0, len(found))
	for _, f := range found {
		names = append(names, f.Name())
	}
	if fmt.Sprint(names) != fmt.Sprint(want) {
		h.t.Errorf("the folder holds %v, want %v", names, want)
	}
}
