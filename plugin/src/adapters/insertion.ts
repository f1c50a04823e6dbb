import type { Host, Row } from '../host'
import type { Draft, Page, Place } from '../model'
import type { Target } from './dialect'

// How "before, after, first, last" is expressed to Logseq. Both kinds of graph
// agree if targets are uuids and no option is left to its default.

type Item = (draft: Draft) => Row

export class Insertion {
  constructor(
    private readonly host: Host,
    /** Options that go with every batch. */
    private readonly batch: Row,
    /** The address of an empty page: on file graphs its name. */
    private readonly emptyPageAddress: (page: Page) => string,
  ) {}

  async one(target: Target, place: Place, draft: { uuid: string; content: string }): Promise<void> {
    const { anchor, at } = this.anchorFor(target, place)
    await this.host.insertBlock(anchor, draft.content, { ...at, customUUID: draft.uuid })
  }

  /**
   * Inserts whole trees. The first block is inserted alone, the rest relative to
   * it.
   */
  async tree(target: Target, place: Place, drafts: Draft[], item: Item): Promise<void> {
    const [head, ...tail] = drafts
    if (!head) return
    // insert_batch_block knows "after" reliably; every other place starts from one block.
    await this.insertSingle(target, place, head, item)
    const below = head.children ?? []
    if (below.length > 0) await this.insertChildren(head.uuid, below, item)
    if (tail.length > 0) {
      await this.host.insertBatch(head.uuid, items(tail, item), { ...this.batch, sibling: true })
    }
  }

  private async insertSingle(target: Target, place: Place, draft: Draft, item: Item): Promise<void> {
    const { anchor, at } = this.anchorFor(target, place)
    const { content } = item({ ...draft, children: [] }) as { content: string }
    await this.host.insertBlock(anchor, content, { ...at, customUUID: draft.uuid })
  }

  private async insertChildren(parent: string, drafts: Draft[], item: Item): Promise<void> {
    await this.host.insertBatch(parent, items(drafts, item), { ...this.batch, sibling: false })
  }

  /** The block or page to name, and the options. */
  private anchorFor(target: Target, place: Place): { anchor: string; at: Row } {
    const [first, last] = [target.children[0], target.children.at(-1)]
    if (place === 'before') return { anchor: target.uuid, at: { sibling: true, before: true } }
    if (place === 'after') return { anchor: target.uuid, at: { sibling: true, before: false } }
    if (place === 'first' && first) return { anchor: first, at: { sibling: true, before: true } }
    if (place === 'last' && last) return { anchor: last, at: { sibling: true, before: false } }
    return { anchor: target.page ? this.emptyPageAddress(target.page) : target.uuid, at: { sibling: false } }
  }
}

function items(drafts: Draft[], item: Item): Row[] {
  return drafts.map((draft) => ({ ...item(draft), children: items(draft.children ?? [], item) }))
}
