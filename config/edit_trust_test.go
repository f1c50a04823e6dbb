package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/config"
)

// Every byte that is not what is granted stays what it was.
func TestTrustBytes(t *testing.T) {
	const mine = "# mine\n" + tableA + "effects = [ 'read' ] # for now\n# end\n\n[[client]] # one\nname = \"Cursor\"\ntoken = true\n\n" +
		"[[rule]]\ndo = \"deny\"\n\n" + tableB
	for name, c := range map[string]struct {
		edit func(config.Config) (config.Edit, error)
		want string
	}{
		"source": {
			func(c config.Config) (config.Edit, error) {
				return c.GrantSource("a", []string{"read", "write"}, []string{"write"}, "")
			},
			"# mine\n" + tableA + "effects = [\"read\", \"write\"] # for now\nask = [\"write\"]\n# end\n\n[[client]] # one\nname = \"Cursor\"\ntoken = true\n\n[[rule]]\ndo = \"deny\"\n\n" + tableB,
		},
		"source to its defaults": {
			func(c config.Config) (config.Edit, error) { return c.GrantSource("a", nil, nil, "") },
			"# mine\n" + tableA + "# end\n\n[[client]] # one\nname = \"Cursor\"\ntoken = true\n\n[[rule]]\ndo = \"deny\"\n\n" + tableB,
		},
		"existing client": {
			func(c config.Config) (config.Edit, error) {
				return c.GrantClient(config.Client{Name: "cursor", Effects: []string{"read"}})
			},
			"# mine\n" + tableA + "effects = [ 'read' ] # for now\n# end\n\n[[client]] # one\nname = \"Cursor\"\ntoken = true\neffects = [\"read\"]\n\n[[rule]]\ndo = \"deny\"\n\n" + tableB,
		},
		"client in a source": {
			func(c config.Config) (config.Edit, error) {
				return c.GrantClient(config.Client{Name: "cursor", Source: "a", Token: true, Effects: []string{}})
			},
			mine + "\n[[client]]\nname = \"cursor\"\nsource = \"a\"\ntoken = true\neffects = []\n",
		},
		"forgotten": {
			func(c config.Config) (config.Edit, error) { return c.ForgetClient("cursor", "") },
			"# mine\n" + tableA + "effects = [ 'read' ] # for now\n# end\n\n[[rule]]\ndo = \"deny\"\n\n" + tableB,
		},
		"rule": {
			func(c config.Config) (config.Edit, error) {
				return c.AddRule(config.Rule{Do: "always", Client: "x", Proven: true, Source: "a", Tool: "write_page", Schema: "12"})
			},
			mine + "\n[[rule]]\ndo = \"always\"\nclient = \"x\"\nproven = true\nsource = \"a\"\ntool = \"write_page\"\nschema = \"12\"\n",
		},
		"existing rule": {
			func(c config.Config) (config.Edit, error) { return c.AddRule(config.Rule{Do: "deny"}) }, mine,
		},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := c.edit(parse(t, mine))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, string(e.After)); d != "" {
				t.Error(d)
			}
		})
	}
	if _, err := parse(t, "source = [{name = 'a', kind = 'markdown', path = '/a'}]\n").GrantSource("a", []string{"read"}, nil, ""); err == nil {
		t.Error("edited a source that is written in one line")
	}
	if _, err := parse(t, tableA+"read_only = true\n").GrantSource("a", []string{"write"}, nil, ""); err == nil {
		t.Error("granted writes in a read-only source")
	}
	if _, err := parse(t, tableA).GrantSource("c", nil, nil, ""); err == nil {
		t.Error("granted a source that is not there")
	}
}

// Keys that once let a claimed name in say that they no longer do.
func TestNoticesAboutClaimedNames(t *testing.T) {
	for text, want := range map[string]string{
		"[[client]]\nname = \"cursor\"\nelicit = true\n":                                                      "client[0].elicit: true has no effect: a client shows approval requests once it shows its token",
		"[[client]]\nname = \"cursor\"\nelicit = false\n":                                                     "",
		"[[rule]]\ndo = \"always\"\nclient = \"cursor\"\nsource = \"notes\"\ntool = \"put\"\n":                "rule[0].client: a name that is only claimed gains nothing: this rule is for cursor once it shows its token",
		"[[rule]]\ndo = \"allow\"\nclient = \"c*\"\n":                                                         "rule[0].client: a name that is only claimed gains nothing",
		"[[rule]]\ndo = \"always\"\nclient = \"cursor\"\nproven = true\nsource = \"notes\"\ntool = \"put\"\n": "",
		"[[rule]]\ndo = \"deny\"\nclient = \"cursor\"\n":                                                      "",
		"[[rule]]\ndo = \"always\"\nsource = \"notes\"\ntool = \"put\"\n":                                     "",
	} {
		c, err := config.Parse(file, []byte(text), schema)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, n := range c.Notices {
			got += n.Format(file)
		}
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// A table for a source that is not there protects nothing, so that is said.
func TestNoticeOfAGrantWithoutItsSource(t *testing.T) {
	c := parse(t, tableA+"[[client]]\nname = \"x\"\nsource = \"b\"\neffects = [\"read\"]\n")
	want := []config.Fault{{Line: 7, Column: 1, Key: "client[0].source", Msg: "unknown source, did you mean a? (allowed: a), so the table has no effect; correct the name or remove the table"}}
	if d := cmp.Diff(want, c.Notices); d != "" {
		t.Errorf("notices (-want +got)\n%s", d)
	}
}
