import type { OpenGraph } from '../graph'
import { Fault, asFault, invalid } from '../fault'
import type { Block, Page } from '../model'
import { type Params, count, flag, name, optionalText, slice, strings, text, requireUUID, values } from '../params'
import { keepReferenced } from './blocks'
import type { Methods } from './method'

export const pages: Methods = {
  'pages.list': {
    needs: 'pages.list',
    async run(graph, params) {
      const journals = params.journals !== false
      const all = (await graph.reader.pages()).filter(
        (page) => !graph.visible.hides(page) && (journals || page.kind !== 'journal'),
      )
      return { pages: slice(all, params), total: all.length }
    },
  },
  'pages.get': {
    needs: 'pages.read',
    run: async (graph, params) => (await graph.visible.page(name(params, 'page'), strings(params, 'besides'))).is,
  },
  'pages.tree': {
    needs: 'pages.read',
    async run(graph, params) {
      const page = await graph.visible.page(name(params, 'page'))
      return { page: page.is, blocks: await graph.tree(page, count(params, 'depth', -1)) }
    },
  },
  'pages.backlinks': {
    needs: 'backlinks',
    async run(graph, params) {
      const page = await graph.visible.page(name(params, 'page'))
      const rows = await graph.reader.pull('?b', `[?b :block/refs ${page.row.id}] [?b :block/page _]`)
      const all = await graph.visible.visibleBlocks(await graph.reader.blocks(rows))
      return { blocks: slice(all, params), total: all.length }
    },
  },
  'pages.create': { needs: 'pages.create', writes: true, run: create },
  'pages.update': {
    needs: 'pages.update',
    writes: true,
    async run(graph, params) {
      const page = await graph.visible.page(name(params, 'page'))
      await graph.write.setPageProperties(page.is, values(params, 'properties'))
      return (await graph.reader.page(page.is.uuid)).is
    },
  },
  'pages.append': {
    needs: 'pages.update',
    writes: true,
    async run(graph, params): Promise<Block> {
      const page = await graph.visible.page(name(params, 'page'))
      const uuid = requireUUID(params, 'uuid')
      const target = await graph.target(page.is.uuid, 'last')
      await graph.write.insert(target, 'last', { uuid, content: text(params, 'content') })
      await keepReferenced(graph, strings(params, 'keep'))
      return landed(graph, uuid)
    },
  },
  'pages.delete': {
    needs: 'pages.delete',
    writes: true,
    async run(graph, params) {
      const page = await graph.visible.page(name(params, 'page'))
      await graph.write.deletePage(page.is)
      const left = await graph.reader.page(page.is.uuid).catch(absent)
      if (left && !left.is.recycled) throw ignored(`delete the page "${page.is.name}"`)
      return { recycled: left !== undefined }
    },
  },
  'pages.rename': {
    needs: 'pages.rename',
    writes: true,
    async run(graph, params): Promise<Page> {
      const page = await graph.visible.page(name(params, 'page'))
      const wanted = name(params, 'name')
      const named = (await graph.reader.pagesNamed(wanted)).filter(({ is }) => sameName(is.name, wanted))
      // What lies in the bin keeps its name, and Logseq gives it to another page all the same.
      if (named.some(({ row, is }) => row.id !== page.row.id && !is.recycled)) throw invalid('name', `there is a page "${wanted}" already`)
      await graph.write.renamePage(page.is, wanted)
      const renamed = (await graph.reader.pagesNamed(wanted)).find(({ is }) => sameName(is.name, wanted) && !is.recycled)
      if (!renamed) throw ignored(`rename the page "${page.is.name}"`)
      return renamed.is
    },
  },
}

const sameName = (a: string, b: string) => a.trim().toLowerCase().normalize('NFC') === b.trim().toLowerCase().normalize('NFC')

async function create(graph: OpenGraph, params: Params): Promise<{ page: Page; existed: boolean }> {
  const title = name(params, 'title').trim()
  const all = await graph.reader.pagesNamed(title)
  // Logseq makes no page of a name that another has, wherever that is.
  const before = [...all].sort((a, b) => Number(a.is.recycled) - Number(b.is.recycled)).find(({ is, row }) => is.kind !== 'property' && !row[':logseq.property/built-in?'])
  if (before && graph.visible.hides(before.is)) throw invalid('title', 'the settings of the plugin hide this page')
  if (before && !before.is.recycled) return { page: before.is, existed: true }
  const uuid = optionalText(params, 'uuid') === undefined ? crypto.randomUUID() : requireUUID(params, 'uuid')
  const properties = values(params, 'properties')
  await graph.write.check(properties)
  await graph.write.createPage(title, flag(params, 'create_first_block'), uuid)
  const read = async () => {
    // The name may have been changed on the way, "#tag" is taken off on DB graphs.
    const byID = await graph.reader.page(uuid).catch(absent)
    return byID ?? (await graph.reader.page(title).catch(absent))
  }
  let made = await read()
  if (!made || made.is.recycled) throw ignored(`create the page "${title}"`)
  // Logseq drops the properties of a page that exists, so they are a step of their own.
  if (Object.keys(properties).length > 0) {
    await graph.write.setPageProperties(made.is, properties)
    made = (await read()) ?? made
  }
  return { page: made.is, existed: false }
}

/** Reads a block that was just written. Logseq says nothing when it did not write it. */
export async function landed(graph: OpenGraph, uuid: string): Promise<Block> {
  try {
    return await graph.block(uuid, 0)
  } catch (thrown) {
    if (asFault(thrown).code === 'NOT_FOUND') throw ignored(`write the block ${uuid}`)
    throw thrown
  }
}

export function ignored(what: string): Fault {
  return new Fault('INTERNAL', `Logseq said nothing and did not ${what}`, { applied: false })
}

/** For .catch: undefined when the thing is not there; any other trouble stays trouble. */
export function absent(thrown: unknown): undefined {
  if (asFault(thrown).code !== 'NOT_FOUND') throw thrown
  return undefined
}
