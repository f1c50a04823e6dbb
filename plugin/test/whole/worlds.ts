import type { Window } from '../host/launch'

// Random DB graphs in pairs: what rules show is the same in both, what they
// hide is not. And random questions about them, some of which ask for what is
// hidden in one of the two.

const base = 1_750_000_000_000

/** What a person does, in the order of its time. Hidden are the things that a rule of the pair covers. */
interface Item {
  at: number
  calls: (window: Window) => Promise<unknown>
}

export interface Pair {
  rules: string[]
  /** Of the two graphs. */
  items: [Item[], Item[]]
  /** Titles that rules hide by their name, so that writing to them is refused in both. */
  hiddenTitles: string[]
  /** Titles of pages that are hidden by a tag or a property, in one of the two or in both. */
  markedTitles: string[]
  uuids: string[]
}

const shownTitles = ['Garden', 'Tools', 'home/Notes', 'home/Salaries', 'Ada', 'Bob', 'Zo\u00eb']
const words = ['frost', 'leek', 'spade', 'salary', 'gardener', 'plan']

type Random = () => number

const pick = <T>(random: Random, all: readonly T[]): T => all[Math.floor(random() * all.length)]!
const some = <T>(random: Random, all: readonly T[]): T[] => all.filter(() => random() < 0.6)
const sentence = (random: Random) => `${pick(random, words)} ${pick(random, words)} of [[${pick(random, ['Garden', 'Tools', 'Ada', 'Bob'])}]]`

/** The same uuid for the same number. */
const uuidOf = (group: string, n: number) => `${group}${String(n).padStart(7, '0')}-0000-4000-8000-000000000000`

/** Sets what makes a rule match, or something beside it. */
type Mark = (window: Window, uuid: string) => Promise<unknown>

const tagged = (tag: string): Mark => (window, uuid) => window.person('add_block_tag', uuid, tag)
const owned = (by: string): Mark => async (window, uuid) => {
  const { id } = (await window.person('get_page', by)) as { id: number }
  await window.person('upsert_block_property', uuid, ':user.property/Owner', id, { reset: true })
}
const withText = (property: string, text: string): Mark => (window, uuid) => window.person('upsert_block_property', uuid, `:user.property/${property}`, text, { reset: true })
const asTask: Mark = async (window, uuid) => {
  await window.person('add_block_tag', uuid, ':logseq.class/Task')
  await window.person('upsert_block_property', uuid, ':logseq.property/status', 'Todo', { reset: true })
}
const withFile: Mark = (window, uuid) => window.person('show_file', uuid, 'png')

const rules: [rule: string, mark: Mark | null][] = [
  ['namespace:work', null],
  ['#secret', tagged('secret')],
  ['property:Owner=Ada', owned('Ada')],
  ['property:Visibility=private', withText('Visibility', 'private')],
]
const harmless: Mark[] = [tagged('plant'), owned('Bob'), withText('Visibility', 'public'), asTask, withFile]

export function makePair(random: Random): Pair {
  const chosen = rules.filter(() => random() < 0.7)
  if (chosen.length === 0) chosen.push(rules[1]!)
  const pair: Pair = { rules: chosen.map(([rule]) => rule), items: [[], []], hiddenTitles: [], markedTitles: [], uuids: [] }
  const shown = [...vocabulary(), ...shownTitles.map((title, n) => page(title, uuidOf('a', n), n))]
  const blocks = shownTitles.map((_, n) => uuidOf('a', n))
  for (let n = 0; n < 16; n++) {
    const uuid = uuidOf('b', n)
    shown.push(block(pick(random, blocks), uuid, sentence(random), some(random, harmless).slice(0, 2), 20 + n))
    blocks.push(uuid)
  }
  pair.uuids.push(...blocks)
  if (chosen.some(([, mark]) => !mark)) pair.hiddenTitles.push('work/Salaries', 'work/Plans', 'work/deep/Pay', 'work')
  for (const world of [0, 1] as const) pair.items[world] = [...shown, ...hidden(random, pair, chosen, blocks, world)].sort((a, b) => a.at - b.at)
  return pair
}

/** What only one of the two graphs has: up to a dozen pages and blocks, or nothing. */
function hidden(random: Random, pair: Pair, chosen: typeof rules, shown: string[], world: 0 | 1): Item[] {
  const items: Item[] = []
  const group = world === 0 ? 'c' : 'd'
  const many = world === 1 && random() < 0.3 ? 0 : 3 + Math.floor(random() * 9)
  for (let n = 0; n < many; n++) {
    const [[, mark], uuid, at] = [pick(random, chosen), uuidOf(group, n), 40 + Math.floor(random() * 10) + n / 100]
    pair.uuids.push(uuid)
    const below = uuidOf(`${group}e`.slice(0, 1), n + 1000)
    if (!mark) {
      items.push(page(pick(random, ['work/Salaries', 'work/Plans', 'work/deep/Pay']), uuid, at), blockOf(uuid, below, random, at))
    } else if (random() < 0.4) {
      const title = `${pick(random, ['Old', 'New', 'Other'])} plans ${group}${n}`
      pair.markedTitles.push(title)
      items.push(page(title, uuid, at, [mark]), blockOf(uuid, below, random, at))
    } else {
      items.push(block(pick(random, shown), uuid, `${sentence(random)}, not for all`, [mark, ...some(random, harmless.slice(3))], at), blockOf(uuid, below, random, at))
    }
    pair.uuids.push(below)
  }
  return items
}

const blockOf = (on: string, uuid: string, random: Random, at: number) => block(on, uuid, `below ${sentence(random)}`, some(random, [asTask, tagged('plant'), withFile]), at + 0.001)

function vocabulary(): Item[] {
  const calls: Item['calls'] = async (window) => {
    for (const tag of ['secret', 'plant']) await window.person('create_tag', tag, {})
    await window.person('create_property', 'Owner', { type: 'node' })
    await window.person('create_property', 'Visibility', { type: 'default' })
    await window.person('create_property', 'Count', { type: 'number' })
  }
  return [{ at: -1, calls }]
}

function page(title: string, uuid: string, at: number, marks: Mark[] = []): Item {
  const calls: Item['calls'] = async (window) => {
    await window.person('create_page', title, {}, { redirect: false, createFirstBlock: false, customUUID: uuid })
    for (const mark of marks) await mark(window, uuid)
  }
  return { at, calls }
}

function block(on: string, uuid: string, text: string, marks: Mark[], at: number): Item {
  const calls: Item['calls'] = async (window) => {
    await window.person('insert_block', on, text, { sibling: false, customUUID: uuid })
    for (const mark of marks) await mark(window, uuid)
  }
  return { at, calls }
}

export async function build(window: Window, items: Item[]): Promise<void> {
  for (const item of items) {
    await window.host('setClock', base + item.at * 1_000_000)
    await item.calls(window)
  }
  await window.person('restart')
  await window.host('setClock', base + 1_000_000_000)
}

/** Arguments of a call, of every tool that is offered. */
export function question(tool: string, random: Random, pair: Pair): Record<string, unknown> {
  const ask = questions[tool]
  if (!ask) throw new Error(`no question for ${tool}: write one in worlds.ts`)
  return ask(new Asker(random, pair))
}

/** Draws what questions are about. */
class Asker {
  constructor(
    readonly random: Random,
    private readonly pair: Pair,
  ) {}

  pick = <T>(all: readonly T[]): T => pick(this.random, all)
  word = () => this.pick([...words, 'not for all', 'below'])
  uuid = () => this.pick(this.pair.uuids)
  /** A page to read: any. */
  title = () => this.pick([...shownTitles, ...this.pair.hiddenTitles, ...this.pair.markedTitles, 'Salaries', 'Plans', 'Nowhere', ...this.pair.uuids.slice(0, 3)])
  /**
   * A page to write to. A title that is hidden by a tag or property in one graph is free in the other: a write that
   * would make a page of that name must be refused in one of them, as the guide says.
   */
  goal = () => this.pick([...shownTitles, ...this.pair.hiddenTitles, 'Salaries'])
  fresh = () => this.pick(['Fresh page', 'home/Fresh', 'Zo\u00eb two', ...this.pair.hiddenTitles, ...shownTitles])
  text = () => this.pick([sentence(this.random), 'plain', '## Head', 'TODO dig', 'a line\nand another', 'about #plant', 'see [[home/Notes]]'])
  tag = () => this.pick(['secret', 'plant', 'nothing', 'Task'])
  dry = () => (this.random() < 0.3 ? { dry_run: true } : {})
  properties = () => this.pick([{ Visibility: 'public' }, { Owner: 'Bob' }, { Count: 3 }, { Count: 'three' }, { mood: 'fine' }, { Visibility: null }])
}

const questions: Record<string, (a: Asker) => Record<string, unknown>> = {
  ping: () => ({}),
  get_capabilities: () => ({}),
  list_pages: (a) => ({ limit: a.pick([3, 50]), offset: a.pick([0, 2]) }),
  get_page_content: (a) => ({ page_name: a.title(), format: a.pick(['text', 'json']) }),
  search: (a) => ({ query: a.pick([a.word(), `${a.word()} ${a.word()}`]), limit: a.pick([3, 30]) }),
  get_block: (a) => ({ block_uuid: a.uuid(), include_children: true }),
  get_backlinks: (a) => ({ page_name: a.title() }),
  find: (a) => a.pick([{ text: a.word() }, { tag: a.tag() }, { task: [] }, { namespace: a.pick(['work', 'home']) }, { properties: { Owner: a.pick(['Ada', 'Bob', '*']) } }, { properties: { Visibility: a.pick(['private', 'public', '*']) } }]),
  list_tasks: () => ({ limit: 50 }),
  get_tags: () => ({}),
  list_properties: () => ({}),
  list_templates: () => ({}),
  list_assets: (a) => a.pick([{}, { limit: 2, offset: 1 }]),
  read_asset: (a) => ({ path: `assets/${a.uuid()}.png` }),
  get_journal: (a) => ({ date: a.pick(['2026-11-20', '2026-11-25']) }),
  datascript_query: (a) => ({ query: a.pick(['[:find ?t :where [?b :block/title ?t]]', '[:find (count ?b) . :where [?b :block/page _]]', '[:find (pull ?b [*]) :where [?b :block/name "work"]]']) }),
  logseq_query: (a) => ({ query: a.pick(['(task todo)', '[[secret]]', '(property Owner)']) }),
  get_focus: () => ({}),
  list_requests: () => ({}),
  answer_request: (a) => ({ request_id: a.uuid(), content: 'read' }),
  open_page: (a) => ({ page_name: a.title() }),
  list_changes: () => ({}),
  undo_change: (a) => ({ id: a.pick(['last', 'c1', '1']) }),
  create_page: (a) => ({ title: a.fresh(), content: a.text(), ...a.dry() }),
  update_page: (a) => ({ page_name: a.goal(), content_append: a.text(), ...a.dry() }),
  rename_page: (a) => ({ page_name: a.goal(), new_name: a.fresh(), ...a.dry() }),
  delete_page: (a) => ({ page_name: a.goal(), force: a.pick([true, false]), ...a.dry() }),
  replace_page_content: (a) => ({ page_name: a.goal(), content: a.text(), ...a.dry() }),
  create_block: (a) => ({ ...a.pick([{ page_name: a.goal() }, { parent_block_uuid: a.uuid() }, { sibling_block_uuid: a.uuid(), position: 'after' }]), content: a.text(), ...a.dry() }),
  update_block: (a) => ({ block_uuid: a.uuid(), ...a.pick([{ content: a.text() }, { properties: a.properties() }]), ...a.dry() }),
  move_block: (a) => ({ block_uuid: a.uuid(), target_parent_uuid: a.uuid(), position: a.pick(['first', 'last']), ...a.dry() }),
  delete_block: (a) => ({ block_uuid: a.uuid(), recursive: a.pick([true, false]), ...a.dry() }),
  insert_blocks: (a) => ({ ...a.pick([{ page_name: a.goal() }, { parent_block_uuid: a.uuid() }]), markdown: `- ${a.word()}\n  - ${a.word()}`, ...a.dry() }),
  append_to_journal: (a) => ({ date: '2026-11-25', content: a.word(), ...a.dry() }),
  create_property: (a) => ({ name: a.pick(['Owner', 'Weight', 'Age']), type: 'number', ...a.dry() }),
  create_tag: (a) => ({ name: a.pick(['secret', 'plant', 'tree']), ...a.dry() }),
  set_tags: (a) => ({ ...a.pick([{ page_name: a.goal() }, { block_uuid: a.uuid() }]), [a.pick(['add', 'remove'])]: ['plant'], ...a.dry() }),
  set_task: (a) => ({ block_uuid: a.uuid(), ...a.pick([{ status: 'DONE' }, { priority: 'A' }, { deadline: '2026-12-01' }]), ...a.dry() }),
  batch: (a) => ({ items: [{ tool: 'create_block', arguments: { page_name: a.goal(), content: a.text() } }, { tool: 'get_block', arguments: { block_uuid: a.uuid() } }, { tool: 'update_block', arguments: { block_uuid: a.uuid(), content: a.text() } }] }),
}
