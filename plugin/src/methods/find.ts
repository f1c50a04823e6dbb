import { isUUID } from '../edn'
import type { OpenGraph } from '../graph'
import { Fault, asFault } from '../fault'
import type { Row } from '../host'
import type { Block } from '../model'
import { type Params, count, name, slice, strings } from '../params'
import { wordsOf } from '../reader'
import type { Methods } from './method'

export const find: Methods = {
  search: { needs: 'search.basic', run: search },
  query: {
    needs: 'datascript.query',
    async run(graph, params) {
      if (graph.visible.any) {
        // A query can ask for anything in any shape, so nothing could be held back.
        throw new Fault('CAPABILITY_MISSING', 'queries are off while the plugin hides pages or tags', {
          capability: 'datascript.query',
        })
      }
      const result: unknown = await graph.host.foreignQuery(name(params, 'query'), ...strings(params, 'inputs'))
      const rows = Array.isArray(result) ? result : result === null ? [] : [result]
      return { rows: slice(rows, params), total: rows.length }
    },
  },
}

async function search(graph: OpenGraph, params: Params): Promise<unknown> {
  const words = name(params, 'query')
  const limit = Math.max(count(params, 'limit', 20), 1)
  // A scan finds everything there is, and nothing of how Logseq ranks it.
  const { uuids, files } = params.scan === true ? { uuids: [], files: [] } : await ranked(graph, words, limit)
  const rows = (await graph.reader.byUUID(uuids)).sort((a, b) => uuids.indexOf(a.uuid) - uuids.indexOf(b.uuid))
  // Logseq's own search ranks well and finds few: ten at most on file graphs.
  const scanned = await graph.reader.pull('?b', `[?b :block/page _] ${graph.reader.textMatches(words)}`)
  // In the order of their making, which does not depend on what else there is.
  if (params.scan === true) scanned.sort((a, b) => a.id - b.id)
  else {
    // What has the words side by side comes before what has them apart.
    const apart = (row: Row) => Number(!String(row.content ?? row.title).toLowerCase().includes(words.trim().toLowerCase()))
    scanned.sort((a, b) => apart(a) - apart(b))
  }
  const known = new Set(rows.map((row) => row.id))
  const blocks = await visible(graph, [...rows, ...scanned.filter((row) => !known.has(row.id))], limit + 1)
  const wanted = wordsOf(words.toLowerCase())
  const pages = (await graph.reader.pages()).filter(
    (page) => wanted.every((word) => page.name.toLowerCase().includes(word)) && !graph.visible.hides(page),
  )
  return {
    blocks: blocks.slice(0, limit),
    pages: pages.slice(0, limit),
    files: graph.visible.any ? [] : files.slice(0, limit),
    more: blocks.length > limit || pages.length > limit,
  }
}

/** The first of the rows that may be seen, at most wanted of them. */
async function visible(graph: OpenGraph, rows: Row[], wanted: number): Promise<Block[]> {
  const blocks: Block[] = []
  for (let at = 0; at < rows.length && blocks.length < wanted; at += wanted) {
    blocks.push(...(await graph.visible.visibleBlocks(await graph.reader.blocks(rows.slice(at, at + wanted)))))
  }
  return blocks.slice(0, wanted)
}

/** What Logseq's own search finds; nothing when it has none, or is slow. */
async function ranked(graph: OpenGraph, words: string, limit: number): Promise<{ uuids: string[]; files: string[] }> {
  try {
    const found = await graph.host.search(words, limit)
    const files: unknown = found?.files
    return {
      uuids: ((found?.blocks ?? []) as Row[]).map(uuidIn).filter((id) => id !== undefined),
      files: Array.isArray(files) ? files.map(String) : [],
    }
  } catch (thrown) {
    const { code } = asFault(thrown)
    if (code === 'CAPABILITY_MISSING' || code === 'TIMEOUT') return { uuids: [], files: [] }
    throw thrown
  }
}

/** Search results are spelled as Logseq's inside spells them, which varies. */
function uuidIn(row: Row): string | undefined {
  const id: unknown = row.uuid ?? row['block/uuid'] ?? row[':block/uuid']
  const text = typeof id === 'object' && id !== null ? (id as Row).uuid : id
  return typeof text === 'string' && isUUID(text) ? text : undefined
}
