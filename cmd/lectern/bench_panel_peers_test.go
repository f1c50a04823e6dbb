//go:build unix

package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"
	"time"
)

// A measuredPanel is a program with a full screen, and how to have it show a long list.
type measuredPanel struct {
	name    string
	argv    []string
	environ []string
	folder  string // that it runs in
	keys    string // open the list
	down    string // moves on in it
	traffic bool   // an agent calls meanwhile
}

// How long and how often is measured. IDLE_SECONDS is for a machine with less time.
const (
	measuredStarts  = 5
	measuredKeys    = 60
	defaultIdleTime = 30 * time.Second
)

// The panel with 5,000 pages, 6,000 calls and 400 changes beside lazygit and tig with the history of
// this repository, as far as they are installed: one after the other in a terminal of 140×45, in
// one run, because figures of different runs cannot be compared.
func BenchmarkPanelBesideOthers(b *testing.B) {
	if runtime.GOOS != "linux" {
		b.Skip("read from /proc")
	}
	seconds, _ := strconv.Atoi(os.Getenv("IDLE_SECONDS"))
	idle := cmp.Or(time.Duration(seconds)*time.Second, defaultIdleTime)
	exe, home := preparePanelScene(b)
	repository, err := filepath.Abs("../..")
	if err != nil {
		b.Fatal(err)
	}
	panel := measuredPanel{argv: []string{exe}, environ: environIn(home), folder: home, down: "j"}
	var measured []measuredPanel
	for _, pane := range []struct {
		name, keys, down string
		traffic          bool
	}{
		{"Activity", "3", "j", false},
		{"Changes", "4", "j", false},
		{"Logs", "7", "k", false},
		{"Activity, 20 calls/s", "3", "j", true},
		{"Logs, 20 calls/s", "7", "k", true},
	} {
		p := panel
		p.name, p.keys, p.down, p.traffic = "Lectern "+pane.name, pane.keys, pane.down, pane.traffic
		measured = append(measured, p)
	}
	theirs := lazygitConfig(b)
	measured = append(measured,
		measuredPanel{name: "lazygit commits", argv: []string{"lazygit", "-ucd", theirs}, environ: environIn(theirs), folder: repository, keys: "4", down: "j"},
		measuredPanel{name: "tig", argv: []string{"tig"}, environ: environIn(theirs), folder: repository, down: "j"},
	)
	var out strings.Builder
	table := tabwriter.NewWriter(&out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\tstart, first bytes\tall\tkey, first bytes p50/p95\tall p50/p95\tbytes/key p50\tmean\tidle CPU\tidle bytes\tmemory\t")
	for _, p := range measured {
		if _, err := exec.LookPath(p.argv[0]); err != nil {
			b.Logf("%s is not installed", p.argv[0])
			continue
		}
		row := strings.Join(measurePanel(b, p, exe, home, idle), "\t")
		fmt.Fprintln(os.Stderr, row) // it takes minutes
		fmt.Fprintln(table, row+"\t")
	}
	if err := table.Flush(); err != nil {
		b.Fatal(err)
	}
	load, _ := os.ReadFile("/proc/loadavg")
	b.Logf("load %s; untouched for %s; starts %d, keys %d\n%s", strings.Join(strings.Fields(string(load))[:3], " "), idle, measuredStarts, measuredKeys, out.String())
	b.ReportMetric(0, "ns/op")
}

// preparePanelScene is a hub with many pages, calls and changes.
func preparePanelScene(b *testing.B) (exe, home string) {
	b.Helper()
	exe, home, _ = startHub(b, "ask = []\n")
	for i := range 5000 {
		name := filepath.Join(home, "notes", fmt.Sprintf("Folder %d", i%50), fmt.Sprintf("Page %d.md", i))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("# Page\n\nwords\n"), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	const agents = 40 // so that none writes so much that a person is asked
	for agent := range agents {
		cmd := exec.CommandContext(b.Context(), exe, "serve")
		cmd.Env = append(os.Environ(), "LECTERN_HOME="+home)
		p := startPeerAs(b, cmd, fmt.Sprintf("agent-%d", agent))
		for i := range 6400 / agents {
			p.roundTrip(b, callLine(agent*6400/agents+i+2, i%16 == 15))
		}
		p.disconnect(b)
	}
	return exe, home
}

// callLine is a call that reads or writes one of the pages.
func callLine(id int, writes bool) string {
	tool, arguments := "read_page", fmt.Sprintf(`{"path":"Folder %d/Page %d.md"}`, id%50, id%5000)
	if writes {
		tool = "write_page"
		arguments = fmt.Sprintf(`{"path":"Folder %d/Page %d.md","content":"# Page\n\n%d words\n"}`, id%50, id%5000, id)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n", id, tool, arguments)
}

// lazygitConfig is a home in which lazygit asks nothing and fetches nothing.
func lazygitConfig(b *testing.B) string {
	b.Helper()
	home := b.TempDir()
	const config = "disableStartupPopups: true\nupdate:\n  method: never\ngit:\n  autoFetch: false\n"
	if err := os.WriteFile(filepath.Join(home, "config.yml"), []byte(config), 0o600); err != nil {
		b.Fatal(err)
	}
	return home
}

// measurePanel is the row of one program in the table.
func measurePanel(b *testing.B, p measuredPanel, exe, home string, idle time.Duration) []string {
	b.Helper()
	open := func() *screen {
		x := openScreenIn(b, p.folder, 140, 45, p.environ, p.argv...)
		x.waitUntil(p.name+" draws", func() bool { return x.bytes > 0 })
		x.waitQuiet()
		return x
	}
	var starts, shown []time.Duration
	for range measuredStarts {
		began := time.Now()
		x := open()
		first, last, _ := x.sinceMark(began)
		starts, shown = append(starts, first), append(shown, last)
		x.close()
	}
	x := open()
	defer x.close()
	if p.keys != "" {
		x.typeKeys(p.keys)
		x.waitQuiet()
	}
	if p.traffic {
		defer startTraffic(b, exe, home)()
	}
	var firsts, lasts []time.Duration
	var sizes []int
	for range measuredKeys {
		began := x.mark()
		x.typeKeys(p.down)
		x.waitQuiet()
		if first, last, n := x.sinceMark(began); n > 0 {
			firsts, lasts, sizes = append(firsts, first), append(lasts, last), append(sizes, n)
		}
	}
	name := p.name
	if n := len(firsts); n < measuredKeys/2 { // at the end of a list keys draw nothing; what came then came by itself
		name, firsts, lasts, sizes = fmt.Sprintf("%s (%d of %d keys drew)", p.name, n, measuredKeys), nil, nil, nil
	}
	memory := megabytes(b, x.cmd.Process.Pid, "VmRSS:")
	spent, began := cpuOf(b, x.cmd.Process.Pid), x.mark()
	select { // what is measured is what happens by itself meanwhile
	case <-time.After(idle):
	case <-x.done:
		b.Fatalf("%s has ended:\n%s", p.name, x.text())
	}
	_, _, idleBytes := x.sinceMark(began)
	busy := cpuOf(b, x.cmd.Process.Pid) - spent
	milliseconds := func(all []time.Duration, percent int) string {
		if len(all) == 0 {
			return "–"
		}
		slices.Sort(all)
		return fmt.Sprintf("%.1f", float64(all[min(len(all)-1, len(all)*percent/100)].Microseconds())/1000)
	}
	sum, middle := 0, 0
	for _, n := range sizes {
		sum += n
	}
	if slices.Sort(sizes); len(sizes) > 0 {
		middle, sum = sizes[len(sizes)/2], sum/len(sizes)
	}
	return []string{
		name, milliseconds(starts, 50) + " ms", milliseconds(shown, 50) + " ms",
		milliseconds(firsts, 50) + " / " + milliseconds(firsts, 95) + " ms", milliseconds(lasts, 50) + " / " + milliseconds(lasts, 95) + " ms",
		strconv.Itoa(middle), strconv.Itoa(sum), fmt.Sprintf("%.2f %%", 100*busy.Seconds()/idle.Seconds()), strconv.Itoa(idleBytes), fmt.Sprintf("%.0f MB", memory),
	}
}

// startTraffic has an agent call twenty times a second until stop.
func startTraffic(b *testing.B, exe, home string) (stop func()) {
	b.Helper()
	p := startServe(b, exe, home)
	ended, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for id := 2; ; id++ {
			select {
			case <-tick.C:
				p.roundTrip(b, callLine(id, false))
			case <-ended:
				return
			}
		}
	}()
	return func() {
		close(ended)
		<-stopped
		p.disconnect(b)
	}
}
