package update

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/internal/runtest"
)

// Every way in which a server, or somebody on the way to it, may lie. The
// installed binary stays as it is, byte for byte, and the message says what
// happened and what to do.
func TestTampering(t *testing.T) {
	archive := archiveName("1.1.0", runtime.GOOS, runtime.GOARCH)
	const latest, tag = "/latest/download/", "/download/v1.1.0/"
	whole := func(s *fakeServer) []byte { return s.files[tag+archive] }
	for _, c := range []struct {
		name string
		lie  func(*testing.T, *fakeServer)
		step Step
		want string
	}{
		{"list changed", func(_ *testing.T, s *fakeServer) {
			s.files[latest+checksumsFile] = bytes.Replace(s.files[latest+checksumsFile], []byte("other"), []byte("Other"), 1)
		}, Signature, "do not install this release"},
		{"list missing", func(_ *testing.T, s *fakeServer) { delete(s.files, latest+checksumsFile) }, Signature, "404 Not Found: no such release"},
		{"signature missing", func(_ *testing.T, s *fakeServer) { delete(s.files, latest+checksumsFile+signatureSuffix) }, Signature, "404 Not Found"},
		{"signature is none", func(_ *testing.T, s *fakeServer) { s.files[latest+checksumsFile+signatureSuffix] = []byte("<html>") }, Signature, "invalid minisign signature"},
		{"signed by another key", func(t *testing.T, s *fakeServer) {
			s.files[latest+checksumsFile+signatureSuffix] = newSigner(t).sign(s.files[latest+checksumsFile], "lectern 1.1.0")
		}, Signature, "does not trust"},
		{"trusted comment changed", func(_ *testing.T, s *fakeServer) {
			s.files[latest+checksumsFile+signatureSuffix] = bytes.Replace(s.files[latest+checksumsFile+signatureSuffix], []byte("lectern 1.1.0"), []byte("lectern 9.9.9"), 1)
		}, Signature, "was changed"},
		{"signature of another program", func(_ *testing.T, s *fakeServer) {
			s.files[latest+checksumsFile+signatureSuffix] = s.key.sign(s.files[latest+checksumsFile], "trowel 1.1.0")
		}, Version, "not for a release of lectern"},
		{"signature of a binary for the list", func(_ *testing.T, s *fakeServer) {
			s.files[latest+checksumsFile+signatureSuffix] = s.key.sign(s.files[latest+checksumsFile], "lectern 1.1.0 linux/amd64")
		}, Version, "not for a list"},
		{"list too long", func(_ *testing.T, s *fakeServer) { s.files[latest+checksumsFile] = make([]byte, maxSmallFile+1) }, Signature, "too many for this file"},
		{"list with the wrong name", func(_ *testing.T, s *fakeServer) { s.list("1.1.0", hexSum(nil)+"  lectern.tar.gz\n") }, Checksum, "no build for this system"},
		{"list with the name twice", func(_ *testing.T, s *fakeServer) {
			s.list("1.1.0", strings.Repeat(hexSum(nil)+"  "+archive+"\n", 2))
		}, Checksum, "2 times"},
		{"list without a sum", func(_ *testing.T, s *fakeServer) { s.list("1.1.0", "beef  "+archive+"\n") }, Checksum, "not a SHA-256"},

		{"archive missing", func(_ *testing.T, s *fakeServer) { delete(s.files, tag+archive) }, Download, "404"},
		{"archive empty", func(_ *testing.T, s *fakeServer) { s.files[tag+archive] = nil }, Checksum, "has been deleted"},
		{"archive cut to half", func(_ *testing.T, s *fakeServer) { s.files[tag+archive] = whole(s)[:len(whole(s))/2] }, Checksum, "has been deleted"},
		{"archive without its last byte", func(_ *testing.T, s *fakeServer) { s.files[tag+archive] = whole(s)[:len(whole(s))-1] }, Checksum, "has been deleted"},
		{"archive of another release", func(t *testing.T, s *fakeServer) {
			s.files[tag+archive] = tarball(t, s.contents("1.0.9")...)
		}, Checksum, "has been deleted"},
		{"archive longer than any release", func(_ *testing.T, s *fakeServer) { s.files[tag+archive] = make([]byte, 2<<20) }, Download, "too many for a release of lectern"},
		{"archive declared longer than any release", func(_ *testing.T, s *fakeServer) {
			s.answer = func(w http.ResponseWriter, r *http.Request) bool {
				if path.Base(r.URL.Path) != archive {
					return false
				}
				w.Header().Set("Content-Length", fmt.Sprint(2<<20))
				_ = http.NewResponseController(w).Flush()
				<-r.Context().Done() // nobody waits for what comes
				return true
			}
		}, Download, "too many for a release of lectern"},
		{"archive longer than declared", func(_ *testing.T, s *fakeServer) {
			s.answer = func(w http.ResponseWriter, r *http.Request) bool {
				if path.Base(r.URL.Path) != archive {
					return false
				}
				for range 64 { // chunked: no length is declared
					_, _ = w.Write(make([]byte, 32<<10))
					_ = http.NewResponseController(w).Flush()
				}
				return true
			}
		}, Download, "too many for a release of lectern"},

		{"slip", func(t *testing.T, s *fakeServer) {
			s.offerArchive("1.1.0", tarball(t, append(s.contents("1.1.0"), archiveFile{name: "../../lectern", text: []byte("evil")})...))
		}, Extract, "outside of the archive"},
		{"absolute name", func(t *testing.T, s *fakeServer) {
			s.offerArchive("1.1.0", tarball(t, append(s.contents("1.1.0"), archiveFile{name: "/etc/passwd", text: []byte("evil")})...))
		}, Extract, "outside of the archive"},
		{"symbolic link", func(t *testing.T, s *fakeServer) {
			s.offerArchive("1.1.0", tarball(t, archiveFile{name: "lectern", kind: tar.TypeSymlink, link: "/bin/sh"}))
		}, Extract, "is a link or a device"},
		{"hard link", func(t *testing.T, s *fakeServer) {
			s.offerArchive("1.1.0", tarball(t, append(s.contents("1.1.0"), archiveFile{name: "x", kind: tar.TypeLink, link: "lectern"})...))
		}, Extract, "is a link or a device"},
		{"device", func(t *testing.T, s *fakeServer) {
			s.offerArchive("1.1.0", tarball(t, archiveFile{name: "lectern", kind: tar.TypeFifo}))
		}, Extract, "is a link or a device"},
		{"binary twice", func(t *testing.T, s *fakeServer) {
			s.offerArchive("1.1.0", tarball(t, append(s.contents("1.1.0"), archiveFile{name: "./lectern", text: []byte("evil")})...))
		}, Extract, "twice"},
		{"binary in a folder alone", func(t *testing.T, s *fakeServer) {
			s.offerArchive("1.1.0", tarball(t, archiveFile{name: "bin/lectern", text: program("1.1.0")}))
		}, Extract, "does not hold both"},
		{"no archive at all", func(_ *testing.T, s *fakeServer) { s.offerArchive("1.1.0", []byte("<html>")) }, Extract, "unpack"},
		{"archive that ends early", func(_ *testing.T, s *fakeServer) { s.offerArchive("1.1.0", whole(s)[:len(whole(s))-20]) }, Extract, "unpack"},
		{"ten gigabytes of nothing", func(t *testing.T, s *fakeServer) { s.offerArchive("1.1.0", zipBomb(t, 10<<30)) }, Extract, "unpacks to more than"},
		{"many files", func(t *testing.T, s *fakeServer) {
			s.offerArchive("1.1.0", tarball(t, make2000()...))
		}, Extract, "more than 1000 files"},

		{"binary of another version", func(t *testing.T, s *fakeServer) { s.offerArchive("1.1.0", tarball(t, s.contents("1.0.9")...)) }, Platform, "report this release"},
		{"binary for another system", func(t *testing.T, s *fakeServer) {
			m := s.contents("1.1.0")
			m[2].text = s.key.sign(m[1].text, "lectern 1.1.0 plan9/mips")
			s.offerArchive("1.1.0", tarball(t, m...))
		}, Platform, "plan9/mips"},
		{"binary signed by another key", func(t *testing.T, s *fakeServer) {
			m := s.contents("1.1.0")
			m[2].text = newSigner(t).sign(m[1].text, "lectern 1.1.0 "+runtime.GOOS+"/"+runtime.GOARCH)
			s.offerArchive("1.1.0", tarball(t, m...))
		}, Platform, "does not trust"},
		{"binary that ends with an error", func(t *testing.T, s *fakeServer) {
			s.offerArchive("1.1.0", tarball(t, s.signed("#!/bin/sh\nexit 1\n")...))
		}, Run, "does not run here"},
		{"binary that says another version", func(t *testing.T, s *fakeServer) {
			s.offerArchive("1.1.0", tarball(t, s.signed(string(program("1.0.9")))...))
		}, Run, "it is version 1.0.9"},
		{"binary that is none", func(t *testing.T, s *fakeServer) { s.offerArchive("1.1.0", tarball(t, s.signed("\x7fELF")...)) }, Run, "does not run here"},

		{"redirect to http", redirect("http://example.com/x"), Signature, "is not https"},
		{"redirect to another host", redirect("https://127.0.0.2:1/x"), Signature, "not one of its own"},
		{"redirect to a file", redirect("file:///etc/passwd"), Signature, ""},
		{"redirect too many redirects", func(_ *testing.T, s *fakeServer) {
			s.answer = func(w http.ResponseWriter, r *http.Request) bool {
				http.Redirect(w, r, "/again"+r.URL.Path, http.StatusFound)
				return true
			}
		}, Signature, "too many redirects"},
		{"slow drip", func(_ *testing.T, s *fakeServer) {
			s.answer = func(w http.ResponseWriter, r *http.Request) bool {
				if path.Base(r.URL.Path) != archive {
					return false
				}
				w.Header().Set("Content-Length", "500")
				tick := time.NewTicker(5 * time.Millisecond)
				defer tick.Stop()
				for r.Context().Err() == nil {
					_, _ = io.WriteString(w, "x")
					_ = http.NewResponseController(w).Flush()
					<-tick.C
				}
				return true
			}
		}, Download, "bytes in 300ms; to resume the download"},
		{"list that never comes", func(_ *testing.T, s *fakeServer) {
			s.answer = func(_ http.ResponseWriter, r *http.Request) bool { <-r.Context().Done(); return true }
		}, Signature, "took longer than"},
		{"403", answers(http.StatusForbidden), Signature, "try again in an hour"},
		{"429", answers(http.StatusTooManyRequests), Signature, "try again in an hour"},
		{"500", answers(http.StatusInternalServerError), Signature, "server error; try again later"},
		{"connection that breaks off", func(_ *testing.T, s *fakeServer) {
			s.answer = func(w http.ResponseWriter, r *http.Request) bool {
				if path.Base(r.URL.Path) != archive {
					return false
				}
				w.Header().Set("Content-Length", "500")
				_, _ = io.WriteString(w, "x")
				panic(http.ErrAbortHandler)
			}
		}, Download, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newFakeServer(t)
			s.offer("1.1.0")
			c.lie(t, s)
			h := newTestInstall(t, s)
			h.config.Limits = Limits{Archive: 1 << 20, Unpacked: 4 << 20, Pace: runtest.Timeout, Small: runtest.Timeout}
			if strings.HasPrefix(c.name, "slow ") || strings.HasSuffix(c.name, " that never comes") {
				h.config.Limits.Pace, h.config.Limits.Small = 300*time.Millisecond, time.Second
			}
			if strings.HasPrefix(c.name, "ten gigabytes") {
				h.config.Limits.Archive = 64 << 20
			}
			_, err := h.updater().Apply(t.Context(), ApplyOptions{})
			e, ok := errors.AsType[*StepError](err)
			if !ok || e.Step != c.step || !strings.Contains(err.Error(), c.want) || e.Manual == "" {
				t.Errorf("error %v\nwant step %s and %q", err, c.step, c.want)
			}
			h.expect("1.0.0")
		})
	}
}

func (s *fakeServer) signed(binary string) []archiveFile {
	return []archiveFile{
		{name: "lectern", text: []byte(binary)},
		{name: "lectern" + signatureSuffix, text: s.key.sign([]byte(binary), fmt.Sprintf("lectern 1.1.0 %s/%s", runtime.GOOS, runtime.GOARCH))},
	}
}

func redirect(to string) func(*testing.T, *fakeServer) {
	return func(_ *testing.T, s *fakeServer) {
		s.answer = func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, to, http.StatusFound)
			return true
		}
	}
}

func answers(code int) func(*testing.T, *fakeServer) {
	return func(_ *testing.T, s *fakeServer) {
		s.answer = func(w http.ResponseWriter, _ *http.Request) bool {
			w.WriteHeader(code)
			return true
		}
	}
}

func make2000() []archiveFile {
	members := make([]archiveFile, 2000)
	for i := range members {
		members[i].name = fmt.Sprintf("f%d", i)
	}
	return members
}

// zipBomb is a small archive of one huge file.
func zipBomb(t *testing.T, size int64) []byte {
	t.Helper()
	var out bytes.Buffer
	zipped, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(zipped)
	if err := w.WriteHeader(&tar.Header{Name: "README.md", Size: size, Mode: 0o644, Typeflag: tar.TypeReg}); err != nil {
		t.Fatal(err)
	}
	// What follows the first megabytes is never read.
	if _, err := io.CopyN(w, zero{}, 64<<20); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

type zero struct{}

func (zero) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// A version that was asked for by name, answered with another that is signed.
func TestOtherVersion(t *testing.T) {
	s := newFakeServer(t)
	s.offer("1.0.9")
	for _, name := range []string{checksumsFile, checksumsFile + signatureSuffix} {
		s.files["/download/v1.1.0/"+name] = s.files["/latest/download/"+name]
	}
	h := newTestInstall(t, s)
	_, err := h.updater().Apply(t.Context(), ApplyOptions{Version: "1.1.0"})
	if e, ok := errors.AsType[*StepError](err); !ok || e.Step != Version || !strings.Contains(err.Error(), "signed for 1.0.9") {
		t.Errorf("error %v", err)
	}
	h.expect("1.0.0")
}

func TestZip(t *testing.T) {
	s := newFakeServer(t)
	good := []archiveFile{{name: "lectern.exe", text: []byte("MZ")}, {name: "lectern.exe.minisig", text: []byte("sig")}}
	for _, c := range []struct {
		members []archiveFile
		want    string
	}{
		{good, ""},
		{append(good[:2:2], archiveFile{name: `..\lectern.exe`}), "outside of the archive"},
		{append(good[:2:2], archiveFile{name: "c:lectern.exe"}), "outside of the archive"},
		{append(good[:2:2], archiveFile{name: "../x"}), "outside of the archive"},
		{good[:1], "does not hold both"},
		{[]archiveFile{{name: "lectern.exe", text: make([]byte, 2<<20)}}, "unpacks to more"},
	} {
		file := t.TempDir() + "/a.zip"
		writeFile(t, file, zipfile(s.t, c.members...))
		p, err := extract(file, "windows", Limits{Unpacked: 1 << 20, Files: 10})
		if c.want == "" && (err != nil || string(p.binary) != "MZ") || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v: %v, want %q", c.members, err, c.want)
		}
	}
}
