package textmerge_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/internal/textmerge"
)

// Merge is clean where `git merge-file` is, and gives the same text.
func TestMergeIsThatOfGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	rounds := 400
	if s := os.Getenv("ROUNDS"); s != "" { // 1,500 in `make soak PART=merge`
		if rounds, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	rng := rand.New(rand.NewPCG(3, 5))
	clean := 0
	for range rounds {
		base := strings.SplitAfter(strings.Repeat("a\nb\nc\n", 1+rng.IntN(3)), "\n")
		base = base[:len(base)-1]
		ours, theirs := mutate(rng, base), mutate(rng, base)
		want, ok := mergeFile(t, git, join(base), join(ours), join(theirs))
		got, merged := textmerge.Merge(join(base), join(ours), join(theirs))
		if merged != ok || ok && got != want {
			t.Errorf("%q with %q and %q: %q, %v; git %q, %v", join(base), join(ours), join(theirs), got, merged, want, ok)
		}
		if ok {
			clean++
		}
	}
	if clean < rounds/4 || clean > rounds*19/20 {
		t.Errorf("%d of %d are clean: the cases say too little", clean, rounds)
	}
}

func join(lines []string) string { return strings.Join(lines, "") }

func mutate(rng *rand.Rand, lines []string) (out []string) {
	for _, l := range lines {
		switch rng.IntN(10) {
		case 0:
		case 1:
			out = append(out, "x\n")
		case 2:
			out = append(out, l, "y\n")
		default:
			out = append(out, l)
		}
	}
	return out
}

func mergeFile(t *testing.T, git, base, ours, theirs string) (string, bool) {
	t.Helper()
	dir := t.TempDir()
	var files []string
	for name, text := range map[string]string{"1": ours, "2": base, "3": theirs} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"1", "2", "3"} {
		files = append(files, filepath.Join(dir, name))
	}
	out, err := exec.CommandContext(t.Context(), git, append([]string{"merge-file", "-p", "-q"}, files...)...).Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() > 0 && exit.ExitCode() < 128 {
		return "", false
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(out), true
}
