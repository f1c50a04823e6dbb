package loopnet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
)

// ListenTCP listens on 127.0.0.1:port and on no other address. Port 0 means
// any free port. A taken port is a *[PortTaken]; the listener never chooses
// another port by itself. Accept closes connections from elsewhere without
// returning them.
func ListenTCP(ctx context.Context, port int) (net.Listener, error) {
	cfg := net.ListenConfig{Control: setExclusive}
	l, err := cfg.Listen(ctx, "tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if errors.Is(err, errAddrInUse) {
		return nil, &PortTaken{Port: port, Holder: portHolder(port)}
	}
	if err != nil {
		return nil, err // names the address
	}
	return peerListener{l, nil}, nil
}

// PortTaken means that another program listens on a port.
type PortTaken struct {
	Port   int
	Holder string // such as "process 1234 (node)"; empty if unknown
}

func (e *PortTaken) Error() string {
	holder := e.Holder
	if holder == "" {
		holder = "another program"
	}
	return fmt.Sprintf("listen on 127.0.0.1:%d: the port is taken by %s: stop that program, or set another port in the configuration",
		e.Port, holder)
}

// A peerListener accepts connections only from allowed peers. For the loopback
// interface its address says so already; this is for a machine that routes other
// packets there (route_localnet).
type peerListener struct {
	net.Listener
	remote *Remote // nil: only this machine
}

func (l peerListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if l.remote.allows(conn.RemoteAddr().String()) {
			return conn, nil
		}
		_ = conn.Close()
	}
}
