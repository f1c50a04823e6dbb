package atomicfile

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const crashEnv = "ATOMICFILE_CRASH_TEST"

func TestMain(m *testing.M) {
	if file := os.Getenv(crashEnv); file != "" {
		writeForever(file)
	}
	os.Exit(m.Run())
}

// writeForever replaces file with pages of one letter until it is killed.
func writeForever(file string) {
	for i := 0; ; i++ {
		if err := WriteFile(file, page(i), 0o600); err != nil {
			os.Exit(1)
		}
		if i == 0 {
			_, _ = os.Stdout.WriteString("writing\n")
		}
	}
}

func page(i int) []byte { return bytes.Repeat([]byte{byte('a' + i%26)}, 64<<10) }

// However often the writer is killed, the file is one whole page, and what it
// leaves behind is recognisable.
func TestKilledWriterLeavesOldOrNew(t *testing.T) {
	rounds := 50
	if testing.Short() {
		rounds = 5
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "page.md")
	for round := range rounds {
		writer := exec.CommandContext(t.Context(), os.Args[0])
		writer.Env = append(os.Environ(), crashEnv+"="+file)
		out, err := writer.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := writer.Start(); err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(out).ReadString('\n'); line != "writing\n" {
			t.Fatalf("the writer said %q, %v", line, err)
		}
		<-time.After(time.Duration(round*197%1000) * time.Microsecond)
		if err := writer.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = writer.Wait() // killed: always an error
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(page(0)) || strings.Trim(string(got), string(got[:1])) != "" {
			t.Fatalf("round %d: %d bytes that begin with %q and are no whole page", round, len(got), got[:min(8, len(got))])
		}
	}
	for name := range state(t, dir) {
		if name != "page.md" && !strings.HasPrefix(name, tempPrefix) {
			t.Errorf("left behind: %s", name)
		}
	}
}
