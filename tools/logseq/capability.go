package logseq

import (
	"slices"

	"github.com/lectern-mcp/lectern/tools"
)

// A Capability is one row of the compatibility table: what a Logseq can do, by
// the key that its plugin reports, and how it does it on each product line.
// The plugin's adapters follow the same table, and docs/logseq-compatibility.md
// is rendered from it.
type Capability struct {
	Key   string
	What  string // completes "this Logseq can"
	Tools []string
	File  string // on a file graph: Logseq 0.10.x and OG
	DB    string // on a DB graph: Logseq 2.x
}

// absent stands in a row for what a product line does not have.
const absent = "not there"

// Row is how c is done on a kind of graph, "db" or "file".
func (c Capability) Row(kind string) string {
	if kind == "db" {
		return c.DB
	}
	return c.File
}

// Capabilities is the table: the twelve of the specification first.
func Capabilities() []Capability {
	return []Capability{
		{
			"pages.list", "list pages", []string{"list_pages"},
			"`getAllPages`: whole entities with journal flag",
			"a DataScript query, because `getAllPages` has no journal flag and includes tags, properties and built-in pages",
		},
		{
			"pages.read", "read pages", []string{"get_page_content"},
			"`getPage`, `getPageBlocksTree`; properties stand in the first block",
			"`getPage`, `getPageBlocksTree`; text in `title`, references resolved by `fullTitle`",
		},
		{
			"pages.create", "create pages", []string{"create_page"},
			"`createPage` with `redirect: false`; the uuid is Logseq's choice, so the page is read back by name",
			"`createPage` with `redirect: false` and `customUUID`; properties in a second step, because those of an existing page are dropped silently",
		},
		{
			"pages.update", "append to pages and set their properties", []string{"update_page", "append_to_journal"},
			"`upsertBlockProperty` on the first block; `appendBlockInPage`",
			"`upsertBlockProperty` on the page by the property's full ident; `appendBlockInPage`",
		},
		{
			"pages.delete", "delete pages", []string{"delete_page"},
			"`deletePage`: the file is removed",
			"`deletePage`: the page goes to the recycle bin and its title stays taken",
		},
		{
			"search.basic", "search", []string{"search"},
			"`search` finds at most ten; above that a DataScript scan",
			"`search` with `limit`, full text and fuzzy; pages are blocks",
		},
		{
			"blocks.read", "read blocks", []string{"get_block"},
			"`getBlock`; null means not found",
			"`getBlock`, or a DataScript pull where a hidden window would stall it; null means not found",
		},
		{
			"blocks.create", "create blocks", []string{"create_block"},
			"`insertBlock` with `customUUID` and `focus: false`",
			"`insertBlock` with `customUUID`; a missing target is a silent null",
		},
		{
			"blocks.update", "update blocks", []string{"update_block"},
			"`updateBlock`; while the user edits the block, only the editor's text changes",
			"`updateBlock`, `upsertBlockProperty` by full ident",
		},
		{
			"blocks.delete", "delete blocks", []string{"delete_block"},
			"`removeBlock`, always with the children; `recursive` is Lectern's check",
			"`removeBlock`, always with the children; `recursive` is Lectern's check",
		},
		{
			"blocks.move", "move blocks", []string{"move_block"},
			"`moveBlock`: before, after, or first child; last child is after the last one",
			"`moveBlock`: before, after, or first child; last child is after the last one",
		},
		{
			"datascript.query", "run DataScript queries", []string{"datascript_query"},
			"runs in the window's own thread: a bad query freezes it, so Lectern refuses those it can tell",
			"runs in the database worker; attributes are `:block/title`, `:block/order`, one attribute a property",
		},
		{
			"pages.rename", "rename pages", []string{"rename_page"},
			"`renamePage` by name", "`renamePage` by uuid",
		},
		{
			"backlinks", "find what links to a page", []string{"get_backlinks"},
			"`getPageLinkedReferences`", "`getPageLinkedReferences`",
		},
		{
			"blocks.insert", "insert a tree of blocks in one call", []string{"insert_blocks"},
			"`insertBatchBlock` with `keepUUID`; it answers null, so the tree is read back",
			"`insertBatchBlock` with a `uuid` in each entry",
		},
		{
			"journals", "find and make journal pages", []string{"get_journal", "append_to_journal"},
			"by `:block/journal-day`; made by `createPage` with `journal`",
			"by `:block/journal-day`; made by `createJournalPage`",
		},
		{
			"tasks", "list and set tasks", []string{"list_tasks", "set_task"},
			"marker and priority in the block's text; scheduled and deadline as days",
			"`#Task` with `:logseq.property/status`, `/priority`, `/scheduled`, `/deadline`",
		},
		{
			"tags", "list tags", []string{"get_tags"},
			"pages that are referred to by `#tag` or `tags::`", "`getAllTags`",
		},
		{
			"properties", "list properties", []string{"list_properties"},
			"the keys in use, found by a DataScript query", "`getAllProperties`: display name, ident and type",
		},
		{
			"templates", "list templates", []string{"list_templates"},
			"`getCurrentGraphTemplates`", absent,
		},
		{
			"assets", "list the files of the graph", nil,
			"`Assets.listFilesOfCurrentGraph`", "`Assets.listFilesOfCurrentGraph`",
		},
		{
			"watch", "say what changes", nil,
			"`DB.onChanged`", "`DB.onChanged`",
		},
	}
}

func capabilityOf(key string) (Capability, bool) {
	all := Capabilities()
	i := slices.IndexFunc(all, func(c Capability) bool { return c.Key == key })
	if i < 0 {
		return Capability{}, false
	}
	return all[i], true
}

// kindWords names a kind of graph for people.
func kindWords(kind string) string {
	switch kind {
	case "db":
		return "DB graph"
	case "file":
		return "file graph"
	default:
		return "graph of an unknown kind"
	}
}

// mayFail are the codes that a call to Logseq may end with besides those of
// every tool.
func mayFail() []tools.Code { return []tools.Code{tools.NotFound, tools.Conflict} }
