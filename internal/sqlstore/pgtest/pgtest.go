// Package pgtest gives each test a PostgreSQL database of its own, on a server
// that is started once for a test process. It is a test kit: no product code
// imports it. Start reading at [Server].
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
)

// A Server is a PostgreSQL server in a temporary folder, reached by a socket in
// it. It starts when a test first asks for a database, and ends with [Server.Stop]
// or, however that ends, with the test process. The zero value is ready.
//
//	func TestMain(m *testing.M) {
//		code := m.Run()
//		postgres.Stop()
//		os.Exit(code)
//	}
type Server struct {
	once      sync.Once
	err       error
	dir       string
	process   *exec.Cmd
	lifeline  io.WriteCloser
	launched  func() error // starts the process
	mu        sync.Mutex
	databases int
}

// errMissing says what to install.
var errMissing = errors.New("no PostgreSQL server; install Debian's package postgresql, or put initdb and postgres into PATH")

// Database creates an empty database and returns its URL. It skips the test
// where there is no PostgreSQL.
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	s.once.Do(func() { s.err = s.start() })
	if errors.Is(s.err, errMissing) {
		t.Skip(s.err)
	}
	if s.err != nil {
		t.Fatal(s.err)
	}
	s.mu.Lock()
	s.databases++
	name := "test" + strconv.Itoa(s.databases)
	s.mu.Unlock()
	if err := s.create(t.Context(), name); err != nil {
		t.Fatalf("create database: %v", err)
	}
	return s.address(name)
}

func (s *Server) address(database string) string {
	return "postgres:///" + database + "?" + url.Values{"host": {s.dir}, "user": {"postgres"}}.Encode()
}

func (s *Server) create(ctx context.Context, name string) error {
	c, err := pgx.Connect(ctx, s.address("postgres"))
	if err != nil {
		return err
	}
	_, err = c.Exec(ctx, "CREATE DATABASE "+name)
	return errors.Join(err, c.Close(ctx))
}

// Stop ends the server and removes its folder.
func (s *Server) Stop() {
	if s.process != nil {
		_ = s.lifeline.Close()  // the shell ends the server when its input ends
		_ = s.process.Wait()    // it was killed
		_ = os.RemoveAll(s.dir) // a temporary folder
	}
}

func (s *Server) start() error {
	bin, err := findBinaries()
	if err != nil {
		return err
	}
	account, err := unprivileged()
	if err != nil {
		return err
	}
	if s.dir, err = os.MkdirTemp("", "pg"); err != nil {
		return err
	}
	if err := account.own(s.dir); err != nil {
		return err
	}
	data := filepath.Join(s.dir, "data")
	initdb := exec.Command(filepath.Join(bin, "initdb"), "--pgdata", data, "--username", //nolint:gosec,noctx // found above; it ends by itself
		"postgres",
		"--auth", "trust", "--encoding", "UTF8", "--locale", "C", "--no-sync")
	account.run(initdb)
	if out, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	s.launched = func() error { return s.launch(bin, data, account) }
	return s.launched()
}

// Interrupt ends the server, runs while it is down and starts it again with what it
// kept. No other test may run at the same time.
func (s *Server) Interrupt(t testing.TB, while func()) {
	t.Helper()
	_, _ = io.WriteString(s.lifeline, "INT\n") // a shutdown that loses nothing
	_ = s.lifeline.Close()                     // the shell ends the server when its input ends
	_ = s.process.Wait()                       // it was killed
	while()
	if err := s.launched(); err != nil {
		t.Fatal(err)
	}
}

// launch starts the server under a shell that ends it when this process has
// closed its end of a pipe, by Stop or by its death.
func (s *Server) launch(bin, data string, account account) error {
	const script = `"$0" "$@" </dev/null & pid=$!; read -r signal; kill -${signal:-QUIT} $pid; wait $pid`
	s.process = exec.Command("/bin/sh", "-c", script, filepath.Join(bin, "postgres"), "-D", data, "-k", //nolint:gosec,noctx // found above; Stop ends it
		s.dir,
		"-c", "listen_addresses=", "-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off",
		"-c", "shared_buffers=32MB", "-c", "max_connections=100", "-c", "logging_collector=off")
	account.run(s.process)
	input, err := s.process.StdinPipe()
	if err != nil {
		return err
	}
	s.lifeline = input
	log, err := s.process.StderrPipe()
	if err != nil {
		return err
	}
	if err := s.process.Start(); err != nil {
		return err
	}
	return waitUntilReady(log)
}

// findBinaries returns the folder of the newest PostgreSQL that Debian has
// installed, or of the one in PATH.
func findBinaries() (string, error) {
	if found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb"); err == nil && len(found) > 0 {
		slices.SortFunc(found, func(a, b string) int { return len(a) - len(b) })
		return filepath.Dir(found[len(found)-1]), nil
	}
	initdb, err := exec.LookPath("initdb")
	if err != nil {
		return "", errMissing
	}
	if initdb, err = filepath.EvalSymlinks(initdb); err != nil {
		return "", err
	}
	return filepath.Dir(initdb), nil
}
