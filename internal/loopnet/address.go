package loopnet

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// ParseLoopback reads an address to listen on or to dial: 127.0.0.1:PORT,
// [::1]:PORT or localhost:PORT. Everything else is refused, above all the many
// spellings of "every interface", an empty host among them. Port 0 means one
// that is free.
func ParseLoopback(addr string) (netip.AddrPort, error) {
	no := func(why string) (netip.AddrPort, error) {
		return netip.AddrPort{}, fmt.Errorf("parse address %q: %s: write 127.0.0.1:PORT", addr, why)
	}
	i := strings.LastIndexByte(addr, ':')
	if i < 0 {
		return no("no port")
	}
	host, port := addr[:i], addr[i+1:]
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || strconv.FormatUint(n, 10) != port {
		return no("the port is not a number from 0 to 65535")
	}
	switch host {
	case "127.0.0.1", "localhost":
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(n)), nil
	case "[::1]":
		return netip.AddrPortFrom(netip.IPv6Loopback(), uint16(n)), nil
	case "":
		return no("an empty host means every interface")
	}
	return no("only this machine's own loopback is listened on")
}
