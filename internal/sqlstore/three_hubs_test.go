package sqlstore

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

const (
	hubEnv    = "SQLSTORE_TEST_DATABASE"
	victimEnv = "SQLSTORE_TEST_VICTIM" // set: this hub stops in the middle of a job
	hubJobs   = 60
	hubRound  = 10 // jobs that each hub does before one is killed
)

var (
	hubTables = schema("CREATE TABLE jobs (id BIGINT PRIMARY KEY, done BIGINT NOT NULL); CREATE TABLE results (job BIGINT NOT NULL, hub TEXT NOT NULL); CREATE TABLE total (n BIGINT NOT NULL)")
	hubLimit  = RateLimit{100, 24 * 365 * time.Hour}
)

// Three hubs do jobs from one database, each once, and are limited together. One
// is killed while it holds a lock: the others take it over, and nothing is lost or
// done twice.
func TestThreeHubs(t *testing.T) {
	eachDialect(t, func(t *testing.T, database string) {
		s, ctx := open(t, database, hubTables, time.Now), t.Context()
		err := s.Write(ctx, func(c *Conn) error {
			for id := range hubJobs {
				if _, err := c.Exec(ctx, "INSERT INTO jobs (id, done) VALUES (?, 0)", id); err != nil {
					return err
				}
			}
			_, err := c.Exec(ctx, "INSERT INTO total (n) VALUES (0)")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		victim, others := startHub(t, database, true), []*testHub{startHub(t, database, false), startHub(t, database, false)}
		for _, h := range append(others, victim) {
			h.expect(t, "round done")
		}
		victim.goOn(t)
		victim.expect(t, "in a job")
		for _, h := range others {
			h.goOn(t)
		}
		if err := victim.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		var taken, jobs int64
		for _, h := range others {
			var n, done int64
			if _, err := fmt.Sscanf(h.read(t), "taken %d done %d", &n, &done); err != nil {
				t.Fatal(err)
			}
			taken, jobs = taken+n, jobs+done
			if err := h.cmd.Wait(); err != nil {
				t.Error(err)
			}
		}
		_ = victim.cmd.Wait() // it was killed
		byVictim := count(t, s, "SELECT count(*) FROM results WHERE hub = 'victim'")
		if byVictim != hubRound {
			t.Errorf("the victim did %d jobs", byVictim)
		}
		if n := count(t, s, "SELECT count(*) FROM results"); n != hubJobs || n != jobs+byVictim {
			t.Errorf("%d results of %d jobs, %d of them by the victim", n, hubJobs, byVictim)
		}
		if n := count(t, s, "SELECT count(DISTINCT job) FROM results"); n != hubJobs {
			t.Errorf("%d jobs were done", n)
		}
		if n := count(t, s, "SELECT n FROM total"); n != hubJobs {
			t.Errorf("the total under the lock is %d", n)
		}
		if n := count(t, s, "SELECT taken FROM sqlstore_rates WHERE name = 'all'"); n != hubLimit.Limit || taken > n || taken < n-2*hubRound {
			t.Errorf("%d taken, %d of them by the two", n, taken)
		}
	})
}

type testHub struct {
	cmd *exec.Cmd
	in  io.Closer
	out *bufio.Reader
}

func startHub(t *testing.T, database string, victim bool) *testHub {
	t.Helper()
	h := &testHub{cmd: exec.CommandContext(t.Context(), os.Args[0])}
	h.cmd.Env, h.cmd.Stderr = append(os.Environ(), hubEnv+"="+database), os.Stderr
	if victim {
		h.cmd.Env = append(h.cmd.Env, victimEnv+"=1")
	}
	out, err := h.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	h.out = bufio.NewReader(out)
	if h.in, err = h.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return h
}

func (h *testHub) expect(t *testing.T, want string) {
	t.Helper()
	if said := h.read(t); said != want {
		t.Fatalf("a hub said %q, want %q", said, want)
	}
}

// goOn has a hub do the jobs that are left.
func (h *testHub) goOn(t *testing.T) {
	t.Helper()
	if err := h.in.Close(); err != nil {
		t.Fatal(err)
	}
}

func (h *testHub) read(t *testing.T) string {
	t.Helper()
	line, err := h.out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

// workAsHub is the process of a hub: it does jobs until all are done.
func workAsHub(database string) {
	h := hubWorker{name: fmt.Sprint(os.Getpid())}
	if h.victim = os.Getenv(victimEnv) != ""; h.victim {
		h.name = "victim"
	}
	ctx := context.Background()
	var err error
	if h.store, err = Open(ctx, Options{Database: database, Schema: hubTables, Now: time.Now}); err == nil {
		err = errors.Join(h.work(ctx), h.store.Close())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, h.name, err)
		os.Exit(1)
	}
	fmt.Println("taken", h.taken, "done", h.done)
	os.Exit(0)
}

type hubWorker struct {
	store       *Store
	name        string
	victim      bool
	taken, done int
}

func (h *hubWorker) work(ctx context.Context) error {
	for {
		ids, err := Select(ctx, h.store.Reader(), func(row Row) (id int, err error) { return id, row.Scan(&id) },
			"SELECT id FROM jobs WHERE done = 0 ORDER BY id")
		if err != nil || len(ids) == 0 {
			return err
		}
		for _, id := range ids {
			if err := h.try(ctx, id); err != nil {
				return err
			}
		}
	}
}

// try does a job if nobody else does.
func (h *hubWorker) try(ctx context.Context, id int) error {
	wrote := false
	err := h.store.WithLock(ctx, "total", func(ctx context.Context) (err error) {
		if h.victim && h.done == hubRound {
			fmt.Println("in a job")
			select {} // until it is killed
		}
		wrote, err = h.finish(ctx, id)
		return err
	})
	if err != nil || !wrote {
		return err
	}
	for range 2 {
		wait, err := h.store.Take(ctx, "all", 1, hubLimit)
		if err != nil {
			return err
		}
		if wait == 0 {
			h.taken++
		}
	}
	if h.done++; h.done == hubRound {
		fmt.Println("round done")
		_, err = io.Copy(io.Discard, os.Stdin)
	}
	return err
}

// finish writes the result of a job, if it is not done. The
// total is read and written in two transactions, which only the lock keeps
// together.
func (h *hubWorker) finish(ctx context.Context, id int) (wrote bool, err error) {
	var total int64
	if err := h.store.Reader().QueryRow(ctx, "SELECT n FROM total").Scan(&total); err != nil {
		return false, err
	}
	err = h.store.Write(ctx, func(c *Conn) error {
		wrote = false
		n, err := c.Exec(ctx, "UPDATE jobs SET done = 1 WHERE id = ? AND done = 0", id)
		if err != nil || n == 0 {
			return err
		}
		if _, err := c.Exec(ctx, "INSERT INTO results (job, hub) VALUES (?, ?)", id, h.name); err != nil {
			return err
		}
		wrote = true
		_, err = c.Exec(ctx, "UPDATE total SET n = ?", total+1)
		return err
	})
	return wrote, err
}
