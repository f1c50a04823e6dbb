//go:build unix

package markdown

import (
	"encoding/json"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools"
)

const canary = "canary-7341 must not come out"

// hostileVault is a folder with all that a hostile or careless program can leave in it,
// beside files that no tool may read or change.
func hostileVault(t *testing.T) (b *testNotebook, around string) {
	t.Helper()
	around = t.TempDir()
	for _, name := range []string{"secret.md", "ab/secret.md", "A/secret.md"} {
		put(t, filepath.Join(around, name), canary)
	}
	vault := filepath.Join(around, "a")
	b = open(t, nil, map[string]any{"path": mustMake(t, vault)})
	b.dir = vault
	fillHostileVault(t, b, around)
	return b, around
}

func mustMake(t *testing.T, dir string) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

func put(t *testing.T, file, content string) {
	t.Helper()
	mustMake(t, filepath.Dir(file))
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func fillHostileVault(t *testing.T, b *testNotebook, around string) {
	t.Helper()
	for name, content := range fixture() { // which the examples of the tools are about
		b.put(name, content)
	}
	for name, content := range map[string]string{
		"Alpha.md":         "---\ntags: [a]\n---\n## Goals\n\nx [[Welcome#Welcome]]\n",
		"Projects/Beta.md": "[w](../Welcome.md)\n", "crlf.md": "one\r\ntwo\r\n", "bom.md": "\uFEFFone\n", "latin.md": "caf\xe9\n", "empty.md": "", "mixed.md": "a\nb\r\nc",
		".hidden/x.md": canary, ".obsidian/app.json": `{"attachmentFolderPath":"../../out"}`, "CON.md": "device\n", "assets/x.png": "png", "Case.md": "c\n", "cafe\u0301.md": "accents\n",
		"alias.md": "---\na: &a [x,x]\nb: &b [*a,*a,*a]\nc: [*b,*b,*b]\n---\n", "unclosed.md": "---\ntitle: x\n", "folder.md/": "", "links.md": strings.Repeat("[[", 2000) + strings.Repeat("`", 999) + "[x](<" + "\n",
	} {
		b.put(name, content)
	}
	for link, to := range map[string]string{
		"out.md": filepath.Join(around, "secret.md"), "outdir": filepath.Join(around, "ab"), "up": "..", "abs.md": filepath.Join(b.dir, "Alpha.md"), "loop.md": "loop.md", "dangling.md": "none.md",
	} {
		_ = os.Remove(filepath.Join(b.dir, link))
		if err := os.Symlink(to, filepath.Join(b.dir, link)); err != nil {
			t.Logf("symbolic links: %v", err)
		}
	}
	big := filepath.Join(b.dir, "big.md")
	if err := os.WriteFile(big, []byte("first line\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(big, 60<<20); err != nil {
		t.Fatal(err)
	}
}

// hostileTexts is what each argument of each tool is given.
func hostileTexts(around string) []string {
	return slices.Concat(
		[]string{ // ways out of the folder
			"..", "../", "../ab/secret.md", "../secret.md", "../a/../secret.md", "Welcome/../../secret.md", "Projects/../../ab/secret.md", "./../secret.md", "...", "....//secret.md",
			around + "/secret.md", "/etc/passwd", "//host/share", "~", "~/x.md", "~root/x.md", "C:/x.md", `C:\x.md`, "c:x.md", `..\secret.md`, `\\host\share\x.md`, `\\?\C:\x.md`, "file:///etc/passwd",
			"..%2fsecret.md", "%2e%2e/secret.md", "%2e%2e%2fsecret.md", "..%252fsecret.md", "..%c0%afsecret.md", "..%5csecret.md", "\u2024\u2024/secret.md", "\uff0e\uff0e/secret.md", "..\u2215secret.md", "..\uff0fsecret.md", "..\u29f8secret.md",
			"../A/secret.md", "A/../../A/secret.md", "out.md", "outdir/secret.md", "outdir", "up", "up/secret.md", "up/ab/secret.md", "abs.md", "loop.md", "dangling.md",
		},
		[]string{ // names that some system takes otherwise
			"", ".", "/", "//", "a//b.md", "./a", "a/./b.md", "a/", "CON", "CON.md", "con.md", "NUL.md", "nul", "COM1.txt", "com¹.md", "LPT9.md", "AUX", "PRN.md", "a:b.md", "a.md:stream", "a.md::$DATA", "a*.md", "a?.md", `a"b.md`, "a<b>.md", "a|b.md",
			"x .md", " x.md", "x.md ", "x.md.", ".md", "..md", "x./y.md", "x /y.md", "-rf.md", "--help", "PROGRA~1/x.md", "Welcome.md/x.md", "folder.md", "folder.md/x.md", "WELCOME.md", "case.md", "caf\u00e9.md", "cafe\u0301.md", "Stra\u00dfe.md", "\u0130.md",
		},
		[]string{ // hidden and special files
			".hidden/x.md", ".obsidian/app.json", ".git/config", ".hidden.md", ".skb-meta.json", "x.md.tmp", ".lectern-1.tmp", "x.conflict.md", "a (conflicted copy).md", "node_modules/x.md", "pipe.md", "socket.md", "big.md", "latin.md", "crlf.md", "bom.md", "empty.md", "alias.md", "unclosed.md", "links.md", "assets/x.png", "assets/y.md",
		},
		[]string{ // characters
			"a\x00b.md", "\x00", "a\nb.md", "a\r\nb.md", "\r\n---\r\nid: evil\r\n---", "title\nid: evil", "a\tb.md", "a\x1b[31m.md", "\x1b]0;x\x07", "\x7f.md", "\u0085.md", "\u009b31m.md", "x\u202ey.md", "\u2066x\u2069.md", "a\u200bb.md", "\ufeffa.md", "\u2028.md", "\u2029", "\U000e0041.md", "\ue000.md", "\ufffd.md", "\ufffe", "\U0010ffff.md",
			"#x.md", "x^y.md", "[x].md", "x|y.md", "[[x]]", "]]", "[[", "{{x}}", "<!--", "-->", "`", "```", "$", "%%", "---", "...", "---\n", "key: value", "&a *a", "!!python/object", "@x", "'", `"`, `\`, "😀.md", "👩\u200d👩\u200d👧.md", "ا\u0644.md", "Z\u0351\u0352\u0353.md",
			"(", ")", "[", "(a+)+$", "((((((((((", "[a-", `\p{L}`, "*", "?", "a{1000}{1000}", `"unclosed`, "NEAR(", "a AND", "OR", "NOT", "a*", "-", "null", "true", "1e309", "-1", "0", "9999-99-99", "2026-02-30", "1d", "-1d", "99999999999999999999d",
		},
		[]string{
			strings.Repeat("n", 300) + ".md", strings.Repeat("é", 128) + ".md", strings.Repeat("d/", 2500) + "x.md", strings.Repeat("../", 2500) + "etc/passwd", strings.Repeat("a", 1<<20), strings.Repeat("[[", 1<<14), strings.Repeat("\x00", 1000), strings.Repeat("#", 5000), strings.Repeat("> ", 5000) + "x",
			strings.Repeat("- ", 3000), strings.Repeat("![](", 5000), "<script>alert(1)</script>", "'; DROP TABLE pages; --", "$(touch x)", "`touch x`", "${HOME}", "%s%n%x", "../../../../../../proc/self/environ", "/dev/zero", "/dev/stdin", "/proc/self/fd/0",
		},
	)
}

// Every text argument of every tool is given every hostile text: each call is answered,
// a refusal has a code, and nothing beside the folder is read or changed.
func TestHostileVault(t *testing.T) {
	runtest.InOrder(t)
	b, around := hostileVault(t)
	makeSpecialFiles(t, b.dir)
	want := outsideFiles(t, around)
	texts := hostileTexts(around)
	arguments, all := 0, os.Getenv("HOSTILE_TEXTS") == "all"
	for _, tool := range testSystem().Manifest().Tools {
		for _, example := range tool.Examples[:min(1, len(tool.Examples))] {
			var in map[string]any
			if err := json.Unmarshal(example.In, &in); err != nil {
				t.Fatal(err)
			}
			for _, at := range textArguments(tool.In, nil) {
				arguments++
				for i, text := range texts {
					if !all && !runtest.InSample(arguments+i, 8, 22) {
						continue
					}
					args, err := json.Marshal(withArgument(in, at, text))
					if err != nil {
						t.Fatal(err)
					}
					answer, ok := b.try(tool.Name, string(args))
					if strings.Contains(answer, canary) {
						t.Errorf("%s %v %.80q: the secret came out: %.300s", tool.Name, at, text, answer)
					}
					var failed ErrorObject
					if !ok && (json.Unmarshal([]byte(answer), &failed) != nil || failed.Code == "" || failed.Code == "INTERNAL" || failed.Error == "") {
						t.Errorf("%s %v %.80q: %.300s", tool.Name, at, text, answer)
					}
					if strings.Contains(answer, around) && !strings.Contains(text, around) {
						t.Errorf("%s %v %.80q: the answer names where the folder is: %.300s", tool.Name, at, text, answer)
					}
				}
				equal(t, tool.Name+" "+strings.Join(at, ".")+" changed what is outside", want, outsideFiles(t, around))
				if tool.Effect != tools.Reads {
					restoreHostileVault(t, b, around)
				}
			}
		}
	}
	if arguments < 55 {
		t.Errorf("only %d arguments were found", arguments)
	}
}

// textArguments are the paths to the arguments that take a text, those in lists and
// objects too.
func textArguments(s *jsonschema.Schema, at []string) (found [][]string) {
	types := append(slices.Clone(s.Types), s.Type)
	if slices.Contains(types, "string") && at != nil {
		found = append(found, slices.Clone(at))
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		found = append(found, textArguments(s.Properties[name], append(slices.Clone(at), name))...)
	}
	if s.Items != nil {
		found = append(found, textArguments(s.Items, append(slices.Clone(at), "0"))...)
	}
	return found
}

// withArgument is in with one argument replaced.
func withArgument(in map[string]any, at []string, text string) map[string]any {
	out := maps.Clone(in)
	if len(at) == 1 {
		out[at[0]] = text
		return out
	}
	if at[1] != "0" {
		inner, _ := out[at[0]].(map[string]any)
		if inner == nil {
			inner = map[string]any{}
		}
		out[at[0]] = withArgument(inner, at[1:], text)
		return out
	}
	list, _ := out[at[0]].([]any)
	if len(at) == 2 {
		out[at[0]] = append(slices.Clone(list), text)
		return out
	}
	first := map[string]any{}
	if len(list) > 0 {
		first, _ = list[0].(map[string]any)
	}
	out[at[0]] = []any{withArgument(first, at[2:], text)}
	return out
}

// outsideFiles are the files beside the vault, with what they hold.
func outsideFiles(t *testing.T, around string) map[string]string {
	t.Helper()
	found := map[string]string{}
	entries, err := os.ReadDir(around)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() == "a" {
			continue
		}
		err := filepath.WalkDir(filepath.Join(around, e.Name()), func(p string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				found[p] = "folder"
				return err
			}
			data, err := os.ReadFile(p)
			found[p] = string(data)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// restoreHostileVault removes what calls have made and puts back what they have
// changed.
func restoreHostileVault(t *testing.T, b *testNotebook, around string) {
	t.Helper()
	entries, err := os.ReadDir(b.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != "pipe.md" && e.Name() != "socket.md" {
			if err := os.RemoveAll(filepath.Join(b.dir, e.Name())); err != nil {
				t.Fatal(err)
			}
		}
	}
	fillHostileVault(t, b, around)
}

// makeSpecialFiles makes files that are none: reading one can wait for ever.
func makeSpecialFiles(t *testing.T, dir string) {
	t.Helper()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(dir, "socket.md"))
	if err != nil { // the path may be too long for one
		t.Log(err)
		return
	}
	t.Cleanup(func() { _ = l.Close() })
}

// Each row of what other servers did with such a vault, with what is right.
func TestHostileFiles(t *testing.T) {
	runtest.InOrder(t)
	b, around := hostileVault(t)
	makeSpecialFiles(t, b.dir)
	for _, c := range []struct{ tool, args, code string }{
		{"read_page", `{"path":"../secret.md"}`, "DENIED"},
		{"read_page", `{"path":"` + around + `/secret.md"}`, "DENIED"},
		{"read_page", `{"path":"out.md"}`, "NOT_FOUND"},
		{"read_page", `{"path":"outdir/secret.md"}`, "NOT_FOUND"},
		{"write_page", `{"path":"outdir/new.md","content":"x"}`, ""},
		{"edit_page", `{"path":"latin.md","action":"append","content":"x"}`, "INVALID"},
		{"write_page", `{"path":"NUL.md","content":"x"}`, "INVALID"},
		{"write_page", `{"path":"a:b.md","content":"x"}`, "INVALID"},
		{"write_page", `{"path":"CASE.md","content":"x"}`, "CONFLICT"},
		{"read_page", `{"path":"pipe.md"}`, "NOT_FOUND"},
		{"read_page", `{"path":"socket.md"}`, "NOT_FOUND"},
		{"read_page", `{"path":"folder.md"}`, "NOT_FOUND"},
		{"read_page", `{"path":".hidden/x.md"}`, ""},
		{"write_page", `{"path":".obsidian/x.md","content":"x"}`, ""},
		{"move_page", `{"sourcePath":"Alpha.md","destinationPath":"Welcome.md"}`, "CONFLICT"},
		{"move_page", `{"sourcePath":"Alpha.md","destinationPath":"pipe.md"}`, ""},
		{"write_page", `{"path":"pipe.md","content":"x"}`, ""},
		{"add_attachment", `{"pagePath":"Alpha.md","filePath":"` + around + `/secret.md"}`, ""},
		{"add_attachment", `{"pagePath":"Alpha.md","fileName":"../../x.png","data":"eA=="}`, ""},
	} {
		before, outside := b.files(), outsideFiles(t, around)
		answer, ok := b.try(c.tool, c.args)
		if c.tool == "add_attachment" && ok { // under a name of its own, in the vault
			b.put("Alpha.md", before["Alpha.md"])
		} else if ok || c.code != "" && !strings.Contains(answer, `"`+c.code+`"`) {
			t.Errorf("%s %s: %s, want %s", c.tool, c.args, answer, c.code)
		} else {
			equal(t, c.tool+c.args, before, b.files())
		}
		equal(t, c.tool+c.args+" outside", outside, outsideFiles(t, around))
	}
	for file, want := range map[string]string{"crlf.md": "one\r\ntwo\r\n\r\nnew\r\n", "bom.md": "\uFEFFone\n\nnew\n", "empty.md": "new\n"} {
		call[EditPageOut](b, "edit_page", `{"path":"`+file+`","action":"append","content":"new"}`)
		equal(t, file, want, b.get(file))
	}
	equal(t, "letters of two forms are one page", "accents\n", call[ReadPageOut](b, "read_page", `{"path":"café.md"}`).Content)
	equal(t, "a line of a large page", "first line\n", call[ReadPageOut](b, "read_page", `{"path":"big.md","limit":1}`).Content)
	b.refused("read_page", `{"path":"big.md","part":"outline"}`, "LIMITED")
	moved := call[MovePageOut](b, "move_page", `{"sourcePath":"Alpha.md","destinationPath":"Archive/Alpha.md"}`)
	if moved.NewPath != "Archive/Alpha.md" || moved.Links.Unreadable == 0 {
		t.Errorf("bad files stop a move, or nobody is told of them: %+v", moved)
	}
}
