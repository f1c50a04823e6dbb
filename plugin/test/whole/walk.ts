import type { Block, Outline } from '../host/outline'
import { type Draw, count, days, fresh, objectSteps, places } from './walk_objects'

// Random steps of an agent and of a person, each with what the graph must be
// afterwards.

export interface Step {
  tool: string
  args: Record<string, unknown>
  /** What the graph is then, or the code of the refusal. A block whose uuid is empty is new. */
  then: Outline | string
  /** What the answer counts. */
  counts?: Record<string, number>
}

/** The same numbers from 0 to 1 for the same seed. */
export function numbers(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

export interface Place {
  block: Block
  siblings: Block[]
  at: number
}

/** Above this number of blocks the walk deletes more than it makes, so that each look at the graph stays short. */
const many = 120

const words = ['frost', 'leek', 'spade', 'Grüße', '水', 'seed 12', 'a **bold** bean', '`code`', 'see [[Books]]', '> quoted', 'two\nlines']

export class Walk {
  private made = 0
  private readonly draw: Draw

  constructor(
    private readonly random: () => number,
    private readonly kind: 'db' | 'og',
  ) {
    this.draw = { pick: (all) => this.pick(all), block: (now) => this.block(now), text: () => this.text(), next: () => ++this.made, spell: (title) => this.spell(title) }
  }

  /** A step from a graph; null where the graph has nothing for it. */
  next(now: Outline): Step | null {
    const then = structuredClone(now)
    if (count(Object.values(now).flat()) > many && this.random() < 0.5) return this.pick([this.prune, this.drop]).call(this, then)
    const kinds = [this.create, this.create, this.insert, this.update, this.mood, this.move, this.move, this.erase, this.task, this.due, this.page, this.append, this.journal, this.rename, this.drop]
    const own: (() => Step | null)[] = this.kind === 'db' ? objectSteps.map((step) => () => step(then, this.draw)) : []
    return this.pick<() => Step | null>([...kinds.map((step) => () => step.call(this, then)), ...own])()
  }

  /** What a person does beside it: a method of Logseq and its arguments. */
  byHand(now: Outline): [method: string, ...args: unknown[]] | null {
    const place = this.block(now)
    if (!place) return null
    const { block } = place
    return this.pick<() => [string, ...unknown[]]>([
      () => ['insert_block', block.uuid, this.text(), { sibling: true }],
      () => ['insert_block', block.uuid, this.text(), { sibling: false }],
      () => ['update_block', block.uuid, this.text()],
      () => ['remove_block', block.uuid],
      () => ['delete_page', this.leaf(now) ?? 'Bed 0'],
    ])()
  }

  private pick<T>(all: T[]): T {
    return all[Math.floor(this.random() * all.length)]!
  }

  private text(): string {
    return `${this.pick(words)} ${++this.made}`
  }

  private title(now: Outline): string {
    return this.pick(Object.keys(now).filter((title) => now[title]!.length > 0 && !/^\w+$|^bin: /.test(title) || title === 'Books'))
  }

  /** A name in one of the two ways that Unicode writes accents. */
  private spell(title: string): string {
    return title.normalize(this.pick(['NFC', 'NFD']))
  }

  private block(now: Outline): Place | undefined {
    const all = Object.entries(now).flatMap(([title, blocks]) => (/^Templates$|^bin: /.test(title) ? [] : places(blocks)))
    return all.length > 0 ? this.pick(all) : undefined
  }

  private create(then: Outline): Step | null {
    const [text, beside] = [this.text(), this.block(then)]
    if (!beside) return null
    return { tool: 'create_block', ...this.put(then, beside, fresh(text), { content: text }) }
  }

  private move(then: Outline): Step | null {
    const [from, to] = [this.block(then), this.block(then)]
    if (!from || !to) return null
    const args = { block_uuid: from.block.uuid }
    if (holds(from.block, to.block)) return { tool: 'move_block', args: { ...args, target_parent_uuid: to.block.uuid, position: 'last' }, then: 'INVALID_INPUT' }
    from.siblings.splice(from.at, 1)
    const step = this.put(then, { ...to, at: to.siblings.indexOf(to.block) }, from.block, args)
    return { tool: 'move_block', ...step, args: rename(step.args, { parent_block_uuid: 'target_parent_uuid', page_name: 'target_page_name' }) }
  }

  /** Puts a block beside or below another, or on a page. */
  private put(then: Outline, { block, siblings, at }: Place, one: Block, args: Record<string, unknown>): Omit<Step, 'tool'> {
    const title = this.title(then)
    return this.pick([
      () => (siblings.splice(at, 0, one), { args: { ...args, sibling_block_uuid: block.uuid, position: 'before' }, then }),
      () => (siblings.splice(at + 1, 0, one), { args: { ...args, sibling_block_uuid: block.uuid, position: 'after' }, then }),
      () => (block.children.unshift(one), { args: { ...args, parent_block_uuid: block.uuid, position: 'first' }, then }),
      () => (block.children.push(one), { args: { ...args, parent_block_uuid: block.uuid }, then }),
      () => (then[title]!.unshift(one), { args: { ...args, page_name: this.spell(title), position: 'first' }, then }),
      () => (then[title]!.push(one), { args: { ...args, page_name: this.spell(title) }, then }),
    ])()
  }

  private insert(then: Outline): Step | null {
    const beside = this.block(then)
    const one = { ...fresh(this.text()), children: [{ ...fresh(this.text()), children: [fresh(this.text())] }, fresh(this.text())] }
    if (!beside) return null
    beside.block.children.push(one)
    const tree = (block: Block): object => ({ content: block.text, children: block.children.map(tree) })
    return { tool: 'insert_blocks', args: { parent_block_uuid: beside.block.uuid, blocks: [tree(one)] }, then, counts: { inserted: 4 } }
  }

  private update(then: Outline): Step | null {
    const found = this.block(then)
    // The text of a task on a file graph has its marker, which a new text takes away.
    if (!found || (this.kind === 'og' && found.block.task)) return null
    const text = (found.block.text = this.text())
    return { tool: 'update_block', args: { block_uuid: found.block.uuid, content: text }, then }
  }

  private mood(then: Outline): Step | null {
    const found = this.block(then)
    if (!found) return null
    const mood = (found.block.mood = this.pick(['fine', 'so so']))
    return { tool: 'update_block', args: { block_uuid: found.block.uuid, properties: { mood } }, then }
  }

  private task(then: Outline): Step | null {
    const found = this.block(then)
    if (!found) return null
    const status = (found.block.task = this.pick(['TODO', 'DOING', 'DONE']))
    return { tool: 'set_task', args: { block_uuid: found.block.uuid, status }, then }
  }

  /** A day alone leaves the state of a task as it is, and makes a task of what is none. */
  private due(then: Outline): Step | null {
    const found = this.block(then)
    if (!found) return null
    const [date] = this.pick([...days])
    const off = found.block.deadline > 0 && this.random() < 0.3
    found.block.deadline = off ? 0 : Number(date.replaceAll('-', ''))
    found.block.task ||= 'TODO'
    return { tool: 'set_task', args: { block_uuid: found.block.uuid, deadline: off ? 'none' : date }, then }
  }

  private prune(then: Outline): Step | null {
    return this.erase(then, true)
  }

  private erase(then: Outline, recursive = this.random() < 0.5): Step | null {
    const found = this.block(then)
    if (!found) return null
    const { block, siblings, at } = found
    const args = { block_uuid: block.uuid, recursive }
    if (!recursive && block.children.length > 0) return { tool: 'delete_block', args, then: 'INVALID_INPUT' }
    siblings.splice(at, 1)
    return { tool: 'delete_block', args, then, counts: { deleted: count([block]) } }
  }

  private page(then: Outline): Step {
    const [text, below] = [this.text().replaceAll('\n', ' '), this.text().replaceAll('\n', ' ')]
    const above = this.pick(['', '', 'Plot 1', 'Plot 2', 'Plot 1/Row 1', 'Plot 2/Row 1'])
    const title = `${above ? `${above}/` : ''}Bed ${++this.made}`
    if (above) then[above.split('/')[0]!] ??= []
    if (above) then[above] ??= []
    then[title] = [{ ...fresh(text), children: [fresh(below)] }]
    const properties = this.random() < 0.5 ? { properties: { mood: 'fine' } } : {}
    return { tool: 'create_page', args: { title, content: `- ${text}\n  - ${below}`, ...properties }, then }
  }

  private append(then: Outline): Step {
    const [title, text] = [this.title(then), this.text().replaceAll('\n', ' ')]
    then[title]!.push(fresh(text))
    return { tool: 'update_page', args: { page_name: this.spell(title), content_append: text }, then }
  }

  private journal(then: Outline): Step {
    const [[date, title], text] = [this.pick([...days]), this.text().replaceAll('\n', ' ')]
    then[title] = [...(then[title] ?? []), fresh(text)]
    return { tool: 'append_to_journal', args: { date, content: text }, then }
  }

  private rename(then: Outline): Step | null {
    const title = this.leaf(then)
    if (!title) return null
    const to = `${title.slice(0, title.lastIndexOf('/') + 1)}Bed ${++this.made}`
    then[to] = then[title]!
    delete then[title]
    return { tool: 'rename_page', args: { page_name: title, new_name: to }, then }
  }

  private drop(then: Outline): Step | null {
    const title = this.leaf(then)
    if (!title) return null
    if (this.kind === 'db') then[`bin: ${title}`] = then[title]!
    delete then[title]
    return { tool: 'delete_page', args: { page_name: title }, then }
  }

  /** A page of ours that is not in the bin; a plot stays, because beds lie below it. */
  private leaf(now: Outline): string | undefined {
    const ours = Object.keys(now).filter((title) => /^(?!bin: ).*(Bed \d+|\/Same)$/.test(title))
    return ours.length > 0 ? this.pick(ours) : undefined
  }
}

const holds = (block: Block, other: Block): boolean => block === other || block.children.some((child) => holds(child, other))
const rename = (args: Record<string, unknown>, names: Record<string, string>) => Object.fromEntries(Object.entries(args).map(([key, value]) => [names[key] ?? key, value]))

/** Gives the new blocks of what was expected the uuids that they have. */
export function adopt(expected: Outline, found: Outline): Outline {
  const given = (all: Block[], real: Block[] = []): Block[] => all.map((one, at) => ({ ...one, uuid: one.uuid || (real[at]?.uuid ?? ''), children: given(one.children, real[at]?.children) }))
  return Object.fromEntries(Object.entries(expected).map(([title, blocks]) => [title, given(blocks, found[title])]))
}
