package config_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/config"
)

// listenSchema knows the addresses 0:1, which other machines reach, and 127:1.
func listenSchema() config.Schema {
	s := schema
	s.CheckAddress = func(address string) (bool, error) {
		if address != "0:1" && address != "127:1" {
			return false, errors.New("not an address")
		}
		return address == "127:1", nil
	}
	s.CheckNetwork = func(network string) error {
		if !strings.HasPrefix(network, "10/") {
			return errors.New("not a network")
		}
		return nil
	}
	return s
}

const listening = `[listen]
address = "0:1"
tls_cert = "cert.pem"
tls_key = "~/key.pem"
hosts = ["notes.example.org", "192.0.2.7", "[2001:db8::7]"]
allow = ["10/8"]
sources = ["wiki"]
mcp = true
`

func TestListen(t *testing.T) {
	c, err := config.Parse(file, []byte(listening), listenSchema())
	if err != nil {
		t.Fatal(err)
	}
	want := config.Listen{
		Address: "0:1", TLSCert: "/etc/lectern/cert.pem", TLSKey: "/home/me/key.pem",
		Hosts: []string{"notes.example.org", "192.0.2.7", "[2001:db8::7]"}, Allow: []string{"10/8"}, Sources: []string{"wiki"}, MCP: true,
	}
	if d := cmp.Diff(want, c.Listen); d != "" {
		t.Error(d)
	}
	s, err := c.Setting("listen.hosts")
	if err != nil || s.Value != "notes.example.org, 192.0.2.7, [2001:db8::7]" || !s.Restart || s.Line != 5 {
		t.Errorf("listen.hosts is %+v, %v", s, err)
	}
	if d := config.Default(file, schema).Listen; d.Address != "" || d.MCP {
		t.Errorf("without a file there is a second listener: %+v", d)
	}
}

// Nothing is opened to other machines by omission, or by a list that is read
// differently than it was meant.
func TestListenFaults(t *testing.T) {
	for _, c := range []struct{ old, changed, want string }{
		{"allow = [\"10/8\"]\n", "", "2:11: listen.address: needs these keys of [listen] too, which are missing: allow"},
		{"allow = [\"10/8\"]", "allow = []", "2:11: listen.address: needs these keys of [listen] too, which are missing: allow"},
		{"tls_cert = \"cert.pem\"\n", "", "which are missing: tls_cert"},
		{"tls_key = \"~/key.pem\"\n", "", "which are missing: tls_key"},
		{"tls_key = \"~/key.pem\"\n", "tls_key = \"\"\n", "which are missing: tls_key"},
		{"sources = [\"wiki\"]\n", "", "which are missing: sources"},
		{"hosts = [\"notes.example.org\", \"192.0.2.7\", \"[2001:db8::7]\"]\n", "", "which are missing: hosts"},
		{"0:1", "0:x", "2:11: listen.address: not an address"},
		{"\"10/8\"", "\"10/8\", \"all\"", "6:18: listen.allow[1]: not a network"},
		{"[\"10/8\"]", "\"10/8\"", "6:9: listen.allow: must be a list of strings in quotes"},
		{"[\"10/8\"]", "[10]", "6:10: listen.allow[0]: must be a string in quotes"},
		{"notes.example.org", "https://notes.example.org", "5:10: listen.hosts[0]: must be one name in lower case"},
		{"notes.example.org", "notes.example.org:12741", "listen.hosts[0]: must be one name"},
		{"notes.example.org", "Notes.example.org", "listen.hosts[0]: must be one name"},
		{"notes.example.org", "*.example.org", "listen.hosts[0]: must be one name"},
		{"notes.example.org", "", "listen.hosts[0]: must be one name"},
		{"wiki", "My Wiki", "7:12: listen.sources[0]: "},
		{"mcp = true", "mcp = 1", "8:7: listen.mcp: must be true or false"},
		{"mcp", "mpc", "8:1: listen.mpc: unknown key, did you mean mcp?"},
	} {
		text := strings.Replace(listening, c.old, c.changed, 1)
		if _, err := config.Parse(file, []byte(text), listenSchema()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q for %q:\n got %v\nwant %s", c.changed, c.old, err, c.want)
		}
	}
	local := strings.Replace(strings.Replace(listening, "0:1", "127:1", 1), "allow = [\"10/8\"]\n", "", 1)
	if _, err := config.Parse(file, []byte(local), listenSchema()); err != nil {
		t.Errorf("only this machine needs no allow: %v", err)
	}
	if _, err := config.Parse(file, []byte(listening), schema); err == nil {
		t.Error("a program without a second listener accepts one")
	}
}

// A source that other machines are served is not removed by mistake: another of
// its name would be open to them at once.
func TestRemoveListenedSource(t *testing.T) {
	c, err := config.Parse(file, []byte(listening+"[[source]]\nname = \"wiki\"\nkind = \"cards\"\n"), listenSchema())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.RemoveSource("wiki"); err == nil || !strings.Contains(err.Error(), "listen.sources") {
		t.Errorf("remove: %v", err)
	}
}
