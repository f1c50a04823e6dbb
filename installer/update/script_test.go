package update

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// script is install.sh at the top of the source.
var script = filepath.Join("..", "..", "install.sh")

// install.sh verifies before it installs: with minisign where that is installed.
func TestInstallScript(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("no curl here")
	}
	archive := archiveName("1.1.0", runtime.GOOS, runtime.GOARCH)
	const latest = "/latest/download/"
	for _, c := range []struct {
		name string
		lie  func(*testing.T, *fakeServer)
		env  string
		want string // of what it says
		ok   bool
		sign bool // minisign is needed
	}{
		{"honest", nil, "A=b", "installed: ", true, false},
		{"honest, by version", nil, "LECTERN_VERSION=1.1.0", "installed: ", true, false},
		{"without keys", nil, "LECTERN_KEYS=", "no release key yet", true, false},
		{"signature checked", nil, "A=b", "signature: lectern 1.1.0", true, true},
		{"version that is none", nil, "LECTERN_VERSION=../1", "write it as 1.2.3", false, false},
		{"version that is not there", nil, "LECTERN_VERSION=7.0.0", "cannot get", false, false},
		{"plain mirror", nil, "LECTERN_MIRROR=http://example.com", "must be an https URL", false, false},
		{"archive changed", func(_ *testing.T, s *fakeServer) { s.files["/download/v1.1.0/"+archive][9] ^= 1 }, "A=b", "changed or damaged", false, false},
		{"list changed", func(_ *testing.T, s *fakeServer) {
			s.files[latest+checksumsFile] = append(s.files[latest+checksumsFile], '\n')
		}, "A=b", "not signed by a key", false, true},
		{"signed by another key", func(t *testing.T, s *fakeServer) {
			s.files[latest+checksumsFile+signatureSuffix] = newSigner(t).sign(s.files[latest+checksumsFile], "lectern 1.1.0")
		}, "A=b", "not signed by a key", false, true},
		{"signed for another version", func(_ *testing.T, s *fakeServer) {
			s.files[latest+checksumsFile+signatureSuffix] = s.key.sign(s.files[latest+checksumsFile], "lectern 1.0.9")
		}, "A=b", "signed for version 1.0.9", false, true},
		{"signature missing", func(_ *testing.T, s *fakeServer) { delete(s.files, latest+checksumsFile+signatureSuffix) }, "A=b", "cannot get", false, true},
		{"no build for this system", func(_ *testing.T, s *fakeServer) { s.list("1.1.0", hexSum(nil)+"  other.zip\n") }, "A=b", "no build for", false, false},
		{"link in place of the binary", func(t *testing.T, s *fakeServer) {
			s.offerArchive("1.1.0", tarball(t, archiveFile{name: "lectern", kind: '2', link: "/bin/sh"}))
		}, "A=b", "is not a regular file", false, false},
		{"binary of another version", func(t *testing.T, s *fakeServer) { s.offerArchive("1.1.0", tarball(t, s.contents("1.0.9")...)) }, "A=b", "reports", false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := exec.LookPath("minisign"); err != nil && c.sign {
				t.Skip("no minisign here")
			}
			s := newFakeServer(t)
			s.offer("1.1.0")
			if c.lie != nil {
				c.lie(t, s)
			}
			h := newTestInstall(t, s)
			cmd := exec.CommandContext(t.Context(), "sh", script)
			cmd.Env = append(os.Environ(), "LECTERN_MIRROR="+s.url, "LECTERN_BIN="+h.dir, "LECTERN_KEYS="+s.key.public.String(), c.env)
			out, err := cmd.CombinedOutput()
			if (err == nil) != c.ok || !strings.Contains(string(out), c.want) {
				t.Errorf("%v\n%s\nwant %q", err, out, c.want)
			}
			if c.ok {
				h.expect("1.1.0")
			} else {
				h.expect("1.0.0")
			}
		})
	}
}

// The scripts trust the same keys as the binary.
func TestScriptsTrustTheSameKeys(t *testing.T) {
	for file, pattern := range map[string]string{script: `(?m)^KEYS='(.*)'$`, filepath.Join("..", "..", "install.ps1"): `(?m)^    \$keys = '(.*)'$`} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m := regexp.MustCompile(pattern).FindSubmatch(text)
		if want := strings.Join(ReleaseKeys(), " "); m == nil || string(bytes.TrimSpace(m[1])) != want {
			t.Errorf("%s has the keys %q, the binary has %q", file, m, want)
		}
	}
}
