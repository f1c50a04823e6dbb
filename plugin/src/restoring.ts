import { invalid } from './fault'
import type { OpenGraph } from './graph'
import type { Row } from './host'
import type { Draft, Page, Values } from './model'
import type { Found } from './reader'
import type { Kept, KeptPage } from './states'

// Restoring writes states back, as exactly as Logseq lets a plugin. Whether it
// came out the same is for the far end to see: it reads the state again.

/** Puts trees back behind a sibling, or first below their home, a block or a page, in one go. */
export async function restoreBlocks(graph: OpenGraph, home: string, after: string | undefined, blocks: Kept[]): Promise<void> {
  const [name, place] = after ? ([after, 'after'] as const) : ([home, 'first'] as const)
  const target = await graph.anyTarget(name, place)
  await graph.write.insertTree(target, place, blocks.map(draft))
  for (const one of flat(blocks)) await exactBlock(graph, one)
}

/** Gives a block its text, properties, tags and fold; what is right already is left alone. */
export async function exactBlock(graph: OpenGraph, wanted: Kept): Promise<void> {
  const now = await graph.states.block(wanted.uuid, false)
  if (!now) return // the far end notices
  if (now.text !== wanted.text) await graph.host.updateBlock(wanted.uuid, wanted.text)
  if (graph.dialect.kind === 'file') return
  await attributes(graph, wanted.uuid, now, wanted)
  if (Boolean(now.collapsed) !== Boolean(wanted.collapsed)) await graph.host.setCollapsed(wanted.uuid, Boolean(wanted.collapsed))
}

/** Takes a page out of the recycle bin, or makes it again, without its blocks. */
export async function restorePage(graph: OpenGraph, wanted: KeptPage): Promise<void> {
  const taken = await graph.reader.pageIfThere(wanted.uuid ?? wanted.name)
  if (taken && !taken.is.recycled) throw invalid('page', `there is a page "${taken.is.name}" already`)
  if (taken) {
    await graph.host.restorePage(taken.is.uuid)
    if ((await graph.reader.pageIfThere(taken.is.uuid))?.is.recycled) await graph.host.restorePage(taken.is.name)
  } else if (wanted.day) await graph.write.createJournal(wanted.day, false)
  else await graph.write.createPage(wanted.name, false, wanted.uuid)
  const made = await graph.reader.pageIfThere(wanted.uuid ?? wanted.name)
  if (made) await exactPage(graph, made, wanted)
}

/** Gives a page its properties and tags. */
export async function exactPage(graph: OpenGraph, page: Found<Page>, wanted: KeptPage): Promise<void> {
  if (graph.dialect.kind === 'file') return propertyText(graph, page, wanted.text)
  await attributes(graph, page.is.uuid, await graph.states.page(page, false), wanted)
}

async function propertyText(graph: OpenGraph, page: Found<Page>, text: string | undefined): Promise<void> {
  const before: Row | undefined = await graph.reader.preBlock(page)
  if (text === undefined) {
    if (before) await graph.host.removeBlock(before.uuid)
  } else if (before) {
    if (before.content !== text) await graph.host.updateBlock(before.uuid, text)
  } else await graph.write.putFirst?.(page.is, text)
}

interface Attributes {
  properties?: Values
  tags?: string[]
}

async function attributes(graph: OpenGraph, uuid: string, now: Attributes, wanted: Attributes): Promise<void> {
  const [had, want] = [now.properties ?? {}, wanted.properties ?? {}]
  for (const ident of Object.keys(had)) if (!(ident in want)) await graph.host.removeProperty(uuid, ident)
  for (const [ident, value] of Object.entries(want)) {
    if (JSON.stringify(had[ident]) !== JSON.stringify(value)) await graph.host.setProperty(uuid, ident, await decode(graph, value))
  }
  for (const tag of now.tags ?? []) if (!wanted.tags?.includes(tag)) await graph.host.removeTag(uuid, tag)
  for (const tag of wanted.tags ?? []) if (!now.tags?.includes(tag)) await graph.host.addTag(uuid, tag)
}

/** References become the ids that they have now. */
async function decode(graph: OpenGraph, value: unknown): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map((one) => decode(graph, one)))
  if (typeof value !== 'object' || value === null) return value
  const { value: text, ident, uuid } = value as Row
  if (text !== undefined) return text
  const [row] = ident ? await graph.reader.pull('?e', `[?e :db/ident ${keyword(ident)}]`) : await graph.reader.byUUID([String(uuid)])
  if (!row) throw invalid('properties', `${ident ?? uuid} is no longer in this graph`)
  return row.id
}

function keyword(ident: unknown): string {
  if (typeof ident === 'string' && /^:[\w.*+!?<>=$&%#/-]+$/.test(ident)) return ident
  throw invalid('properties', 'not an ident')
}

const draft = ({ uuid, text, children }: Kept): Draft => ({ uuid, content: text, ...(children ? { children: children.map(draft) } : {}) })

const flat = (blocks: Kept[]): Kept[] => blocks.flatMap((one) => [one, ...flat(one.children ?? [])])
