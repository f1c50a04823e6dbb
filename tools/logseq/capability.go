package logseq

import (
	"slices"
	"strings"
)

// A Capability is one row of the compatibility table: something that Logseq
// can do, by the key that the plugin reports, and how it works on each product
// line. The adapters of the plugin follow this table, and
// docs/logseq-compatibility.md is rendered from it.
type Capability struct {
	Key   string
	Title string // for people, at most 13 characters
	What  string // completes "this Logseq can"
	Tools []string
	File  string // on a file graph: Logseq 0.10.x and OG
	DB    string // on a DB graph: Logseq 2.x
	// How each of the two cells is known.
	FileKnown, DBKnown string
}

// asked says that Logseq's own code was run without its window, and asked in
// these scenarios, whose calls and answers were recorded.
func asked(scenarios ...string) string { return "asked: " + quoted(scenarios) }

// sourceRead says that it stands in these files of Logseq's source.
func sourceRead(files ...string) string { return "source read: " + quoted(files) }

func quoted(names []string) string { return "`" + strings.Join(names, "`, `") + "`" }

const (
	hiddenWindow = "; a hidden window never seen"
	openEditor   = "; an open editor only read in the source"
	onlyShape    = "; what is found and its rank never seen"
)

// unsupported is the text of a row for a product line without the capability.
const unsupported = "not there"

// Row returns how c works on a kind of graph, "db" or "file".
func (c Capability) Row(kind string) string {
	if kind == "db" {
		return c.DB
	}
	return c.File
}

// Has reports whether a kind of graph has c at all.
func (c Capability) Has(kind string) bool { return c.Row(kind) != unsupported }

// Known reports whether the table covers a version of Logseq: 0.10.x, OG's
// 1.x, or 2.x.
func Known(version string) bool {
	return strings.HasPrefix(version, "0.10.") || strings.HasPrefix(version, "1.") || strings.HasPrefix(version, "2.")
}

// Capabilities returns the table, with the twelve capabilities of the
// specification first.
func Capabilities() []Capability {
	return []Capability{
		{
			"pages.list", "list pages", "list pages",
			[]string{"list_pages"},
			"DataScript: pages have `:block/original-name` and a journal day",
			"DataScript: pages are tagged Page or Journal, and have the path of those above them as their name; built-in and recycled ones are " +
				"left out, which `getAllPages` would not do",
			asked("og journals"),
			asked("namespaces", "same names", "recycle"),
		},
		{
			"pages.read", "read pages", "read pages",
			[]string{"get_page_content"},
			"DataScript; properties stand in the page's first block, which is not shown as one",
			"DataScript, which a hidden window does not stall; references in `:block/title` are resolved",
			asked("og files", "og pages"),
			asked("namespaces", "queries") + hiddenWindow,
		},
		{
			"pages.create", "create pages", "create pages",
			[]string{"create_page"},
			"`createPage` with `redirect: false`; the uuid is Logseq's choice, so the page is looked for by name",
			"`createPage` with `redirect: false` and `customUUID`; properties in a second step, because Logseq drops those of a page that exists",
			asked("og pages"),
			asked("pages", "namespaces"),
		},
		{
			"pages.update", "update pages", "append to pages and set their properties",
			[]string{"update_page", "append_to_journal"},
			"lines of the page's first block; `insertBlock` for content",
			"`upsertBlockProperty` by the property's full ident, after the value was checked against its type: Logseq takes the old value away " +
				"for one that does not fit; `insertBlock` for content",
			asked("og blocks", "og files"),
			asked("blocks", "typed properties", "own properties"),
		},
		{
			"pages.delete", "delete pages", "delete pages",
			[]string{"delete_page"},
			"`deletePage`: the file is removed",
			"`deletePage` by uuid, because names are not unique: the page goes to the recycle bin, and its title stays taken",
			asked("og pages"),
			asked("recycle", "same names"),
		},
		{
			"search.basic", "search", "search",
			[]string{"search"},
			"`search`, which finds ten at most, then a DataScript scan",
			"`search` with a limit, then a DataScript scan",
			asked("og templates and search") + onlyShape,
			asked("queries") + onlyShape,
		},
		{
			"blocks.read", "read blocks", "read blocks",
			[]string{"get_block"},
			"DataScript; what is not there is NOT_FOUND, never null",
			"DataScript, which a hidden window does not stall",
			asked("og markdown", "og blocks"),
			asked("namespaces", "queries") + hiddenWindow,
		},
		{
			"blocks.create", "create blocks", "create blocks",
			[]string{"create_block", "answer_request"},
			"`insertBlock` with `customUUID` and `focus: false`; the `id::` line that Logseq writes with it is removed, and written where a text " +
				"refers to a block",
			"`insertBlock` with `customUUID`; headings and marks of tasks become properties; a link to a page with a slash is written by uuid; a " +
				"missing target would be a silent null",
			asked("og blocks", "og properties") + "; that a uuid stays without its line read in the source",
			asked("blocks", "markdown", "namespaces", "tasks"),
		},
		{
			"blocks.update", "update blocks", "update blocks",
			[]string{"update_block"},
			"`updateBlock`, `upsertBlockProperty`; while the user edits the block, only the editor's text changes",
			"`updateBlock`, `upsertBlockProperty` by full ident; a heading that loses its marks is taken off by `removeBlockProperty`",
			asked("og blocks", "og properties", "og org") + openEditor,
			asked("markdown", "odds", "typed properties") + openEditor,
		},
		{
			"blocks.delete", "delete blocks", "delete blocks",
			[]string{"delete_block"},
			"`removeBlock`, always with the children; `recursive` is Lectern's check",
			"`removeBlock`, always with the children; `recursive` is Lectern's check",
			asked("og blocks"),
			asked("blocks"),
		},
		{
			"blocks.move", "move blocks", "move blocks",
			[]string{"move_block"},
			"`moveBlock`: before, after or first child; last child is after the last one",
			"`moveBlock`: before is after the one to the left, because the window finds no sibling that it was not sent",
			asked("og blocks"),
			asked("before, page not open (renderer restarted)", "before, nested, page not open"),
		},
		{
			"datascript.query", "query", "run DataScript queries",
			[]string{"datascript_query"},
			"runs in the window's own thread: a bad query freezes it, so Lectern refuses those it can tell",
			"runs in the database worker; `:block/title`, `:block/order`, and one attribute for each property",
			asked("og markdown", "og journals") + "; the thread read in `src/main/logseq/api.cljs`",
			asked("queries") + hiddenWindow,
		},
		{
			"pages.rename", "rename pages", "rename pages",
			[]string{"rename_page"},
			"`renamePage` by name",
			"`renamePage` by uuid, only the last part of a path",
			asked("og pages"),
			asked("pages", "namespaces"),
		},
		{
			"find", "find", "find pages and blocks by tag, property, namespace, days, state and words",
			[]string{"find"},
			"DataScript by references, marks and words; keys and values of properties are compared afterwards",
			"DataScript: `:block/tags` with the tags that extend one, one attribute for each property, pages by their path",
			asked("og markdown", "og journals"),
			asked("tags", "same names", "tasks", "queries"),
		},
		{
			"backlinks", "backlinks", "find what links to a page",
			[]string{"get_backlinks"},
			"DataScript over `:block/refs`",
			"DataScript over `:block/refs`",
			asked("og markdown"),
			asked("queries"),
		},
		{
			"blocks.insert", "insert trees", "insert a tree of blocks in one call",
			[]string{"insert_blocks", "replace_page_content"},
			"`insertBlock` for each: a batch keeps only the first block that Markdown sees in a text",
			"`insertBlock` for each: a batch chooses its own uuids, and loses lines and links to new pages",
			asked("og blocks", "og batch"),
			asked("blocks", "batch", "batch, lines that look like blocks"),
		},
		{
			"journals", "journals", "find and make journal pages",
			[]string{"get_journal", "append_to_journal"},
			"by `:block/journal-day`; made by `createPage` with `journal`",
			"by `:block/journal-day`; made by `createJournalPage` at noon of the day",
			asked("og journals"),
			asked("journals"),
		},
		{
			"tasks", "tasks", "list and set tasks",
			[]string{"list_tasks", "set_task"},
			"marker, priority and days stand in the block's text",
			"tag Task with `:logseq.property/status`, priority, scheduled and deadline; a day is the moment at which it begins where the user is",
			asked("og markdown"),
			asked("tasks", "typed properties"),
		},
		{
			"tags", "tags", "list tags",
			[]string{"get_tags"},
			"those in use, as a page's property or in text",
			"pages tagged Tag that are not built in",
			asked("og markdown") + "; `:block/tags` of a page never seen",
			asked("tags"),
		},
		{
			"properties", "properties", "list properties",
			[]string{"list_properties"},
			"the keys in use",
			"pages tagged Property: display name, ident and type",
			asked("og properties"),
			asked("typed properties", "own properties"),
		},
		{
			"assets", "assets", "list and show the files that blocks link to",
			[]string{"list_assets", "read_asset"},
			"DataScript: what blocks link to below `../assets`; Lectern reads the file itself, from the folder of the graph",
			"DataScript: blocks with `:logseq.property.asset/type`; the file is `assets/UUID.TYPE` in the folder of the graph, which Lectern " +
				"reads itself",
			sourceRead("src/main/frontend/handler/assets.cljs"),
			sourceRead("src/main/frontend/components/block.cljs", "src/main/frontend/handler/assets.cljs"),
		},
		{
			"tags.set", "set tags", "put tags on pages and blocks and take them off",
			[]string{"set_tags"},
			unsupported,
			"`addBlockTag` and `removeBlockTag` by the uuid of the tag",
			asked("og about"),
			asked("tags"),
		},
		{
			"tags.create", "create tags", "create and extend tags",
			[]string{"create_tag"},
			unsupported,
			"`createTag`, `addTagExtends` and `addTagProperty`, in the namespace of the plugin",
			sourceRead("src/main/logseq/api.cljs"),
			asked("tags"),
		},
		{
			"properties.create", "new property", "create properties with a type",
			[]string{"create_property"},
			unsupported,
			"`upsertProperty`, in the namespace of the plugin; one that exists is left",
			sourceRead("src/main/logseq/api.cljs"),
			asked("own properties"),
		},
		{
			"templates", "templates", "list templates",
			[]string{"list_templates"},
			"`getCurrentGraphTemplates`",
			unsupported,
			asked("og templates and search"),
			asked("about"),
		},
		{
			"query.own", "own queries", "run queries in Logseq's own language",
			[]string{"logseq_query"},
			"`q`, which answers rows",
			"`q`, which answers ids; what they name is read by DataScript",
			asked("og markdown"),
			asked("queries"),
		},
		{
			"focus", "focus", "tell what the user looks at",
			[]string{"get_focus"},
			"`getCurrentPage`, `getCurrentBlock` and `getSelectedBlocks`",
			"`getCurrentPage`, `getCurrentBlock` and `getSelectedBlocks`",
			sourceRead("src/main/logseq/api.cljs"),
			asked("about") + "; only where nothing is open",
		},
		{
			"page.open", "show pages", "show a page to the user",
			[]string{"open_page"},
			"`pushState` with the name of the page",
			"`pushState` with the uuid of the page",
			sourceRead("src/main/logseq/api.cljs"),
			sourceRead("src/main/logseq/api/app.cljs"),
		},
		{
			"requests", "requests", "queue what the user asks agents",
			[]string{"list_requests", "answer_request"},
			"`registerSlashCommand` and `registerCommandPalette`; the plugin keeps the newest 50 until they are answered",
			"`registerSlashCommand` and `registerCommandPalette`; the plugin keeps the newest 50 until they are answered",
			sourceRead("src/main/logseq/api.cljs") + "; the menus never seen",
			sourceRead("src/main/logseq/api/plugin.cljs") + "; the menus never seen",
		},
		{
			"privacy", "hide pages", "leave references unnamed, so that a source that hides pages can be served", nil,
			"uuids stay as they are stored",
			"uuids stay as they are stored, in tags and properties too",
			asked("og markdown") + "; a reference to a block never seen",
			asked("namespaces", "queries"),
		},
		{
			"watch", "see changes", "say what changes", nil,
			"`DB.onChanged`",
			"`DB.onChanged`",
			asked("og blocks"),
			asked("person"),
		},
	}
}

// writes reports whether c changes a graph, which the plugin's read-only
// setting turns off.
func (c Capability) writes() bool {
	area, verb, _ := strings.Cut(c.Key, ".")
	return (area == "pages" || area == "blocks" || area == "tags" || area == "properties") && verb != "" && verb != "list" && verb != "read"
}

func findCapability(key string) (Capability, bool) {
	all := Capabilities()
	i := slices.IndexFunc(all, func(c Capability) bool { return c.Key == key })
	if i < 0 {
		return Capability{}, false
	}
	return all[i], true
}

// graphKindTitle names a kind of graph for people.
func graphKindTitle(kind string) string {
	switch kind {
	case "db":
		return "DB graph"
	case "file":
		return "file graph"
	default:
		return "graph of an unknown kind"
	}
}
