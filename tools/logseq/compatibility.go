package logseq

import (
	"fmt"
	"strings"
)

// Compatibility renders docs/logseq-compatibility.md from the table of
// capabilities.
func Compatibility() []byte {
	var b strings.Builder
	b.WriteString("<!-- Generated from the table in tools/logseq. To change it, change it and run: make update -->\n\n")
	b.WriteString("# Logseq: what works where\n\n")
	b.WriteString("There are two product lines. A file graph is a folder of Markdown or Org files, opened by Logseq 0.10.x or Logseq OG. ")
	b.WriteString("A DB graph is a database, opened by Logseq 2.x. The plugin finds out at start, and whenever the user opens another graph, ")
	b.WriteString("which of them it sees and which of Logseq's methods are there; `get_capabilities` answers the result. ")
	b.WriteString("A tool whose capability is missing answers CAPABILITY_MISSING and names it.\n\n")
	b.WriteString("Each cell ends with how it is known. Asked: Logseq's own code, of 0.10.15 for file graphs and of 2.0.1 for DB graphs, " +
		"was run without its window, and answered so; the scenarios in which it was asked are named, and their calls and answers were " +
		"recorded. ")
	b.WriteString("Source read: it was read in that code, in the files that are named, and not run. Never seen: neither. ")
	b.WriteString("Nobody has seen a Logseq on a screen do any of it: `lectern doctor logseq` compares one with these rows.\n\n")
	b.WriteString("| capability | tools | file graph: Logseq 0.10.x, OG | DB graph: Logseq 2.x |\n| --- | --- | --- | --- |\n")
	for _, c := range Capabilities() {
		names := make([]string, len(c.Tools))
		for i, t := range c.Tools {
			names[i] = "`" + t + "`"
		}
		fmt.Fprintf(&b, "| `%s`<br>%s | %s | %s<br>*%s* | %s<br>*%s* |\n", c.Key, c.What, strings.Join(names, ", "), c.File, c.FileKnown, c.DB,
			c.DBKnown)
	}
	b.WriteString("\n`ping` and `get_capabilities` need nothing, not even a Logseq. ")
	b.WriteString("`create_page` with content needs `pages.update` too, and what names a page needs `pages.read`. ")
	b.WriteString("The plugin's settings remove capabilities: read-only those that write, hidden pages or tags `datascript.query`.\n\n")
	b.WriteString("## What is different for an agent\n\n")
	b.WriteString("| | file graph | DB graph |\n| --- | --- | --- |\n")
	b.WriteString("| a deleted page | is gone | is in the recycle bin: `recycled` is true, and its name stays taken |\n")
	b.WriteString("| a block's uuid | lasts if it is written into the file, as it is for blocks made here | lasts |\n")
	b.WriteString("| names of properties | lower case, `-` for `_` and blanks | as people see them |\n")
	b.WriteString("| states of tasks | TODO, DOING, DONE and others in capitals | Todo, Doing, Done and others; both spellings are taken |\n")
	b.WriteString("| a page below another | is called by its path, `a/b`, everywhere | is called by its path here; in queries " +
		"`:block/title` is `b`, with `:block/parent` |\n")
	b.WriteString("| a name of several pages | does not occur | CONFLICT with the candidates, unless a path or uuid tells them apart |\n")
	b.WriteString("| text in queries | `:block/content`, `:block/original-name` | `:block/title` |\n")
	b.WriteString("\n## Where the stand-in of the tests differs\n\n")
	b.WriteString("Tests run the plugin before a stand-in for Logseq. Where the recordings lie beside the checkout, each of their calls " +
		"is made to it, and the answers are compared: 653 of 657 on DB graphs and 180 of 181 on file graphs are equal. These are not:\n\n")
	b.WriteString("| scenario and call | why |\n| --- | --- |\n")
	for _, d := range standInDiffers() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", d.call, d.why)
	}
	b.WriteString("\nOf what Logseq tells of changes, only what a plugin can use is compared: the operation, the blocks and pages that it " +
		"touches, and those that are gone.\n")
	return []byte(b.String())
}

type standInDifference struct{ call, why string }

// standInDiffers are the calls of the recordings that the stand-in answers in
// another way, as plugin/test/node/recorded.ts lists them.
func standInDiffers() []standInDifference {
	const config = "the recording is of an empty config.edn, which the stand-in does not have"
	const custom = "`custom_query` was not compared with a window when it was recorded, and the plugin does not call it"
	return []standInDifference{
		{"about 5", config},
		{"odds 26", config},
		{"queries 15", custom},
		{"og templates and search 7", custom},
		{"queries 17", "the recording is of a plain scan: only the shape of `search` is Logseq's, not the order"},
	}
}
