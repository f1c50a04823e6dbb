import type { Host, Row } from '../host'
import type { Draft, Page, Place } from '../model'
import type { Target } from './dialect'

// How "before, after, first, last" is expressed to Logseq. Both kinds of graph
// agree if targets are uuids and no option is left to its default.

/** A block to name, and the options. */
interface Anchor {
  anchor: string
  at: Row
}

const [after, lastChild] = [{ sibling: true, before: false }, { sibling: false }]

export class Insertion {
  constructor(
    private readonly host: Host,
    /** The text of a draft, with what belongs to it. */
    private readonly compose: (draft: Draft) => string | Promise<string>,
    /** The address of an empty page: on file graphs its name. */
    private readonly emptyPageAddress: (page: Page) => string,
    /** Called for each block that was inserted, before the next one is. */
    private readonly inserted: (draft: Draft) => void = () => {},
  ) {}

  /** Whether Logseq says that it did. */
  async one(target: Target, place: Place, draft: Draft): Promise<boolean> {
    const { anchor, at } = await this.anchorFor(target, place)
    return this.insert(anchor, draft, at)
  }

  /**
   * Inserts whole trees, and answers whether Logseq says that it did. Block by block: a batch of a DB graph chooses uuids
   * of its own, and every batch drops the lines of a text that Markdown takes
   * for another block.
   */
  async tree(target: Target, place: Place, drafts: Draft[]): Promise<boolean> {
    const [head, ...tail] = drafts
    if (!head || !(await this.one(target, place, head)) || !(await this.children(head))) return false
    for (let left = head; tail.length > 0; left = tail.shift()!) {
      // What follows a block that is not there would go nowhere, without a word.
      if (!(await this.insert(left.uuid, tail[0]!, after)) || !(await this.children(tail[0]!))) return false
    }
    return true
  }

  private async children(parent: Draft): Promise<boolean> {
    for (const child of parent.children ?? []) {
      if (!(await this.insert(parent.uuid, child, lastChild)) || !(await this.children(child))) return false
    }
    return true
  }

  private async insert(anchor: string, draft: Draft, at: Row): Promise<boolean> {
    if ((await this.host.insertBlock(anchor, await this.compose(draft), { ...at, customUUID: draft.uuid })) === null) return false
    this.inserted(draft)
    return true
  }

  private async anchorFor(target: Target, place: Place): Promise<Anchor> {
    const [first, last] = [target.children[0], target.children.at(-1)]
    if (place === 'after') return { anchor: target.uuid, at: after }
    if (place === 'before') return this.before(target.uuid, target.left, target.parent)
    if (place === 'first' && first) return this.before(first, undefined, target.page ? undefined : target.uuid)
    if (place === 'last' && last) return { anchor: last, at: after }
    return { anchor: target.page ? this.emptyPageAddress(target.page) : target.uuid, at: lastChild }
  }

  private async before(uuid: string, left: string | undefined, parent: string | undefined): Promise<Anchor> {
    if (left) return { anchor: left, at: after }
    await introduce(this.host, parent)
    return { anchor: uuid, at: { sibling: true, before: true } }
  }
}

/**
 * Makes Logseq's window know a block and those below it. "Before" looks for
 * the block above only in what the window was sent, and does nothing where it
 * is not among that.
 */
export async function introduce(host: Host, parent: string | undefined): Promise<void> {
  if (parent) await host.block(parent)
}
