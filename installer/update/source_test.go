package update

import (
	"net/http"
	"net/url"
	"os"
	"path"
	"strings"
	"testing"
)

func writeFile(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestMirrors(t *testing.T) {
	for mirror, plain := range map[string]bool{
		"":                         false,
		"https://example.com/l":    false,
		"http://127.0.0.1:8080/":   true,
		"https://example.com:8/l/": false,
	} {
		if _, err := newSource(mirror, plain); err != nil {
			t.Errorf("%s: %v", mirror, err)
		}
	}
	for mirror, plain := range map[string]bool{
		"http://example.com":      true,
		"http://localhost:80":     true, // a name may lead anywhere
		"http://127.0.0.1:80":     false,
		"ftp://example.com":       false,
		"/srv/releases":           false,
		"https://me:pw@host/l":    false,
		"https://example.com/?a=": false,
		"https://%zz":             false,
	} {
		if s, err := newSource(mirror, plain); err == nil {
			t.Errorf("%s is accepted as %v", mirror, s.base)
		}
	}
}

func TestHosts(t *testing.T) {
	github, err := newSource("", false)
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[string]bool{
		"https://github.com/x": true, "https://release-assets.githubusercontent.com/x?sig=1": true, "https://objects.githubusercontent.com/x": true,
		"https://github.com.evil.example/x": false, "https://raw.githubusercontent.com/x": false, "http://github.com/x": false, "https://github.com:8443/": false,
	} {
		u, err := url.Parse(at)
		if err != nil {
			t.Fatal(err)
		}
		if err := github.checkAllowed(u); (err == nil) != want {
			t.Errorf("%s: %v, want allowed %v", at, err, want)
		}
	}
	if got, want := github.fileURL("1.2.3", "f"), "https://github.com/lectern-mcp/lectern/releases/download/v1.2.3/f"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := github.newestURL("f"), "https://github.com/lectern-mcp/lectern/releases/latest/download/f"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// What has arrived is not asked for again: after a broken connection, and by
// the next run after a killed one.
func TestResume(t *testing.T) {
	s := newFakeServer(t)
	s.offer("1.1.0")
	h := newTestInstall(t, s)
	archive := archiveName("1.1.0", h.config.OS, h.config.Arch)
	text := s.files["/download/v1.1.0/"+archive]
	broken := false
	s.answer = func(w http.ResponseWriter, r *http.Request) bool {
		if path.Base(r.URL.Path) != archive || broken {
			return false
		}
		broken = true
		w.Header().Set("Content-Length", "500")
		_, _ = w.Write(text[:100])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	if _, err := h.updater().Apply(t.Context(), ApplyOptions{}); err != nil {
		t.Fatal(err)
	}
	if last := s.asked[len(s.asked)-1]; !strings.HasSuffix(last, " bytes=100-") {
		t.Errorf("asked at last for %q", last)
	}
	h.expect("1.1.0", "lectern.prev")
}

// An answer that begins elsewhere than where the file ends is not appended: the download begins again.
func TestResumeAtAnotherPlace(t *testing.T) {
	s := newFakeServer(t)
	s.offer("1.1.0")
	h := newTestInstall(t, s)
	archive := archiveName("1.1.0", h.config.OS, h.config.Arch)
	text := s.files["/download/v1.1.0/"+archive]
	requests := 0
	s.answer = func(w http.ResponseWriter, r *http.Request) bool {
		if path.Base(r.URL.Path) != archive {
			return false
		}
		switch requests++; requests {
		case 1:
			w.Header().Set("Content-Length", "500")
		case 2:
			w.Header().Set("Content-Range", "bytes 50-499/500")
			w.WriteHeader(http.StatusPartialContent)
		default:
			return false
		}
		_, _ = w.Write(text[:100])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	if _, err := h.updater().Apply(t.Context(), ApplyOptions{}); err != nil {
		t.Fatal(err)
	}
	if last := s.asked[len(s.asked)-1]; !strings.HasSuffix(last, archive) {
		t.Errorf("asked at last for %q, want all of it", last)
	}
	h.expect("1.1.0", "lectern.prev")
}

// Bytes that an earlier run left and that are wrong cost one more download.
func TestResumeOfRubbish(t *testing.T) {
	s := newFakeServer(t)
	s.offer("1.1.0")
	h := newTestInstall(t, s)
	downloads := path.Join(h.config.State, "downloads")
	if err := os.MkdirAll(downloads, 0o700); err != nil {
		t.Fatal(err)
	}
	archive := archiveName("1.1.0", h.config.OS, h.config.Arch)
	for _, rubbish := range []string{"rubbish", strings.Repeat("rubbish", 1000)} {
		writeFile(t, path.Join(downloads, archive), []byte(rubbish))
		if _, err := h.updater().Apply(t.Context(), ApplyOptions{DryRun: true}); err != nil {
			t.Fatal(err)
		}
	}
	h.expect("1.0.0")
}
