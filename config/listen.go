package config

import (
	"errors"
	"strings"
)

// checkListen checks what the second listener needs as a whole: nobody opens a
// source to other machines by leaving something out.
func (d *decoder) checkListen(l Listen) {
	t := configTable{decoder: d, path: "listen"}
	if l.Address == "" {
		return
	}
	if d.schema.CheckAddress == nil {
		t.wrong("address", "this program opens no second listener")
		return
	}
	local, err := d.schema.CheckAddress(l.Address)
	if err != nil {
		t.wrong("address", "%v", err)
	}
	var missing []string
	for _, key := range []struct {
		name string
		gone bool
	}{
		{"tls_cert", l.TLSCert == ""},
		{"tls_key", l.TLSKey == ""},
		{"hosts", len(l.Hosts) == 0},
		{"sources", len(l.Sources) == 0},
		{"allow", len(l.Allow) == 0 && !local && err == nil},
	} {
		if key.gone {
			missing = append(missing, key.name)
		}
	}
	if missing != nil {
		t.wrong("address", "needs these keys of [listen] too, which are missing: %s", strings.Join(missing, ", "))
	}
}

func checkNetwork(s Schema, network string) error {
	if s.CheckNetwork == nil {
		return nil
	}
	return s.CheckNetwork(network)
}

// checkHost returns what is wrong with a name that requests come under.
func checkHost(_ Schema, name string) error {
	strange := func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '.') }
	ipv6 := strings.HasPrefix(name, "[") && strings.HasSuffix(name, "]")
	if name == "" || !ipv6 && strings.ContainsFunc(name, strange) {
		return errors.New(`must be one name in lower case, without scheme and port, such as "notes.example.org" or "192.0.2.7"`)
	}
	return nil
}
