import { dbAPI } from './db'
import { ogAPI } from './og'
import { ownQuery } from './ownquery'
import { type Entity, type World } from './world'

// Logseq's plugin API as far as the plugin uses it, on a World. What it answers
// is what Logseq's own code was recorded to answer: test/node/recorded.test.ts
// compares the two.

export type API = Record<string, (...args: any[]) => unknown>

export function api(world: () => World): API {
  const shared: API = {
    datascript_query: (query: string, ...inputs: unknown[]) => world().query(query, inputs),
    q: (query: string) => ownQuery(world(), query),
    // Of what a person sees and edits: nobody does.
    get_current_page: () => null,
    get_current_block: () => null,
    get_selected_blocks: () => null,
    push_state: () => null,
    search: (words: string, opts: Entity = {}) => search(world(), words, opts),
    ...Object.fromEntries(
      ['install_plugin_hook', 'uninstall_plugin_hook', 'register_plugin_ui_item', 'show_msg', 'set_sdk_metadata'].map((name) => [name, () => null]),
    ),
  }
  const own = { ...shared, ...(world().kind === 'og' ? ogAPI(world) : dbAPI(world)) }
  const told = (method: string, run: (...args: any[]) => unknown) => (...args: any[]) => world().operate(operations[method] ?? '', () => run(...args))
  return Object.fromEntries(Object.entries(own).map(([method, run]) => [method, told(method, run)]))
}

/** What Logseq calls the operations of its methods where it tells of them. */
const operations: Record<string, string> = {
  create_page: 'create-page', rename_page: 'rename-page', delete_page: 'delete-page', restore_page: 'restore-recycled',
  insert_block: 'insert-blocks', insert_batch_block: 'insert-blocks',
  append_block_in_page: 'insert-blocks', prepend_block_in_page: 'insert-blocks',
  update_block: 'save-block', move_block: 'move-blocks', remove_block: 'delete-blocks', set_block_collapsed: 'collapse-expand-blocks',
}

function search(w: World, words: string, opts: Entity): unknown {
  if (words === '') return null
  const limit = w.kind === 'og' ? 10 : (opts.limit ?? 10)
  const rows = (w.query(`[:find (pull ?b [*]) :where [?b ${w.text} ?t] [?b :block/page _]]`, []) as Entity[][]).map((row) => row[0]!)
  const text = (row: Entity) => String(w.kind === 'og' ? row.content : row['full-title'])
  const hits = rows.filter((row) => text(row).toLowerCase().includes(words.toLowerCase())).slice(0, limit)
  if (w.kind === 'og') {
    const blocks = hits.map((row) => ({ 'block/uuid': row.uuid, 'block/content': row.content, 'block/page': row.page.id }))
    return { blocks, 'has-more?': false, 'pages-content': null, pages: [], files: null }
  }
  const texts = (row: Entity) => ({ title: text(row), fullTitle: text(row), content: text(row) })
  const blocks = hits.map((row) => ({ uuid: row.uuid, ...texts(row), id: row.id, parent: row.parent.id, page: w.pull(row.page.id)[':block/uuid'], 'page?': null }))
  return { blocks, 'hasMore?': false, files: [] }
}
