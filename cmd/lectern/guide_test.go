package main

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/lectern-mcp/lectern/internal/runtest"
)

// The documents whose commands a reader pastes, in the order of reading.
func guideFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../docs/guide/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("docs/guide: %v, %v", files, err)
	}
	return append([]string{"../../README.md", "../../docs/sources.md"}, files...)
}

// notRun are the commands of documents that a test cannot run, and why.
var notRun = map[string]string{
	"git clone": "there is no network", "cd lectern": "it is the clone", "make ": "it builds what the test is", "go ": "it builds what the test is",
	"lectern uninstall": "the others need it", "lectern self-update": "there is no network", "lectern service": "it is of the machine",
	"lectern hub restart": "the hub may be gone by then", "sudo ": "it is of the machine", "claude ": "it may not be here", "codex ": "it may not be here",
	"gemini ": "it may not be here", "lectern logs -f": "it does not end", "lectern approve --watch": "it does not end", "lectern\n": "it opens the panel",
	"lectern plugin": "Logseq may not be here", "lectern serve": "a client runs it", "lectern hub --source": "it does not end",
	"lectern config edit": "it opens an editor", "lectern script schedule": "it asks a person in a terminal",
	"lectern markdown sync": "there is no PostgreSQL",
}

// TestGuidesLeaveAskingOn: only the page about permissions has a command to paste after
// which agents write without asking.
func TestGuidesLeaveAskingOn(t *testing.T) {
	for _, file := range guideFiles(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range shellBlocks(string(text)) {
			if strings.Contains(block, "lectern grant all ") && filepath.Base(file) != "permissions.md" {
				t.Errorf("%s ends the asking in passing:\n%s", file, block)
			}
		}
	}
}

// TestGuide pastes every sh block of README and guide, document by document, into a
// shell with a clean home folder that has notes in it, as a reader would.
func TestGuide(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the blocks are for a POSIX shell")
	}
	for _, file := range guideFiles(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			if runtest.UnderRace && filepath.Base(file) != "README.md" {
				t.Skip("one command after the other asks one hub; under the race detector the first pages are played")
			}
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := exec.LookPath("curl"); err != nil && strings.Contains(string(text), "curl ") {
				t.Skip("no curl")
			}
			home, environ := newGuideHome(t)
			for _, block := range shellBlocks(string(text)) {
				runBlock(t, home, environ, block)
			}
			if filepath.Base(file) == "README.md" && !strings.Contains(file, "guide") {
				checkClosed(t, home, environ)
			}
		})
	}
}

// newGuideHome is the home folder of a person who has notes and never ran Lectern,
// but that its hub is not on the usual port.
func newGuideHome(t *testing.T) (home string, environ []string) {
	t.Helper()
	home, err := os.MkdirTemp("", "guide")
	if err != nil {
		t.Fatal(err)
	}
	lectern, err := exec.LookPath("lectern") // this binary, under that name
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		".config/lectern/config.toml":  fmt.Sprintf("[hub]\nport = %d\n", freeTCPPort(t)),
		"notes/.obsidian/app.json":     "{}\n",
		"notes/Home.md":                "# Home\n\nSee [[Projects/Greenhouse]].\n",
		"notes/Projects/Greenhouse.md": "---\nstatus: open\n---\n\n# Greenhouse\n\nThe glass is ordered. #garden\n",
		"notes/Private/Diary.md":       "# Diary\n\nNobody reads this. #secret\n",
	} {
		file := filepath.Join(home, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	environ = []string{
		"HOME=" + home, "PATH=" + filepath.Dir(lectern) + string(os.PathListSeparator) + os.Getenv("PATH"), "TERM=dumb",
	}
	t.Cleanup(func() {
		stop := exec.Command(lectern, "hub", "stop")
		stop.Env = environ
		if said, err := stop.CombinedOutput(); err != nil && !bytes.Contains(said, []byte("no hub")) {
			t.Errorf("stop hub: %v: %s", err, said)
		}
		_ = os.RemoveAll(home)
	})
	return home, environ
}

// shellBlocks are the commands of the sh blocks of a document, one block a string.
func shellBlocks(text string) (blocks []string) {
	inside := false
	var block strings.Builder
	for line := range strings.Lines(text) {
		switch trimmed := strings.TrimSpace(line); {
		case !inside && trimmed == "```sh":
			inside = true
		case inside && trimmed == "```":
			blocks = append(blocks, block.String())
			block.Reset()
			inside = false
		case inside:
			block.WriteString(line)
		}
	}
	return blocks
}

// runBlock runs the commands that can be run, line by line. That no hub is running
// yet is nothing wrong.
func runBlock(t *testing.T, home string, environ []string, block string) {
	t.Helper()
	for line := range strings.Lines(block) {
		if reasonNotToRun(line) != "" || strings.TrimSpace(line) == "" {
			continue
		}
		cmd := exec.CommandContext(t.Context(), "bash", "-c", line)
		cmd.Dir, cmd.Env = home, environ
		said, err := cmd.CombinedOutput()
		if err != nil && cmd.ProcessState.ExitCode() != int(exitNoHub) {
			t.Errorf("%v:\n%s\nsaid:\n%s", err, line, said)
		}
	}
}

// checkClosed holds the README to its promise: an agent reads what is open, is asked
// before it writes, and Private is not there.
func checkClosed(t *testing.T, home string, environ []string) {
	t.Helper()
	for args, want := range map[string]string{
		`read_page {"path":"Home.md"}`:                  "See [[Projects/Greenhouse]]",
		`read_page {"path":"Private/Diary.md"}`:         "not_found",
		`search_pages {"query":"Nobody"}`:               `"matches": []`,
		`delete_page {"path":"Home.md","dry_run":true}`: `"deleted"`,
	} {
		tool, in, _ := strings.Cut(args, " ")
		cmd := exec.CommandContext(t.Context(), "lectern", "call", "notes", tool, in)
		cmd.Dir, cmd.Env = home, environ
		if said, _ := cmd.CombinedOutput(); !strings.Contains(string(said), want) { // some are to fail
			t.Errorf("%s: %s, want %s", args, said, want)
		}
	}
}

func reasonNotToRun(line string) string {
	for prefix, reason := range notRun {
		if strings.HasPrefix(strings.TrimLeft(line, " "), prefix) {
			return reason
		}
	}
	return ""
}

// Every link of the guide leads to an existing file.
func TestGuideLinks(t *testing.T) {
	for _, file := range guideFiles(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range strings.Split(string(text), "](")[1:] {
			target, _, ok := strings.Cut(part, ")")
			if u, err := url.Parse(target); !ok || err != nil || u.Scheme != "" || u.Path == "" {
				continue
			}
			path, _, _ := strings.Cut(target, "#")
			if _, err := os.Stat(filepath.Join(filepath.Dir(file), filepath.FromSlash(path))); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
}

// The reference of the command line is what `--help` says. UPDATE=1 writes it.
func TestCommandReference(t *testing.T) {
	home := t.TempDir()
	c, err := newCLI(strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{}, []string{"LECTERN_HOME=" + home})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("# The command line\n\nEvery command, as `lectern COMMAND --help` describes it. This page is generated.\n\n" +
		"Exit status: 0 done, 1 failed, 2 wrong usage, 3 no hub is running, 4 denied. Results go to standard output, everything else to standard error.\n\n" +
		"With `--json`, a command that lists prints an array of objects, `[]` if there is nothing. One that changes something prints an object: `ok`, " +
		"`messages` (what it says otherwise, a text each), `items` if it shows a list too, and `error` if it failed. `--yes` is taken by every command: " +
		"nothing is asked.\n")
	writeReference(&b, rootCommand(c))
	text := strings.ReplaceAll(b.String(), home, "$LECTERN_HOME")
	const file = "../../docs/guide/commands.md"
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != text {
		t.Errorf("%s is out of date (%v); run: make update", file, err)
	}
}

func writeReference(b *strings.Builder, cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		if !sub.IsAvailableCommand() || sub.Name() == "help" || sub.Name() == "completion" {
			continue
		}
		words := sub.Long
		if words == "" {
			words = sub.Short + "."
		}
		if sub.HasAvailableSubCommands() && sub.HasParent() && !sub.Parent().HasParent() {
			fmt.Fprintf(b, "\n## %s\n\n%s\n", sub.CommandPath(), words)
		} else {
			fmt.Fprintf(b, "\n%s %s\n\n```\n%s\n```\n\n%s\n", strings.Repeat("#", 1+strings.Count(sub.CommandPath(), " ")), sub.CommandPath(), sub.UseLine(), words)
		}
		var flags []string
		sub.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden || f.Name == "help" {
				return
			}
			name, usage := pflag.UnquoteUsage(f)
			flags = append(flags, fmt.Sprintf("- `%s`: %s", strings.TrimSpace("--"+f.Name+" "+name), usage))
		})
		if len(flags) > 0 {
			fmt.Fprintf(b, "\n%s\n", strings.Join(flags, "\n"))
		}
		if sub.Example != "" {
			fmt.Fprintf(b, "\n```\n%s\n```\n", sub.Example)
		}
		writeReference(b, sub)
	}
}
