import { hasID } from './adapters/file'
import { invalid } from './fault'
import type { OpenGraph } from './graph'
import type { Row } from './host'
import type { Draft, Page, Place, Values } from './model'
import type { Found } from './reader'
import type { BlockState, PageState } from './states'

// Restores recorded states as exactly as Logseq allows plugins to. The server reads
// the state again to verify the result.

/** Inserts trees beside a block, or below one or on a page. */
export async function restoreBlocks(graph: OpenGraph, name: string, place: Place, blocks: BlockState[]): Promise<void> {
  const target = await graph.unfilteredTarget(name, place)
  await graph.write.insertTree(target, place, blocks.map(toDraft))
  for (const one of flatten(blocks)) await writeBlockState(graph, one)
}

/** Writes a block's text, properties, tags and collapsed state where they differ. */
export async function writeBlockState(graph: OpenGraph, wanted: BlockState): Promise<void> {
  const now = await graph.states.block(wanted.uuid, false)
  if (!now) return // the server notices
  if (now.text !== wanted.text || level(now) !== level(wanted)) await graph.host.updateBlock(wanted.uuid, asWritten(wanted))
  if (graph.dialect.kind === 'file') {
    // Logseq puts back the id of a block whose text changes.
    if (hasID(now.text, wanted.uuid) && !hasID(wanted.text, wanted.uuid)) await graph.host.removeProperty(wanted.uuid, 'id')
    return
  }
  await writeAttributes(graph, wanted.uuid, now, wanted)
  if (Boolean(now.collapsed) !== Boolean(wanted.collapsed)) await graph.host.setCollapsed(wanted.uuid, Boolean(wanted.collapsed))
}

/** Restores a page from the recycle bin, or creates it, without its blocks. */
export async function restorePage(graph: OpenGraph, wanted: PageState): Promise<void> {
  const taken = await graph.reader.findPage(wanted.uuid ?? wanted.name)
  if (taken && !taken.is.recycled) throw invalid('page', `there is a page "${taken.is.name}" already`)
  if (taken) {
    await graph.host.restorePage(taken.is.uuid)
  } else if (wanted.day) await graph.write.createJournal(wanted.day, false)
  else await graph.write.createPage(wanted.name, false, wanted.uuid)
  const made = await graph.reader.findPage(wanted.uuid ?? wanted.name)
  if (made) await writePageState(graph, made, wanted)
}

/** Writes a page's properties and tags where they differ. */
export async function writePageState(graph: OpenGraph, page: Found<Page>, wanted: PageState): Promise<void> {
  if (graph.dialect.kind === 'file') return writePropertyText(graph, page, wanted.text)
  await writeAttributes(graph, page.is.uuid, await graph.states.page(page, false), wanted)
}

async function writePropertyText(graph: OpenGraph, page: Found<Page>, text: string | undefined): Promise<void> {
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

async function writeAttributes(graph: OpenGraph, uuid: string, now: Attributes, wanted: Attributes): Promise<void> {
  const [had, want] = [now.properties ?? {}, wanted.properties ?? {}]
  const gone = Object.keys(had).filter((ident) => !(ident in want))
  for (const ident of gone) await graph.host.removeProperty(uuid, ident)
  for (const [ident, value] of Object.entries(want)) {
    if (ident !== heading && JSON.stringify(had[ident]) !== JSON.stringify(value)) await graph.host.setProperty(uuid, ident, await decode(graph, value))
  }
  for (const tag of now.tags ?? []) if (!wanted.tags?.includes(tag)) await graph.host.removeTag(uuid, tag)
  // With the status of a task Logseq takes its tag off.
  const lost = gone.includes(':logseq.property/status') ? ':logseq.class/Task' : ''
  for (const tag of wanted.tags ?? []) if (!now.tags?.includes(tag) || tag === lost) await graph.host.addTag(uuid, tag)
}

const heading = ':logseq.property/heading'
const level = ({ properties }: BlockState): number => Number(properties?.[heading] ?? 0)

/** The text of a state as Logseq takes it: the level of a heading is in front of it. */
const asWritten = (state: BlockState): string => (level(state) > 0 ? `${'#'.repeat(level(state))} ${state.text}` : state.text)

/** Resolves references to present ids. */
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

const toDraft = (state: BlockState): Draft => ({
  uuid: state.uuid, content: asWritten(state), ...(state.children ? { children: state.children.map(toDraft) } : {}),
})

const flatten = (blocks: BlockState[]): BlockState[] => blocks.flatMap((one) => [one, ...flatten(one.children ?? [])])
