package markdown

import (
	"strings"
	"testing"
)

// A tag is renamed wherever it is one, and every other byte stays.
func TestRenameTagOfGraph(t *testing.T) {
	b := open(t, map[string]string{
		"logseq/config.edn": "{}",
		"pages/a.md":        "tags:: old, [[old]], #old, older, [[Old/sub]]\n\n- block #old\n  tags:: x,old\n- text old, tags:: old\n```\ntags:: old\n```\n",
	}, nil)
	call[RenameTagOut](b, "rename_tag", `{"tag":"old","new_tag":"new"}`)
	equal(t, "page", "tags:: new, [[new]], #new, older, [[new/sub]]\n\n- block #new\n  tags:: x,new\n- text old, tags:: old\n```\ntags:: old\n```\n", b.get("pages/a.md"))
}

func TestRenameTag(t *testing.T) {
	for before, after := range map[string]string{
		"#work, #Work/plans #working `#work` [[P#work]] #work.\r\nx":       "#job, #job/plans #working `#work` [[P#work]] #job.\r\nx",
		"---\ntags: [work, \"work/a\", 'x']  # work\n---\n":                "---\ntags: [job, \"job/a\", 'x']  # work\n---\n",
		"---\r\ntags:\r\n  - work\r\n  - '#work'\r\nwork: work\r\n---\r\n": "---\r\ntags:\r\n  - job\r\n  - '#job'\r\nwork: work\r\n---\r\n",
		"---\ntag: a work b\n---\n":                                        "---\ntag: a job b\n---\n",
		"---\ntitle: work\n---\nwork\n":                                    "---\ntitle: work\n---\nwork\n",
		"#[[work]] #[[work and play]]\n":                                   "#[[job]] #[[work and play]]\n",
		"\ufeff---\ntags: work\n---\n#work":                                "\ufeff---\ntags: job\n---\n#job",
		"---\ntags: [a, &b work, *b]\n---\n#work\n":                        "---\ntags: [a, &b job, *b]\n---\n#job\n",
		"---\ntags: [\"two work\", work]\n---\n":                           "---\ntags: [\"two work\", work]\n---\n", // left
	} {
		b := open(t, map[string]string{"A.md": before, "B.md": "none"}, nil)
		dry := call[RenameTagOut](b, "rename_tag", `{"tag":"#work","new_tag":"job","dry_run":true}`)
		equal(t, "after a dry run", before, b.get("A.md"))
		out := call[RenameTagOut](b, "rename_tag", `{"tag":"work","new_tag":"#job"}`)
		equal(t, "page", after, b.get("A.md"))
		if dry.Changed != out.Changed || (out.Changed == 1) != (before != after) || (len(out.Left) == 1) != strings.Contains(before, "two work") {
			t.Errorf("%q: %+v, dry run %+v", before, out, dry)
		}
	}
	b := open(t, fixture(), nil)
	b.refused("rename_tag", `{"tag":"work","new_tag":"two words"}`, "INVALID")
	b.refused("rename_tag", `{"tag":"work","new_tag":"12"}`, "INVALID")
}
