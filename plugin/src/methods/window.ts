import { idOf } from '../adapters/dialect'
import { Fault, asFault } from '../fault'
import type { Host, Row } from '../host'
import { name, slice } from '../params'
import type { Methods } from './method'
import { isUUID } from '../edn'

// What only a plugin knows and can do: what the person looks at, and Logseq's
// own queries. Answers name pages and blocks by uuid where the server decides
// what an agent may see of them.

export const windowMethods: Methods = {
  'focus.get': {
    needs: 'focus',
    run: (graph) => focus(graph.host, graph.reader),
  },
  'page.open': {
    needs: 'page.open',
    async run(graph, params) {
      const wanted = name(params, 'target')
      const page = await graph.visible.page(wanted).catch((thrown) => {
        if (asFault(thrown).code !== 'NOT_FOUND') throw thrown
        return undefined
      })
      const target = page ? (graph.dialect.kind === 'db' ? page.is.uuid : page.is.name) : (await graph.visible.block(wanted)).block.uuid
      await graph.host.openPage(target)
      return {}
    },
  },
  'query.own': {
    needs: 'query.own',
    async run(graph, params) {
      if (graph.visible.any) throw new Fault('CAPABILITY_MISSING', 'queries are off while the plugin hides pages or tags', { capability: 'query.own' })
      const found = ((await graph.host.ownQuery(name(params, 'query'))) ?? []).flat() as Row[]
      // DB graphs answer ids, file graphs rows.
      const rows = await graph.reader.byID(found.map((row) => row.id as number).filter((id) => typeof id === 'number'))
      const order = new Map(found.map((row, at) => [row.id as number, at]))
      rows.sort((a, b) => order.get(a.id)! - order.get(b.id)!)
      const pages = await graph.reader.pagesOf(rows.filter((row) => row.name && !idOf(row.page)).map((row) => row.id as number))
      const blocks = await graph.visible.visibleBlocks(await graph.reader.blocks(rows))
      const all = [...pages.map(({ is }) => ({ page: is })), ...blocks.map((block) => ({ block }))]
      return { found: slice<object>(all, params), total: all.length }
    },
  },
}

/** What the person looks at, by uuids. */
export interface Focus {
  page?: string
  editing?: string
  selected: string[]
}

export async function focus(host: Host, reader: PageLookup): Promise<Focus> {
  const [page, editing, selected] = [await host.currentPage(), await host.currentBlock(), await host.selectedBlocks()]
  const uuids = (Array.isArray(selected) ? selected : []).map(uuidOf).filter((uuid) => uuid !== undefined)
  const [onPage, edited] = [uuidOf(page) ?? (await pageOf(reader, page)), uuidOf(editing)]
  return { ...(onPage ? { page: onPage } : {}), ...(edited ? { editing: edited } : {}), selected: uuids }
}

/** Where a page is looked up by its id. */
export interface PageLookup {
  byID(ids: number[]): Promise<Row[]>
}

function uuidOf(row: unknown): string | undefined {
  const uuid = (row as Row | null)?.uuid as unknown
  return typeof uuid === 'string' && isUUID(uuid) ? uuid : undefined
}

/** Where a block is zoomed to, some versions answer it and not the page. */
async function pageOf(reader: PageLookup, row: unknown): Promise<string | undefined> {
  const id = idOf((row as Row | null)?.page)
  return id === undefined ? undefined : uuidOf((await reader.byID([id]))[0])
}
