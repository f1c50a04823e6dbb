package configedit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app/apptest"
	"github.com/lectern-mcp/lectern/status"
)

// An edit says when agents, or one of them, begin to do something that nobody is asked
// about, and in which sources; and nothing if that was so before, or if somebody is asked.
func TestEditSaysWhenAskingEnds(t *testing.T) {
	const notes, asking = "[[source]]\nname = \"notes\"\nkind = \"markdown\"\npath = \"/tmp\"\n", "ask = [\"write\", \"delete\"]\n"
	const work, free = "[[source]]\nname = \"work\"\nkind = \"markdown\"\npath = \"/\"\n", "effects = [\"read\", \"write\"]\n"
	grant := func(client, source string, effects string, ask ...string) status.Action {
		return status.Action{Verb: status.SetGrant, Grant: &status.Grant{Client: client, Source: source, Effects: strings.Fields(effects), Ask: ask}}
	}
	reset := func(client, source string) status.Action {
		return status.Action{Verb: status.SetGrant, Grant: &status.Grant{Client: client, Source: source, Reset: true}}
	}
	for name, c := range map[string]struct {
		file   string
		action status.Action
		want   string
	}{
		"all, in one source":        {notes, grant("", "notes", "read write"), "agents will write without asking you: notes"},
		"all, in every source":      {notes + work, grant("", "", "read write delete"), "agents will write, delete without asking you: notes, work"},
		"where it was not so":       {notes + work + free, grant("", "", "read write"), "agents will write without asking you: notes"},
		"asked about deletions":     {notes, grant("", "notes", "read write delete", "delete"), "agents will write without asking you: notes"},
		"asked about all":           {notes, grant("", "notes", "read write delete", "write", "delete"), ""},
		"only read":                 {notes, grant("", "notes", "read"), ""},
		"was so before":             {work + free, grant("", "work", "read write delete", "delete"), ""},
		"one that proves its name":  {notes, grant("owner", "notes", "read write"), "owner will write without asking you: notes"},
		"one that only claims it":   {notes, grant("cursor", "notes", "read write"), "once cursor proves its name by its token, it will write without asking you: notes"},
		"one, but the source asks":  {notes + asking, grant("owner", "notes", "read write"), ""},
		"one, in every source":      {notes + work + free, grant("owner", "", "read write delete"), "owner will delete without asking you: work; owner will write, delete without asking you: notes"},
		"the default of a free one": {work + free + "[[client]]\nname = \"owner\"\ntoken = true\nsource = \"work\"\neffects = [\"read\", \"write\"]\nask = [\"write\"]\n", reset("owner", "work"), "owner will write without asking you: work"},
		"the default":               {work + free, reset("", "work"), ""},
		"a rule asks":               {notes + "[[rule]]\ndo = \"ask\"\neffects = [\"write\"]\n", grant("", "notes", "read write"), ""},
		"admin":                     {notes, grant("", "notes", "read admin"), "agents will admin without asking you: notes"},
	} {
		t.Run(name, func(t *testing.T) {
			e := Editor{App: apptest.New(t)}
			for file, text := range map[string]string{e.Paths.ClientTokens().File("owner"): "lectern_x\n", e.Paths.File(): c.file} {
				if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			p, err := e.Propose(c.action)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, risk := range p.Plan.Risks {
				if strings.Contains(risk, "without asking") {
					got = append(got, risk)
				}
			}
			if text := strings.Join(got, "; "); text != c.want {
				t.Errorf("%q, want %q", text, c.want)
			}
		})
	}
}
