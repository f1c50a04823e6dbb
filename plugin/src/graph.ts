import { dbDialect, headingOf } from './adapters/db'
import { DbWrites } from './adapters/dbwrites'
import { type Dialect, type Target, type Writes, idOf } from './adapters/dialect'
import { FileWrites, fileDialect } from './adapters/file'
import { Exclusions, type Hidden, findBlock } from './exclusions'
import { asFault, invalid } from './fault'
import type { Host, Row } from './host'
import type { Block, Page, Place } from './model'
import { type Found, Reader } from './reader'
import { StateReader } from './states'

/** The open graph, as the methods see it. */
export class OpenGraph {
  readonly reader: Reader
  readonly visible: Exclusions
  readonly write: Writes
  readonly dialect: Dialect
  readonly states: StateReader

  constructor(
    readonly host: Host,
    private readonly kind: 'file' | 'db',
    private readonly hidden: Hidden,
    readonly rawReferences = false,
  ) {
    this.dialect = kind === 'db' ? dbDialect : fileDialect
    this.reader = new Reader(host, this.dialect, rawReferences)
    this.states = new StateReader(this.reader)
    this.visible = new Exclusions(this.reader, hidden)
    this.write = kind === 'db' ? dbWrites(host, this.reader) : fileWrites(host, this.reader)
  }

  /** The same graph for a request in which the server resolves references itself. */
  withRawReferences(): OpenGraph {
    return new OpenGraph(this.host, this.kind, this.hidden, true)
  }

  /** The page or block beside or below which something is inserted. */
  target(nameOrUUID: string, place: Place): Promise<Target> {
    return this.targetIn(this.visible, nameOrUUID, place)
  }

  /** The same without exclusions, for what a person undoes. */
  unfilteredTarget(nameOrUUID: string, place: Place): Promise<Target> {
    return this.targetIn(this.reader, nameOrUUID, place)
  }

  private async targetIn(seen: Reader | Exclusions, nameOrUUID: string, place: Place): Promise<Target> {
    const page = await seen.page(nameOrUUID).catch(unlessMissing)
    if (page) {
      if (place === 'before' || place === 'after') {
        throw invalid('place', `"${place}" needs a block as target, and this is a page`)
      }
      return { uuid: page.is.uuid, page: page.is, children: uuids(await this.reader.tree(page)) }
    }
    const found = await seen.block(nameOrUUID)
    if (place === 'after') return { uuid: found.block.uuid, children: [] }
    if (place === 'before') return this.beside(found)
    const block = findBlock(await this.reader.tree(found.page), found.block.uuid)
    return { uuid: found.block.uuid, children: uuids(block?.children ?? []) }
  }

  /** A block with what is to the left of it and above it. */
  private async beside({ block, row }: { block: Block; row: Row }): Promise<Target> {
    const siblings = (await this.reader.siblings(row)).map((one) => one.uuid as string)
    const left = siblings[siblings.indexOf(block.uuid) - 1]
    return { uuid: block.uuid, children: [], ...(left ? { left } : {}), ...(block.parent ? { parent: block.parent } : {}) }
  }

  /** A block with its children down to depth: 0 none, -1 all. */
  async block(uuid: string, depth: number): Promise<Block> {
    const found = await this.visible.block(uuid)
    if (depth === 0) return found.block
    return limitDepth([{ ...found.block, children: await this.visible.descendants(found, depth) }], depth + 1)[0]!
  }

  async tree(page: Found<Page>, depth: number): Promise<Block[]> {
    return depth === 0 ? [] : limitDepth(await this.visible.tree(page), depth)
  }
}

/** Removes what is below depth levels; a depth under 1 removes nothing. */
export function limitDepth(blocks: Block[], depth: number): Block[] {
  return blocks.map(({ children, ...block }) => {
    if (depth === 1 || children === undefined) return block
    return { ...block, children: limitDepth(children, depth - 1) }
  })
}

function unlessMissing(thrown: unknown): undefined {
  if (asFault(thrown).code !== 'NOT_FOUND') throw thrown
  return undefined
}

const uuids = (blocks: Block[]) => blocks.map((block) => block.uuid)

function fileWrites(host: Host, reader: Reader): Writes {
  const preBlock = async (page: Page) => {
    const row = await reader.preBlock(await reader.page(page.uuid))
    return row && { uuid: row.uuid as string, raw: (row.content ?? '') as string }
  }
  const firstBlock = async (page: Page) => (await reader.tree(await reader.page(page.uuid)))[0]?.uuid
  const isOrg = async (uuid: string) => {
    const [row] = await reader.byUUID([uuid])
    if (!row || row.format) return row?.format === 'org'
    // A page that was read from a file has no format of its own; its blocks have.
    const page = idOf(row.page) ?? (row.id as number)
    return (await reader.pull('?b', `[?b :block/page ${page}] [?b :block/format :org]`)).length > 0
  }
  return new FileWrites(host, preBlock, firstBlock, isOrg)
}

function dbWrites(host: Host, reader: Reader): Writes {
  const order = [/^:user\.property/, /^:logseq\.property/, /^:plugin\.property/]
  return new DbWrites(host, {
    // Properties of the person come first, then Logseq's, then plugins'.
    property: async (title) => {
      const all = [...(await reader.properties()).values()]
      if (title.startsWith(':')) return all.find((property) => property.ident === title)
      const named = all.filter((property) => property.title.toLowerCase() === title.toLowerCase())
      const rank = ({ ident }: { ident: string }) => order.findIndex((prefix) => prefix.test(ident))
      return named.sort((a, b) => rank(a) - rank(b))[0]
    },
    choices: (ident) => reader.choices(ident),
    page: async (name) => (await reader.findPage(name))?.row.id as number | undefined,
    pageUUID: async (path) => (await reader.findPage(path))?.is.uuid,
    journal: async (day) => (await reader.findDay(day))?.row.id as number | undefined,
    ownProperty: async (uuid) => /^:plugin\.property\.logseq-lectern\/(.+)$/.exec(String((await reader.byUUID([uuid]))[0]?.ident ?? ''))?.[1],
    isHeading: async (uuid) => headingOf((await reader.byUUID([uuid]))[0]) > 0,
  })
}
