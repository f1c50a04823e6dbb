import { type Target, flatten } from '../adapters/dialect'
import { introduce } from '../adapters/insertion'
import { findBlock } from '../exclusions'
import type { OpenGraph } from '../graph'
import { Fault, asFault, invalid } from '../fault'
import type { Block } from '../model'
import { type Params, count, drafts, name, optionalText, place, strings, text, requireUUID, values } from '../params'
import type { Methods } from './method'
import { absent, ignored, landed } from './pages'

export const blocks: Methods = {
  'blocks.get': {
    needs: 'blocks.read',
    run: (graph, params) => graph.block(requireUUID(params, 'uuid'), count(params, 'depth', 0)),
  },
  'blocks.create': {
    needs: 'blocks.create',
    writes: true,
    async run(graph, params) {
      const [uuid, where] = [requireUUID(params, 'uuid'), place(params)]
      const properties = values(params, 'properties')
      const target = await graph.target(name(params, 'target'), where)
      await free(graph, uuid)
      const draft = { uuid, content: text(params, 'content'), properties }
      await graph.write.insert(target, where, draft)
      await keepReferenced(graph, strings(params, 'keep'))
      return landed(graph, uuid)
    },
  },
  'blocks.insert': {
    needs: 'blocks.insert',
    writes: true,
    async run(graph, params) {
      const [trees, where] = [drafts(params, 'blocks'), place(params)]
      const target = await graph.target(name(params, 'target'), where)
      await free(graph, ...trees.map(({ uuid }) => uuid))
      const written = async () => (await graph.reader.byUUID(trees.map(({ uuid }) => uuid))).map((row) => row.uuid as string)
      try {
        await graph.write.insertTree(target, where, trees)
      } catch (thrown) {
        if ((await written()).length === 0) throw thrown
        const { code, message, data } = asFault(thrown)
        throw new Fault(code === 'TIMEOUT' ? code : 'INTERNAL', `${message}; a part is written`, { ...data, applied: 'unknown' })
      }
      const there = new Set(await written())
      if (there.size === 0) throw ignored(`write the block ${trees[0]?.uuid}`)
      await keepReferenced(graph, flatten(trees).flatMap(({ keep }) => keep ?? []))
      // All of them are on one page, which is read once.
      const { page } = await graph.visible.block([...there][0]!)
      const all = await graph.visible.tree(page)
      return { blocks: trees.flatMap(({ uuid }) => findBlock(all, uuid) ?? []) }
    },
  },
  'blocks.update': {
    needs: 'blocks.update',
    writes: true,
    async run(graph, params) {
      const { block } = await graph.visible.block(requireUUID(params, 'uuid'))
      const content = optionalText(params, 'content')
      const properties = values(params, 'properties')
      await graph.write.check(properties)
      if (content !== undefined) await graph.write.setContent(block, content)
      await graph.write.setProperties(block.uuid, properties)
      await keepReferenced(graph, strings(params, 'keep'))
      return landed(graph, block.uuid)
    },
  },
  'blocks.delete': {
    needs: 'blocks.delete',
    writes: true,
    async run(graph, params) {
      const { block } = await graph.visible.block(requireUUID(params, 'uuid'))
      await graph.host.removeBlock(block.uuid)
      if (await graph.reader.block(block.uuid).catch(absent)) throw ignored(`delete the block ${block.uuid}`)
      return {}
    },
  },
  'blocks.move': { needs: 'blocks.move', writes: true, run: move },
}

async function move(graph: OpenGraph, params: Params): Promise<Block> {
  const where = place(params)
  const { block } = await graph.visible.block(requireUUID(params, 'uuid'))
  const target = await graph.target(name(params, 'target'), where)
  if (await isBelow(graph, target.uuid, block.uuid)) {
    throw invalid('target', 'the block itself, or one below it')
  }
  const others = target.children.filter((uuid) => uuid !== block.uuid)
  const [first, last] = [others[0], others.at(-1)]
  if (where === 'before') await moveBefore(graph, block.uuid, target)
  else if (where === 'after') await graph.host.moveBlock(block.uuid, target.uuid, {})
  else if (where === 'first' && first) await moveBefore(graph, block.uuid, { uuid: first, ...(target.page ? {} : { parent: target.uuid }) })
  else if (where === 'last' && last) await graph.host.moveBlock(block.uuid, last, {})
  else await moveInto(graph, block.uuid, target)
  return landed(graph, block.uuid)
}

/** The only one below a block or on a page: there after the block of the page's properties, which stays the first. */
async function moveInto({ host, reader, dialect }: OpenGraph, uuid: string, target: Target): Promise<void> {
  const properties = target.page && dialect.kind === 'file' ? await reader.preBlock(await reader.page(target.page.uuid)) : undefined
  if (properties) await host.moveBlock(uuid, properties.uuid as string, {})
  else await host.moveBlock(uuid, target.uuid, { children: true })
}

/** After the block to the left, which Logseq finds wherever it is; "before" only where there is none. */
async function moveBefore({ host }: OpenGraph, uuid: string, { uuid: target, left, parent }: { uuid: string; left?: string; parent?: string }): Promise<void> {
  if (left === uuid) return // it is there already
  if (left) return void (await host.moveBlock(uuid, left, {}))
  await introduce(host, parent)
  await host.moveBlock(uuid, target, { before: true })
}

async function isBelow(graph: OpenGraph, target: string, uuid: string): Promise<boolean> {
  for (let at: string | null = target; at !== null; ) {
    if (at === uuid) return true
    at = (await graph.reader.block(at).catch(absent))?.block.parent ?? null
  }
  return false
}

/** Makes references to visible blocks last, on file graphs. */
export async function keepReferenced(graph: OpenGraph, uuids: string[]): Promise<void> {
  if (!graph.write.keepIDs) return
  const there = await Promise.all(uuids.map((uuid) => graph.visible.block(uuid).catch(absent)))
  await graph.write.keepIDs(uuids.filter((_, at) => there[at]))
}

/** A uuid that exists already must not be written a second time. */
async function free(graph: OpenGraph, ...uuids: string[]): Promise<void> {
  const [taken] = await graph.reader.byUUID(uuids)
  if (taken) throw invalid('uuid', `${taken.uuid} is in use in this graph`)
}
