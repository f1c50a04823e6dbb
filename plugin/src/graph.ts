import { DbWrites, dbDialect } from './adapters/db'
import type { Dialect, Target, Writes } from './adapters/dialect'
import { FileWrites, fileDialect } from './adapters/file'
import { Exclusions, type Hidden, find } from './exclusions'
import { invalid } from './fault'
import type { Host } from './host'
import type { Block, Page, Place } from './model'
import { type Found, Reader } from './reader'
import { States } from './states'

/** The graph that is open now, as the methods see it. */
export class OpenGraph {
  readonly reader: Reader
  readonly seen: Exclusions
  readonly write: Writes
  readonly dialect: Dialect
  readonly states: States

  constructor(
    readonly host: Host,
    private readonly kind: 'file' | 'db',
    private readonly hidden: Hidden,
    readonly bare = false,
  ) {
    this.dialect = kind === 'db' ? dbDialect : fileDialect
    this.reader = new Reader(host, this.dialect, bare)
    this.states = new States(this.reader)
    this.seen = new Exclusions(this.reader, hidden)
    this.write = kind === 'db' ? dbWrites(host, this.reader) : fileWrites(host, this.reader)
  }

  /** The same graph for one request whose far end names references by itself. */
  unnamed(): OpenGraph {
    return new OpenGraph(this.host, this.kind, this.hidden, true)
  }

  /** The page or block that something is put beside or below. */
  async target(nameOrUUID: string, place: Place): Promise<Target> {
    const page = await this.seen.page(nameOrUUID).catch(() => undefined)
    if (page) {
      if (place === 'before' || place === 'after') {
        throw invalid('place', `"${place}" needs a block as target, and this is a page`)
      }
      return { uuid: page.is.uuid, page: page.is, children: uuids(await this.reader.tree(page)) }
    }
    const found = await this.seen.block(nameOrUUID)
    if (place === 'before' || place === 'after') return { uuid: found.block.uuid, children: [] }
    const block = find(await this.reader.tree(found.page), found.block.uuid)
    return { uuid: found.block.uuid, children: uuids(block?.children ?? []) }
  }

  /** The same without exclusions, for what a person takes back. */
  async anyTarget(nameOrUUID: string, place: 'after' | 'first'): Promise<Target> {
    const page = await this.reader.pageIfThere(nameOrUUID)
    if (page) return { uuid: page.is.uuid, page: page.is, children: uuids(await this.reader.tree(page)) }
    const { block, page: on } = await this.reader.block(nameOrUUID)
    if (place === 'after') return { uuid: block.uuid, children: [] }
    return { uuid: block.uuid, children: uuids(find(await this.reader.tree(on), block.uuid)?.children ?? []) }
  }

  /** A block with its children down to depth: 0 is none of them, -1 all. */
  async block(uuid: string, depth: number): Promise<Block> {
    const found = await this.seen.block(uuid)
    if (depth === 0) return found.block
    return cut([{ ...found.block, children: await this.seen.below(found, depth) }], depth + 1)[0]!
  }

  async tree(page: Found<Page>, depth: number): Promise<Block[]> {
    return depth === 0 ? [] : cut(await this.seen.tree(page), depth)
  }
}

/** Takes off what is below depth levels; a depth under 1 takes off nothing. */
export function cut(blocks: Block[], depth: number): Block[] {
  return blocks.map(({ children, ...block }) => {
    if (depth === 1 || children === undefined) return block
    return { ...block, children: cut(children, depth - 1) }
  })
}

const uuids = (blocks: Block[]) => blocks.map((block) => block.uuid)

function fileWrites(host: Host, reader: Reader): Writes {
  const preBlock = async (page: Page) => {
    const row = await reader.preBlock(await reader.page(page.uuid))
    return row && { uuid: row.uuid as string, raw: (row.content ?? '') as string }
  }
  const firstBlock = async (page: Page) => (await reader.tree(await reader.page(page.uuid)))[0]?.uuid
  return new FileWrites(host, preBlock, firstBlock)
}

function dbWrites(host: Host, reader: Reader): Writes {
  const order = [/^:user\.property/, /^:logseq\.property/, /^:plugin\.property/]
  return new DbWrites(host, {
    // A person's own property comes before one of Logseq's, and that before a plugin's.
    property: async (title) => {
      const all = [...(await reader.properties()).values()]
      if (title.startsWith(':')) return all.find((property) => property.ident === title)
      const named = all.filter((property) => property.title.toLowerCase() === title.toLowerCase())
      const rank = ({ ident }: { ident: string }) => order.findIndex((prefix) => prefix.test(ident))
      return named.sort((a, b) => rank(a) - rank(b))[0]
    },
    choice: async (ident, title) =>
      (await reader.choices(ident)).find((one) => String(one.value ?? one.title).toLowerCase() === title.toLowerCase()),
    choices: async (ident) => (await reader.choices(ident)).map((one) => String(one.value ?? one.title)),
  })
}
