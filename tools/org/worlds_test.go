package org_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/org"
	"github.com/lectern-mcp/lectern/tools/toolstest"
)

// TestRandomWorlds: whatever the files hold, agents cannot tell whether hidden
// headlines are there, by dry runs least of all. WORLDS sets another number of
// worlds.
func TestRandomWorlds(t *testing.T) {
	worlds := runtest.Seeds(20, 2, 2)
	if count, err := strconv.Atoi(os.Getenv("WORLDS")); err == nil && count > 0 {
		worlds = runtest.Seeds(count, count, count)
	}
	for seed := range worlds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			toolstest.CompareWorlds(t, testSystem(), func(t testing.TB) toolstest.Fixture { return randomWorld(t, uint64(seed)+3) }, uint64(seed))
		})
	}
}

// A randomFile writes one file twice: as it is, and without what is hidden.
type randomFile struct {
	random        *rand.Rand
	whole, shown  strings.Builder
	names, hidden []string // URIs
	file          string
}

// headlines writes some siblings; done and all count their tasks.
func (f *randomFile) headlines(path string, level int, hidden bool) (done, all, shownDone, shownAll int) {
	for n := range 1 + f.random.IntN(3) {
		gone := hidden || f.random.IntN(4) == 0
		title := fmt.Sprintf("%s%d", string(rune('A'+level)), n)
		state := []string{"", "TODO ", "DONE "}[f.random.IntN(3)]
		line := strings.Repeat("*", level) + " " + state + title
		cookie := f.random.IntN(3) == 0
		at := path + "/" + title
		var below randomFile
		below.random, below.file = f.random, f.file
		d, a, sd, sa := 0, 0, 0, 0
		if level < 4 && f.random.IntN(2) == 0 {
			if cookie {
				at = path + "/" + title + "%20%5BCOOKIE%5D"
			}
			d, a, sd, sa = below.headlines(at, level+1, gone)
		} else {
			cookie = false
		}
		text := []string{"", "Some text.\n", "\n", "DEADLINE: <2026-01-09 Fri +1w>\n"}[f.random.IntN(4)]
		if gone && !hidden {
			if f.random.IntN(2) == 0 {
				line += " :secret:"
			} else {
				text = ":PROPERTIES:\n:private:  yes\n:END:\n" + strings.TrimPrefix(text, "DEADLINE: <2026-01-09 Fri +1w>\n")
			}
		}
		count := func(done, all int) (string, string) {
			if !cookie {
				return line, ""
			}
			label := fmt.Sprintf("%d/%d", done, all)
			return strings.Replace(line, title, title+" ["+label+"]", 1), escapeCookie(label)
		}
		wholeLine, _ := count(d, a)
		shownLine, label := count(sd, sa)
		fmt.Fprintf(&f.whole, "%s\n%s%s", wholeLine, text, below.whole.String())
		uris := append([]string{"org://" + f.file + "/headline" + at}, below.names...)
		if gone {
			f.hidden = append(append(f.hidden, uris...), below.hidden...)
		} else {
			fmt.Fprintf(&f.shown, "%s\n%s%s", shownLine, text, below.shown.String())
			for _, uri := range append(uris, below.hidden...) {
				uri = strings.Replace(uri, at, strings.Replace(at, "COOKIE", label, 1), 1)
				f.names = append(f.names, uri)
			}
			f.names = f.names[:len(f.names)-len(below.hidden)]
			f.hidden = append(f.hidden, below.hidden...)
		}
		if state != "" {
			all++
			if state == "DONE " {
				done++
			}
			if !gone {
				shownAll++
				if state == "DONE " {
					shownDone++
				}
			}
		}
	}
	return done, all, shownDone, shownAll
}

func escapeCookie(label string) string { return strings.ReplaceAll(label, "/", "%2F") }

// randomWorld is the same folder for the same seed.
func randomWorld(t testing.TB, seed uint64) toolstest.Fixture {
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(seed, 9))
	var names, hidden []string
	whole := map[string]string{}
	for _, name := range []string{"a.org", "b.org", "deep/c.org"} {
		f := randomFile{random: random, file: name}
		f.headlines("", 1, false)
		whole[name] = "#+TITLE: T\n" + f.whole.String()
		put(t, filepath.Join(dir, filepath.FromSlash(name)), "#+TITLE: T\n"+f.shown.String())
		names = append(append(names, name, "org://"+name), f.names...)
		hidden = append(hidden, f.hidden...)
	}
	putShelf(t, dir)
	names = append(names, "org://shelf.org/headline/By%20ID", "org://shelf.org/headline/By%20folder", "org://shelf.org/headline/Beside")
	privacy := tools.Privacy{Exclude: []tools.PrivacyRule{{Tag: "secret"}, {Property: "private"}, {Path: "private/**"}}}
	return toolstest.Fixture{
		Config: org.Config{Path: tools.Folder(dir)}, Names: names, Privacy: privacy,
		Digest: func() string { return digest(t, dir, "") },
		Hide: func(round int) []string {
			for name, text := range whole {
				if round > 0 {
					text = strings.ReplaceAll(text, ":private:  yes\n", fmt.Sprintf(":private:  yes\n:round:    %d\n", round))
				}
				if round == 0 || !changedByAgents(t, filepath.Join(dir, filepath.FromSlash(name)), text) {
					put(t, filepath.Join(dir, filepath.FromSlash(name)), text)
				}
			}
			put(t, filepath.Join(dir, "private", "d.org"), fmt.Sprintf("* TODO D%d\n", round))
			put(t, filepath.Join(dir, "diary.org"), "#+FILETAGS: :secret:\n")
			return append(append(hidden, hideAttachments(t, dir, fmt.Sprintf("D%d\n", round))...), "private/d.org", "secret", "private")
		},
	}
}

// changedByAgents reports whether a file no longer is what Hide wrote: then its
// hidden parts stay as they are.
func changedByAgents(t testing.TB, file, text string) bool {
	t.Helper()
	now, err := os.ReadFile(file)
	return err != nil || len(now) != len(text)
}
