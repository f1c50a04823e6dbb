import { idOf } from './adapters/dialect'
import { notFound } from './fault'
import type { Row } from './host'
import type { Block, Page } from './model'
import { type Found, Reader, choosePage } from './reader'

/** What the person hides: pages by name, pages and blocks by tag. */
export interface Hidden {
  pages: string[]
  tags: string[]
}

/**
 * Exclusions filter what the Reader returns to the methods. What they hide does
 * not exist for an agent: it is not found, not listed, and cannot be a target. A
 * block below a hidden block is hidden too.
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
    if (this.hasHiddenTag(page.tag_names ?? page.tags) || this.hasHiddenTag(tagsProperty(page))) return true
    const name = page.name.toLowerCase()
    return this.hidden.pages.some((pattern) =>
      pattern.endsWith('/*')
        ? name === pattern.slice(0, -2) || name.startsWith(pattern.slice(0, -1))
        : name === pattern,
    )
  }

  /** The visible page of a name, besides those that Lectern hides. */
  async page(name: string, besides: string[] = []): Promise<Found<Page>> {
    return choosePage(name, (await this.reader.pagesNamed(name)).filter(({ is }) => !this.hides(is) && !besides.includes(is.uuid)))
  }

  async tree(page: Found<Page>): Promise<Block[]> {
    return this.prune(await this.reader.tree(page))
  }

  async block(uuid: string): Promise<{ row: Row; block: Block; page: Found<Page> }> {
    const found = await this.reader.block(uuid)
    if (found.page.is.recycled || this.hides(found.page.is)) throw notFound('block', uuid)
    if (this.tags.size > 0) {
      const seen = collectUUIDs(await this.tree(found.page))
      if (!seen.has(found.block.uuid)) throw notFound('block', uuid)
    }
    return found
  }

  /** Up to depth levels of the blocks below a visible block. */
  async descendants({ row, block, page }: { row: Row; block: Block; page: Found<Page> }, depth: number): Promise<Block[]> {
    // Whether a tag hides a block depends on its parents; many levels are most of a page anyway.
    const near = this.tags.size === 0 && depth > 0 && depth <= 3
    if (near) return this.reader.descendants(row, page, depth)
    return findBlock(await this.tree(page), block.uuid)?.children ?? []
  }

  /** The blocks that are not hidden and not on a hidden or recycled page. */
  async visibleBlocks(blocks: Found<Block>[]): Promise<Block[]> {
    const seen = new Map<number, Set<string> | 'all'>()
    for (const page of await this.reader.pagesOf(blocks.map(({ row }) => idOf(row.page) ?? 0))) {
      if (page.is.recycled || this.hides(page.is)) continue
      seen.set(page.row.id, this.tags.size === 0 ? 'all' : collectUUIDs(await this.tree(page)))
    }
    return blocks.flatMap(({ row, is }) => {
      const of = seen.get(idOf(row.page) ?? 0)
      return of === 'all' || of?.has(is.uuid) ? [is] : []
    })
  }

  private prune(blocks: Block[]): Block[] {
    if (this.tags.size === 0) return blocks
    return blocks
      .filter((block) => !this.hasHiddenTag(block.tag_names ?? block.tags) && !this.hasHiddenTag(tagsProperty(block)))
      .map((block) => ({ ...block, children: this.prune(block.children ?? []) }))
  }

  private hasHiddenTag(tags: string[]): boolean {
    return this.tags.size > 0 && tags.some((tag) => this.tags.has(tag.toLowerCase()))
  }
}

export function findBlock(blocks: Block[], uuid: string): Block | undefined {
  for (const block of blocks) {
    const found = block.uuid === uuid ? block : findBlock(block.children ?? [], uuid)
    if (found) return found
  }
  return undefined
}

function tagsProperty({ properties }: { properties: Record<string, unknown> }): string[] {
  const tags = properties.tags ?? properties.Tags
  if (Array.isArray(tags)) return tags.map(String)
  return typeof tags === 'string' ? tags.split(',').map((tag) => tag.trim().replace(/^#/, '')) : []
}

function collectUUIDs(blocks: Block[], into = new Set<string>()): Set<string> {
  for (const block of blocks) {
    into.add(block.uuid)
    collectUUIDs(block.children ?? [], into)
  }
  return into
}
