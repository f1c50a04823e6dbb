package pgtest

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// A FaultConnection leads to a database and is lost while it commits, if it is told to.
type FaultConnection struct {
	URL string // of the database

	server string       // its socket
	lose   atomic.Int32 // a loss
}

// What becomes of the next commit that is sent.
const (
	commitArrives int32 = iota
	answerIsLost        // it is made, and not answered
	commitIsLost        // it is not made
)

// NewFaultConnection creates an empty database, reached by a FaultConnection.
func (s *Server) NewFaultConnection(t testing.TB) *FaultConnection {
	t.Helper()
	url := s.Database(t)
	dir, err := os.MkdirTemp("", "pg") // a socket has a short name
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	const socket = ".s.PGSQL.5432"
	l, err := net.Listen("unix", filepath.Join(dir, socket)) //nolint:noctx // Close ends it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	host := func(dir string) string { return "host=" + strings.ReplaceAll(dir, "/", "%2F") }
	way := &FaultConnection{URL: strings.Replace(url, host(s.dir), host(dir), 1), server: filepath.Join(s.dir, socket)}
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go way.serve(client)
		}
	}()
	return way
}

// InterruptAnswer has the next commit be made and its answer be lost.
func (l *FaultConnection) InterruptAnswer() { l.lose.Store(answerIsLost) }

// InterruptCommit has the next commit not reach the server.
func (l *FaultConnection) InterruptCommit() { l.lose.Store(commitIsLost) }

// passAnswers passes on what the server answers, but for the answer that comes when silent is
// set: that is lost, and answered told.
func passAnswers(server, client net.Conn, silent *atomic.Bool, answered chan<- struct{}) {
	defer client.Close() //nolint:errcheck // the server has gone
	for b := make([]byte, 32<<10); ; {
		n, err := server.Read(b)
		if silent.Load() {
			answered <- struct{}{}
			return
		}
		if err != nil {
			return
		}
		if _, err := client.Write(b[:n]); err != nil {
			return
		}
	}
}

func (l *FaultConnection) serve(client net.Conn) {
	defer client.Close()                      //nolint:errcheck // it may be lost
	server, err := net.Dial("unix", l.server) //nolint:noctx // it is there
	if err != nil {
		return
	}
	defer server.Close() //nolint:errcheck // it may be lost
	var silent atomic.Bool
	answered := make(chan struct{}, 1)
	go passAnswers(server, client, &silent, answered)
	for b := make([]byte, 32<<10); ; {
		n, err := client.Read(b)
		if err != nil {
			return
		}
		if bytes.Contains(bytes.ToLower(b[:n]), []byte("commit")) {
			switch l.lose.Swap(commitArrives) {
			case commitIsLost:
				return
			case answerIsLost:
				silent.Store(true)
				_, _ = server.Write(b[:n])
				<-answered
				return
			}
		}
		if _, err := server.Write(b[:n]); err != nil {
			return
		}
	}
}
