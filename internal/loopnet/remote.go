package loopnet

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// Remote says which other machines may use a listener, and under which names
// they know it. The zero Remote lets nobody in. A nil *Remote is this machine, by
// its loopback interface and without TLS.
type Remote struct {
	// Hosts are names without port, in lower case: "notes.example.org". The Host of a
	// request is one of them, with the listener's port or without port.
	Hosts []string
	// Peers are the networks that requests come from.
	Peers []netip.Prefix
}

// ParseRemote reads networks such as "10.0.0.0/8". Without any, only this machine
// is let in.
func ParseRemote(hosts, networks []string) (*Remote, error) {
	r := &Remote{Hosts: hosts}
	for _, text := range networks {
		network, err := parseNetwork(text)
		if err != nil {
			return nil, err
		}
		r.Peers = append(r.Peers, network)
	}
	if len(networks) == 0 {
		r.Peers = loopbackNetworks()
	}
	return r, nil
}

// CheckNetwork returns what is wrong with a network of peers.
func CheckNetwork(text string) error {
	_, err := parseNetwork(text)
	return err
}

func parseNetwork(text string) (netip.Prefix, error) {
	network, err := netip.ParsePrefix(text)
	switch {
	case err != nil:
		return network, errors.New(`must be a network such as "10.0.0.0/8" or "2001:db8::/32"; one address is "192.0.2.7/32"`)
	case network != network.Masked():
		return network, fmt.Errorf("has bits beyond its prefix; write %q", network.Masked())
	case network.Addr().Is4In6():
		return network, errors.New("must be written as an IPv4 network")
	}
	return network, nil
}

// CheckAddress returns what is wrong with the address of a listener, and whether
// only this machine reaches it.
func CheckAddress(text string) (local bool, err error) {
	at, err := netip.ParseAddrPort(text)
	if err != nil || at.Port() == 0 || at.Addr().Is4In6() {
		return false, errors.New(`must be an IP address and a port, such as "0.0.0.0:12741" or "[::]:12741"`)
	}
	return at.Addr().IsLoopback(), nil
}

func loopbackNetworks() []netip.Prefix {
	return []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
}

// allows reports whether a peer, as net/http writes its address, may connect.
func (r *Remote) allows(peer string) bool {
	at, err := netip.ParseAddrPort(peer)
	if err != nil {
		return false
	}
	addr := at.Addr().Unmap().WithZone("")
	if r == nil {
		return addr.IsLoopback()
	}
	return slices.ContainsFunc(r.Peers, func(network netip.Prefix) bool { return network.Contains(addr) })
}

// hosts returns the values that Host may have.
func (r *Remote) hosts(number int) (hosts []string) {
	port := ":" + strconv.Itoa(number)
	if r == nil {
		return []string{"127.0.0.1" + port, "localhost" + port, "[::1]" + port}
	}
	for _, name := range r.Hosts {
		hosts = append(hosts, name+port, name)
	}
	return hosts
}

// origins returns the origins of pages that every route is served to: those of
// the listener itself. The loopback interface has none, because every program of
// this machine can serve pages there.
func (r *Remote) origins(hosts []string) (origins []string) {
	if r != nil {
		for _, host := range hosts {
			origins = append(origins, "https://"+host)
		}
	}
	return origins
}

// url is where a request that came under another name belongs.
func (r *Remote) url(hosts []string) string {
	switch {
	case r == nil:
		return "http://" + hosts[0]
	case len(hosts) == 0:
		return "no name"
	}
	return "https://" + hosts[0]
}

// Listen listens on address, an IP address and a port, for the peers of r only:
// Accept closes connections from elsewhere without an answer.
func (r *Remote) Listen(ctx context.Context, address string) (net.Listener, error) {
	network := "tcp4" // each family alone: "tcp" makes 0.0.0.0 listen on IPv6 too
	if strings.HasPrefix(address, "[") {
		network = "tcp6"
	}
	cfg := net.ListenConfig{Control: setExclusive}
	l, err := cfg.Listen(ctx, network, address)
	if errors.Is(err, errAddrInUse) {
		return nil, fmt.Errorf("listen on %s: another program listens there: stop it, or choose another address", address)
	}
	if err != nil {
		return nil, err // names the address
	}
	return peerListener{l, r}, nil
}

// SetTLS makes a server speak TLS with the certificate, to clients that ask for
// one of r's names or for none. It speaks HTTP/1.1 only, which is what the guard and
// the limits of a server count.
func (r *Remote) SetTLS(server *http.Server, certificate func() *tls.Certificate) {
	server.Protocols = new(http.Protocols)
	server.Protocols.SetHTTP1(true)
	server.TLSConfig = &tls.Config{
		MinVersion: tls.VersionTLS12,
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			if hello.ServerName != "" && !slices.Contains(r.Hosts, hello.ServerName) {
				return nil, errors.New("nothing is served under the name that the client asks for")
			}
			return certificate(), nil
		},
	}
}
