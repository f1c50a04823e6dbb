package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The real keyring of a desktop keeps a key, and gives none while it is locked,
// without a window. The test runs itself in a session bus of its own.
func TestRealKeyring(t *testing.T) {
	const inside = "LECTERN_TEST_KEYRING"
	if os.Getenv(inside) == "" {
		for _, name := range []string{"dbus-run-session", "gnome-keyring-daemon", "gdbus"} {
			if _, err := exec.LookPath(name); err != nil {
				t.Skipf("no keyring to try: %v", err)
			}
		}
		const script = `printf x | gnome-keyring-daemon --unlock --components=secrets >&2 && exec "$0" -test.run '^TestRealKeyring$' -test.v`
		cmd := exec.CommandContext(t.Context(), "dbus-run-session", "--", "sh", "-c", script, os.Args[0])
		home := t.TempDir()
		cmd.Env = append(os.Environ(), inside+"=1", "HOME="+home, "XDG_DATA_HOME="+home, "XDG_RUNTIME_DIR="+home, "XDG_CONFIG_HOME="+home)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "PASS: TestRealKeyring") {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	key, ring := bytes.Repeat([]byte{0, 255}, 16), passwords{}
	if _, err := ring.Get("k1", false); err == nil {
		t.Error("a keyring has a key that nobody gave it")
	}
	if err := ring.Set("k1", key); err != nil {
		t.Fatal(err)
	}
	if got, err := ring.Get("k1", false); err != nil || !bytes.Equal(got, key) {
		t.Errorf("%x, %v", got, err)
	}
	lock := exec.CommandContext(t.Context(), "gdbus", "call", "--session", "--dest", "org.freedesktop.secrets", "--object-path", "/org/freedesktop/secrets",
		"--method", "org.freedesktop.Secret.Service.Lock", "['/org/freedesktop/secrets/collection/login']")
	if out, err := lock.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if _, err := ring.Get("k1", false); err == nil || !strings.Contains(err.Error(), "locked") {
		t.Errorf("locked: %v", err)
	}
	if err := ring.Set("k2", key); err == nil || !strings.Contains(err.Error(), "locked") {
		t.Errorf("locked: %v", err)
	}
}
