package loopnet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
)

// ListenTCP listens on 127.0.0.1:port, and on no other address. Port 0 means
// one that is free. A port that is taken is a *[PortTaken]; the listener never
// moves to another by itself. Accept closes connections from elsewhere without
// returning them.
func ListenTCP(ctx context.Context, port int) (net.Listener, error) {
	cfg := net.ListenConfig{Control: setExclusive}
	l, err := cfg.Listen(ctx, "tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if isAddrInUse(err) {
		return nil, &PortTaken{Port: port, Holder: portHolder(port)}
	}
	if err != nil {
		return nil, err // names the address
	}
	return loopbackListener{l}, nil
}

// PortTaken says that somebody else listens on a port.
type PortTaken struct {
	Port   int
	Holder string // who, such as "process 1234 (node)"; empty when that cannot be seen
}

func (e *PortTaken) Error() string {
	holder := e.Holder
	if holder == "" {
		holder = "another program"
	}
	return fmt.Sprintf("listen on 127.0.0.1:%d: the port is taken by %s: stop that, or set another port in the configuration", e.Port, holder)
}

// loopbackListener is a listener whose Accept returns connections from loopback only.
// The address it is bound to says so already; this is for the day when routing
// is made to say otherwise (route_localnet).
type loopbackListener struct{ net.Listener }

func (l loopbackListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if fromLoopback(conn.RemoteAddr().String()) {
			return conn, nil
		}
		_ = conn.Close()
	}
}

func isAddrInUse(err error) bool { return errors.Is(err, errAddrInUse) }
