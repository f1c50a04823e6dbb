package loopnet

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"testing"
)

func TestListenTCP(t *testing.T) {
	l, err := ListenTCP(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	addr := l.Addr().(*net.TCPAddr)
	if addr.IP.String() != "127.0.0.1" {
		t.Errorf("listens on %s", addr)
	}
	go answerHello(l)
	conn, err := net.Dial("tcp", addr.String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	hello := make([]byte, 6)
	if _, err := conn.Read(hello); err != nil || string(hello) != "hello\n" {
		t.Errorf("read %q, %v", hello, err)
	}
}

// TestListenTCPTaken takes the port on one address and on all of them: either
// way nobody else gets it, and the error says who has it.
func TestListenTCPTaken(t *testing.T) {
	for _, other := range []string{"127.0.0.1:0", "0.0.0.0:0", "[::]:0"} {
		l, err := net.Listen("tcp", other)
		if err != nil {
			t.Skipf("no listening on %s here: %v", other, err)
		}
		port := l.Addr().(*net.TCPAddr).Port
		_, err = ListenTCP(t.Context(), port)
		taken, ok := errors.AsType[*PortTaken](err)
		if !ok || taken.Port != port {
			t.Fatalf("%s: error %v, want a *PortTaken", other, err)
		}
		if runtime.GOOS == "linux" && !strings.HasPrefix(taken.Holder, fmt.Sprintf("process %d (", os.Getpid())) {
			t.Errorf("%s: holder %q, want process %d", other, taken.Holder, os.Getpid())
		}
		if want := fmt.Sprintf("listen on 127.0.0.1:%d: the port is taken by %s: stop that", port, taken.Holder); !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %q, want %q", err, want)
		}
		l.Close()
	}
}

// answerHello says hello to every connection it is given and closes it.
func answerHello(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		_, _ = io.WriteString(conn, "hello\n")
		_ = conn.Close()
	}
}
