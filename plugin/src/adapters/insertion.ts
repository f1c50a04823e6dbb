import type { Host, Row } from '../host'
import type { Draft, Page, Place } from '../model'
import type { Target } from './dialect'

// How "before, after, first, last" is said to Logseq. Both personalities agree,
// as long as targets are uuids and nothing is left to their defaults.

type Item = (draft: Draft) => Row

export class Insertion {
  constructor(
    private readonly host: Host,
    /** Options that go with every batch. */
    private readonly batch: Row,
    /** What an empty page is addressed by: file graphs take its name, and append. */
    private readonly empty: (page: Page) => string,
  ) {}

  async one(target: Target, place: Place, draft: { uuid: string; content: string }): Promise<void> {
    const { anchor, at } = this.where(target, place)
    await this.host.insertBlock(anchor, draft.content, { ...at, customUUID: draft.uuid })
  }

  /**
   * Inserts whole trees in one call. Where there is no block to anchor them
   * to, the first one goes in alone and the rest follow it.
   */
  async tree(target: Target, place: Place, drafts: Draft[], item: Item): Promise<void> {
    const [head, ...tail] = drafts
    if (!head) return
    // insert_batch_block knows "after" reliably; every other place starts from one block.
    await this.alone(target, place, head, item)
    const below = head.children ?? []
    if (below.length > 0) await this.under(head.uuid, below, item)
    if (tail.length > 0) {
      await this.host.insertBatch(head.uuid, items(tail, item), { ...this.batch, sibling: true })
    }
  }

  private async alone(target: Target, place: Place, draft: Draft, item: Item): Promise<void> {
    const { anchor, at } = this.where(target, place)
    const { content } = item({ ...draft, children: [] }) as { content: string }
    await this.host.insertBlock(anchor, content, { ...at, customUUID: draft.uuid })
  }

  private async under(parent: string, drafts: Draft[], item: Item): Promise<void> {
    await this.host.insertBatch(parent, items(drafts, item), { ...this.batch, sibling: false })
  }

  /** What to name, and the flags beside it. */
  private where(target: Target, place: Place): { anchor: string; at: Row } {
    const [first, last] = [target.children[0], target.children.at(-1)]
    if (place === 'before') return { anchor: target.uuid, at: { sibling: true, before: true } }
    if (place === 'after') return { anchor: target.uuid, at: { sibling: true, before: false } }
    if (place === 'first' && first) return { anchor: first, at: { sibling: true, before: true } }
    if (place === 'last' && last) return { anchor: last, at: { sibling: true, before: false } }
    return { anchor: target.page ? this.empty(target.page) : target.uuid, at: { sibling: false } }
  }
}

function items(drafts: Draft[], item: Item): Row[] {
  return drafts.map((draft) => ({ ...item(draft), children: items(draft.children ?? [], item) }))
}
