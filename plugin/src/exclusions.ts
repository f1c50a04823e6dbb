import { idOf } from './adapters/dialect'
import { notFound } from './fault'
import type { Row } from './host'
import type { Block, Page } from './model'
import { type Found, Reader } from './reader'

/** What a person keeps to themselves: pages by name, anything by tag. */
export interface Hidden {
  pages: string[]
  tags: string[]
}

/**
 * Exclusions stand between the Reader and every method. What they hide does
 * not exist for an agent: it is not found, not listed, and no target. A block
 * below a hidden block is hidden too.
 */
export class Exclusions {
  private readonly tags: Set<string>

  constructor(
    private readonly reader: Reader,
    private readonly hidden: Hidden,
  ) {
    this.tags = new Set(hidden.tags)
  }

  get any(): boolean {
    return this.hidden.pages.length > 0 || this.tags.size > 0
  }

  hides(page: Page): boolean {
    if (this.tagged(page.tag_names ?? page.tags) || this.tagged(tagsProperty(page))) return true
    const name = page.name.toLowerCase()
    return this.hidden.pages.some((pattern) =>
      pattern.endsWith('/*')
        ? name === pattern.slice(0, -2) || name.startsWith(pattern.slice(0, -1))
        : name === pattern,
    )
  }

  async page(name: string): Promise<Found<Page>> {
    const found = await this.reader.page(name)
    if (this.hides(found.is)) throw notFound('page', name)
    return found
  }

  async tree(page: Found<Page>): Promise<Block[]> {
    return this.prune(await this.reader.tree(page))
  }

  async block(uuid: string): Promise<{ row: Row; block: Block; page: Found<Page> }> {
    const found = await this.reader.block(uuid)
    if (found.page.is.recycled || this.hides(found.page.is)) throw notFound('block', uuid)
    if (this.tags.size > 0) {
      const seen = uuids(await this.tree(found.page))
      if (!seen.has(found.block.uuid)) throw notFound('block', uuid)
    }
    return found
  }

  /** Down to depth levels of what is below a block that may be seen. */
  async below({ row, block, page }: { row: Row; block: Block; page: Found<Page> }, depth: number): Promise<Block[]> {
    // A tag hides by where a block stands, and all levels are most of a page.
    const near = this.tags.size === 0 && depth > 0 && depth <= 3
    if (near) return this.reader.below(row, page, depth)
    return find(await this.tree(page), block.uuid)?.children ?? []
  }

  /** Those of the blocks that are not hidden, nor on a hidden or recycled page. */
  async only(blocks: Found<Block>[]): Promise<Block[]> {
    const seen = new Map<number, Set<string> | 'all'>()
    for (const page of await this.reader.pagesOf(blocks.map(({ row }) => idOf(row.page) ?? 0))) {
      if (page.is.recycled || this.hides(page.is)) continue
      seen.set(page.row.id, this.tags.size === 0 ? 'all' : uuids(await this.tree(page)))
    }
    return blocks.flatMap(({ row, is }) => {
      const of = seen.get(idOf(row.page) ?? 0)
      return of === 'all' || of?.has(is.uuid) ? [is] : []
    })
  }

  private prune(blocks: Block[]): Block[] {
    if (this.tags.size === 0) return blocks
    return blocks
      .filter((block) => !this.tagged(block.tag_names ?? block.tags) && !this.tagged(tagsProperty(block)))
      .map((block) => ({ ...block, children: this.prune(block.children ?? []) }))
  }

  private tagged(tags: string[]): boolean {
    return this.tags.size > 0 && tags.some((tag) => this.tags.has(tag.toLowerCase()))
  }
}

export function find(blocks: Block[], uuid: string): Block | undefined {
  for (const block of blocks) {
    const found = block.uuid === uuid ? block : find(block.children ?? [], uuid)
    if (found) return found
  }
  return undefined
}

function tagsProperty({ properties }: { properties: Record<string, unknown> }): string[] {
  const tags = properties.tags ?? properties.Tags
  if (Array.isArray(tags)) return tags.map(String)
  return typeof tags === 'string' ? tags.split(',').map((tag) => tag.trim().replace(/^#/, '')) : []
}

function uuids(blocks: Block[], into = new Set<string>()): Set<string> {
  for (const block of blocks) {
    into.add(block.uuid)
    uuids(block.children ?? [], into)
  }
  return into
}
