import { linkedFiles } from './assetfiles'
import { string } from '../edn'
import { Fault, invalid } from '../fault'
import type { Host, Row } from '../host'
import { journalName } from '../journalname'
import type { Draft, Page, Place, Values } from '../model'
import { Insertion } from './insertion'
import { type Dialect, type NameLookup, type Target, type Writes, flatten, idOf, idsOf, spellings } from './dialect'
import { join, split, splitDrawer } from './propertylines'

// File graphs: Logseq 0.10.x and Logseq OG. A block is text, and its
// properties, marker and dates are lines of that text.

export const fileDialect: Dialect = {
  kind: 'file',
  ownPages: '[?p :block/original-name]',
  pageNamed: (name) => `[(ground [${spellings(name).map(string).join(' ')}]) [?name ...]] [?p :block/name ?name]`,
  above: () => undefined,
  text: ':block/content',
  tasks: '[?b :block/marker]',
  referencedIDs: (row) => [...idsOf(row.refs), ...idsOf(row.tags)],
  page: (row, names) => ({
    uuid: row.uuid,
    name: row['original-name'] ?? row.name,
    kind: row['journal?'] || row['journal-day'] ? 'journal' : 'page',
    ...(row['journal-day'] ? { journal_day: row['journal-day'] } : {}),
    properties: row.properties ?? {},
    tags: tagNames(row, names),
    created_at: row['created-at'],
    updated_at: row['updated-at'],
    recycled: false,
  }),
  block: (row, names) => ({
    uuid: row.uuid,
    content: resolve(partsOf(row).body, row, names),
    raw: row.content ?? '',
    properties: visible(row.properties ?? {}),
    tags: [...new Set([...tagNames(row, names), ...hashtags(row.content ?? '')])],
    ...(row.marker ? { marker: row.marker } : {}),
    ...(row.priority ? { priority: row.priority } : {}),
    ...(row.scheduled ? { scheduled: row.scheduled } : {}),
    ...(row.deadline ? { deadline: row.deadline } : {}),
    ...linkedFiles(row.content ?? ''),
  }),
  sort: (rows, parent) => chain(rows, parent),
  // The first block of a page that holds its properties is not a block to a reader.
  isVisible: (row) => !row['pre-block?'],
}

/**
 * Siblings are a linked list: each names the one to its left, the first its
 * parent. A broken list still shows every block: what is not linked to the
 * parent comes last, and what is linked to each other stays together.
 */
function chain(rows: Row[], parent: number): Row[] {
  const right = new Map(rows.map((row) => [idOf(row.left), row]))
  const sorted = new Set<Row>()
  const follow = (first: Row | undefined) => {
    for (let row = first; row && !sorted.has(row); row = right.get(row.id)) sorted.add(row)
  }
  follow(right.get(parent))
  if (sorted.size < rows.length) {
    const ids = new Set(rows.map((row) => row.id as number))
    for (const row of rows) if (!ids.has(idOf(row.left) ?? parent)) follow(row)
    rows.forEach(follow) // a list that bites its own tail
  }
  return [...sorted]
}

const partsOf = (row: Row) => (row.format === 'org' ? splitDrawer : split)(row.content ?? '')

function tagNames(row: Row, names: NameLookup): string[] {
  return idsOf(row.tags).map((id) => names.of(id)?.title ?? '').filter(Boolean)
}

function hashtags(text: string): string[] {
  return [...text.matchAll(/(?:^|\s)#(?:\[\[([^\]]+)\]\]|([^\s#,.;!?()[\]"]+))/g)].map((m) => (m[1] ?? m[2])!)
}

/** Block references show the text of the block they point to. */
function resolve(text: string, row: Row, names: NameLookup): string {
  if (names.rawReferences) return text
  return text.replace(/\(\(([0-9a-f-]{36})\)\)/g, (whole, uuid: string) => {
    for (const id of idsOf(row.refs)) {
      const named = names.of(id)
      if (named?.uuid === uuid) return split(named.title).body
    }
    return whole
  })
}

function visible(properties: Values): Values {
  const { id: _id, ...rest } = properties
  return rest
}

export class FileWrites implements Writes {
  private readonly at: Insertion
  /** Without the lines of properties, which an Org file has in drawers that Logseq writes. */
  private readonly orgAt: Insertion
  private readonly removals: Promise<unknown>[] = []

  constructor(
    private readonly host: Host,
    /** The block of a page that holds the page's properties. */
    private readonly preBlock: (page: Page) => Promise<{ uuid: string; raw: string } | undefined>,
    private readonly firstBlock: (page: Page) => Promise<string | undefined>,
    /** Whether a page or block, or the blocks of its page, are of an Org file. */
    private readonly isOrg: (uuid: string) => Promise<boolean>,
  ) {
    const inserted = (draft: Draft) => this.removeID(draft)
    this.at = new Insertion(host, ({ content, properties }) => this.compose(content, properties), (page) => page.name, inserted)
    this.orgAt = new Insertion(host, ({ content }) => content, (page) => page.name, inserted)
  }

  async createPage(title: string, firstBlock: boolean): Promise<void> {
    await this.host.createPage(title, { firstBlock })
  }

  async createJournal(day: number, firstBlock: boolean): Promise<void> {
    const format = (await this.host.userConfig())?.preferredDateFormat
    await this.host.createPage(journalName(day, format ?? 'MMM do, yyyy'), { firstBlock, journal: true })
  }

  async renamePage(page: Page, name: string): Promise<void> {
    await this.host.renamePage(page.name, name)
  }

  async deletePage(page: Page): Promise<void> {
    await this.host.deletePage(page.name)
  }

  async setPageProperties(page: Page, properties: Values): Promise<void> {
    if (Object.keys(properties).length > 0 && (await this.isOrg(page.uuid))) {
      throw new Fault('CAPABILITY_MISSING', 'Logseq offers plugins no way to set the properties of a page that is an Org file', { capability: 'pages.update' })
    }
    const lines = written(properties)
    const before = await this.preBlock(page)
    const text = join({ ...split(before?.raw ?? ''), ...merged(before?.raw ?? '', lines) })
    if (before && text.trim() === '') return void (await this.host.removeBlock(before.uuid))
    if (before) return this.put(before.uuid, text)
    if (text !== '') await this.putFirst(page, text)
  }

  async putFirst(page: Page, text: string): Promise<void> {
    const first = await this.firstBlock(page)
    // A block becomes the page's properties when it is saved as its first, not when it is inserted.
    const made = first
      ? await this.host.insertBlock(first, '', { sibling: true, before: true })
      : await this.host.insertBlock(page.name, '', { sibling: false })
    if (made?.uuid) await this.put(made.uuid, text)
  }

  insert: Writes['insert'] = (target, place, draft) => this.insertAll(target, place, [draft])

  insertTree: Writes['insertTree'] = (target, place, drafts) => this.insertAll(target, place, drafts)

  private async insertAll(target: Target, place: Place, drafts: Draft[]): Promise<void> {
    const org = await this.isOrg(target.uuid)
    const done = await (org ? this.orgAt : this.at).tree(target, place, drafts)
    await Promise.all(this.removals.splice(0))
    if (org && done) for (const { uuid, properties } of flatten(drafts)) await this.setProperties(uuid, properties ?? {})
  }

  /**
   * Takes off the id that Logseq writes into the file with a uuid that was
   * chosen for it. The block keeps the uuid while Logseq has the graph open. It
   * is not waited for: Logseq does one thing after another.
   */
  private removeID({ uuid, content }: Draft): void {
    if (hasID(content, uuid)) return // as it was before it was deleted
    this.removals.push(this.host.removeProperty(uuid, 'id').catch(() => undefined)) // an id that stays does no harm
  }

  keepIDs: Writes['keepIDs'] = async (uuids) => {
    for (const uuid of uuids) await this.host.setProperty(uuid, 'id', uuid)
  }

  /** The text is replaced; the properties below it stay. */
  setContent: Writes['setContent'] = async (block, content) => {
    if (!(await this.isOrg(block.uuid))) return this.put(block.uuid, join({ body: content, lines: split(block.raw).lines }))
    await this.put(block.uuid, splitDrawer(content).body)
    // Of a drawer Logseq puts back the id, and nothing else.
    for (const [key, value] of splitDrawer(block.raw).lines) if (key !== 'id') await this.host.setProperty(block.uuid, key, value)
  }

  async setProperties(uuid: string, properties: Values): Promise<void> {
    for (const [key, value] of Object.entries(properties)) {
      if (value === null) await this.host.removeProperty(uuid, propertyKey(key))
      else await this.host.setProperty(uuid, propertyKey(key), value)
    }
  }

  async check(): Promise<void> {} // any text will do

  setTask: Writes['setTask'] = async (block, task) => {
    if (await this.isOrg(block.uuid)) return this.setContent(block, retask(splitDrawer(block.raw).body, task))
    const { lines, body } = split(block.raw)
    await this.put(block.uuid, join({ lines, body: retask(body, task) }))
  }

  private async put(uuid: string, content: string): Promise<void> {
    await this.host.updateBlock(uuid, content)
  }

  private compose(content: string, properties: Values = {}): string {
    const lines = [...written(properties)].filter((line) => line[1] !== null) as [string, string][]
    return lines.length === 0 ? content : join({ body: content, lines })
  }
}

/** Whether a text has the line by which a block keeps its uuid in a file. */
export const hasID = (text: string, uuid: string) => new RegExp(`^\\s*(?:id::|:id:)\\s+${uuid}\\s*$`, 'im').test(text)

const markers = ['TODO', 'DOING', 'NOW', 'LATER', 'WAITING', 'WAIT', 'IN-PROGRESS', 'DONE', 'CANCELED', 'CANCELLED', 'STARTED']
const leading = new RegExp(`^(?:(?:${markers.join('|')})\\s+)?(?:\\[#([A-C])\\]\\s+)?`)
const words: Record<string, string> = { 'IN REVIEW': 'WAITING', BACKLOG: 'LATER' }

function retask(body: string, task: { status: string; priority?: string | null; scheduled?: string | null; deadline?: string | null }): string {
  const status = words[task.status.toUpperCase()] ?? task.status.toUpperCase()
  if (status && !markers.includes(status)) {
    throw invalid('status', `one of ${markers.join(', ')}, got "${task.status}"`)
  }
  const [head, present] = leading.exec(body)!
  const priority = task.priority === undefined ? present : letter(task.priority)
  let text = [status, priority ? `[#${priority}]` : '', body.slice(head.length)].filter(Boolean).join(' ')
  for (const key of ['scheduled', 'deadline'] as const) text = redate(text, key.toUpperCase(), task[key])
  return text
}

function letter(priority: string | null): string {
  if (!priority) return ''
  const known: Record<string, string> = { A: 'A', B: 'B', C: 'C', URGENT: 'A', HIGH: 'A', MEDIUM: 'B', LOW: 'C' }
  const found = known[priority.toUpperCase()]
  if (!found) throw invalid('priority', `A, B or C, got "${priority}"`)
  return found
}

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']

function redate(text: string, key: string, day: string | null | undefined): string {
  if (day === undefined) return text
  const rest = text.replace(new RegExp(`\\n?${key}: <[^>\\n]*>`), '')
  if (day === null) return rest
  const date = new Date(`${day}T00:00:00Z`)
  if (Number.isNaN(date.getTime())) throw invalid(key.toLowerCase(), `a day as 2026-11-21, got "${day}"`)
  return `${rest}\n${key}: <${day} ${weekdays[date.getUTCDay()]}>`
}

/** Keys as Logseq will spell them: lower case, no spaces, "_" as "-". */
const propertyKey = (key: string) => key.trim().toLowerCase().replace(/[\s_]+/g, '-')

function written(properties: Values): Map<string, string | null> {
  return new Map(Object.entries(properties).map(([key, value]) => [propertyKey(key), value === null ? null : line(value)]))
}

function line(value: unknown): string {
  if (Array.isArray(value)) return value.map(line).join(', ')
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  if (text.includes('\n')) throw invalid('properties', 'a value on a file graph is one line')
  return text
}

function merged(raw: string, changes: Map<string, string | null>): { lines: [string, string][] } {
  const all = new Map<string, string | null>([...split(raw).lines, ...changes])
  return { lines: [...all].filter((entry): entry is [string, string] => entry[1] !== null) }
}
