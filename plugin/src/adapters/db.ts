import { string } from '../edn'
import { invalid } from '../fault'
import type { Host, Row } from '../host'
import type { Block, Page, Values } from '../model'
import { type Dialect, type NamedEntity, type NameLookup, type Property, type Task, type Writes, idOf, idsOf } from './dialect'
import { Insertion } from './insertion'

// DB graphs: Logseq 2.x. Everything is an entity; a property is an attribute
// of its own, and its values are often entities as well.

const taskClass = '[?b :block/tags ?class] [?class :db/ident :logseq.class/Task]'

export const dbDialect: Dialect = {
  kind: 'db',
  ownPages:
    '[?p :block/tags ?class] (or [?class :db/ident :logseq.class/Page] [?class :db/ident :logseq.class/Journal]) ' +
    '(not [?p :logseq.property/built-in? true]) (not [?p :logseq.property/deleted-at _])',
  pageNamed: (name) => `[?p :block/name ${string(name.trim().toLowerCase())}]`,
  text: ':block/title',
  tasks: taskClass,
  referencedIDs: (row) => [
    ...idsOf(row.refs),
    ...idsOf(row.tags),
    ...Object.entries(row).flatMap(([key, value]) => (key.startsWith(':') ? valueIDs(value) : [])),
  ],
  page: (row, names) => ({
    uuid: row.uuid,
    name: resolve(row.title ?? row.name, row, names),
    kind: kindOf(row, names),
    ...(row['journal-day'] ? { journal_day: row['journal-day'] } : {}),
    properties: properties(row, names),
    ...tagsOf(row, names),
    created_at: row['created-at'],
    updated_at: row['updated-at'],
    recycled: ':logseq.property/deleted-at' in row,
  }),
  block: (row, names) => ({
    uuid: row.uuid,
    content: resolve(row.title ?? '', row, names),
    raw: row.title ?? '',
    properties: properties(row, names),
    ...tagsOf(row, names),
    ...task(row, names),
  }),
  sort: (rows) => [...rows].sort((a, b) => (a.order < b.order ? -1 : a.order > b.order ? 1 : 0)),
  // Values of text properties are blocks of the page too, and so are recycled blocks.
  isVisible: (row) =>
    !(':logseq.property/created-from-property' in row) && !(':logseq.property/deleted-at' in row),
}

function kindOf(row: Row, names: NameLookup): Page['kind'] {
  const classes = new Set(idsOf(row.tags).map((id) => names.of(id)?.ident))
  if (classes.has(':logseq.class/Journal') || row['journal-day']) return 'journal'
  if (classes.has(':logseq.class/Tag')) return 'tag'
  if (classes.has(':logseq.class/Property')) return 'property'
  return 'page'
}

/** Classes of Logseq's own, which are not tags of the person. */
const builtInClasses = new Set([':logseq.class/Page', ':logseq.class/Journal', ':logseq.class/Tag', ':logseq.class/Property'])

function tagsOf(row: Row, names: NameLookup): { tags: string[]; tag_names?: string[] } {
  const spelled = (of: (id: number) => NamedEntity | undefined) =>
    idsOf(row.tags).flatMap((id) => {
      const named = of(id)
      return named && !builtInClasses.has(named.ident ?? '') ? [named.title] : []
    })
  return { tags: spelled(names.tag), ...(names.rawReferences ? { tag_names: spelled(names.of) } : {}) }
}

/** Raw titles name other pages and tags by uuid. */
function resolve(title: string, row: Row, names: NameLookup): string {
  if (names.rawReferences) return title
  const known = new Map<string, string>()
  for (const id of [...idsOf(row.refs), ...idsOf(row.tags)]) {
    const named = names.of(id)
    if (named?.uuid) known.set(named.uuid, named.title)
  }
  return title.replace(/\[\[([0-9a-f-]{36})\]\]/g, (whole, uuid: string) => {
    const name = known.get(uuid)
    return name === undefined ? whole : `[[${name}]]`
  })
}

/** Properties that are shown; the others are Logseq's own. */
const shownProperties = /^:(user|plugin)\.property|^:logseq\.property\/(status|priority|deadline|scheduled|description|url|icon)$/

function properties(row: Row, names: NameLookup): Values {
  const found: Values = {}
  for (const [key, value] of Object.entries(row)) {
    if (!shownProperties.test(key)) continue
    const property = names.property(key)
    found[property?.title ?? key] = propertyValue(value, names, property)
  }
  return found
}

function propertyValue(value: unknown, names: NameLookup, property: Property | undefined): unknown {
  if (Array.isArray(value)) return value.map((one) => propertyValue(one, names, property))
  const id = idOf(value)
  if (typeof value === 'object' && id !== undefined) {
    const named = names.tag(id)
    return named?.value ?? named?.title ?? null
  }
  if (property?.type === 'json' && typeof value === 'string') return parseJSON(value)
  return value
}

function parseJSON(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return json // a person may have typed anything
  }
}

function valueIDs(value: unknown): number[] {
  if (Array.isArray(value)) return idsOf(value.filter((one) => typeof one === 'object'))
  const id = typeof value === 'object' ? idOf(value) : undefined
  return id === undefined ? [] : [id]
}

function task(row: Row, names: NameLookup): Partial<Block> {
  const name = (key: string) => {
    const id = idOf(row[`:logseq.property/${key}`])
    return id === undefined ? undefined : names.of(id)?.title
  }
  const found: Partial<Block> = {}
  const marker = name('status')
  const priority = name('priority')
  if (marker) found.marker = marker
  if (priority) found.priority = priority
  for (const key of ['scheduled', 'deadline'] as const) {
    const at: unknown = row[`:logseq.property/${key}`]
    if (typeof at === 'number') found[key] = Number(new Date(at).toISOString().slice(0, 10).replaceAll('-', ''))
  }
  return found
}

/** Types of properties whose values are text. */
const texts = new Set(['default', 'url'])

/** Looks up idents and entities by their display names. */
export interface Lookup {
  property(title: string): Promise<Property | undefined>
  /** A closed value of a property by its text, ignoring case. */
  choice(ident: string, title: string): Promise<NamedEntity | undefined>
  choices(ident: string): Promise<string[]>
}

export class DbWrites implements Writes {
  private readonly at: Insertion

  constructor(
    private readonly host: Host,
    private readonly lookup: Lookup,
  ) {
    this.at = new Insertion(host, {}, (page) => page.uuid)
  }

  async createPage(title: string, firstBlock: boolean, uuid?: string): Promise<void> {
    await this.host.createPage(title, uuid ? { firstBlock, uuid } : { firstBlock })
  }

  async createJournal(day: number): Promise<void> {
    const [year, month, date] = [String(day).slice(0, 4), String(day).slice(4, 6), String(day).slice(6)]
    // At noon, because Logseq reads the day in the person's own time zone.
    await this.host.createJournal(`${year}-${month}-${date}T12:00:00`)
  }

  /** DB graphs want the uuid, though Logseq's typings speak of a name. */
  async renamePage(page: Page, name: string): Promise<void> {
    await this.host.renamePage(page.uuid, name)
  }

  async deletePage(page: Page): Promise<void> {
    await this.host.deletePage(page.name)
  }

  setPageProperties: Writes['setPageProperties'] = (page, properties) =>
    this.setProperties(page.uuid, properties)

  insert: Writes['insert'] = async (target, place, draft) => {
    await this.check(draft.properties ?? {})
    await this.at.one(target, place, draft)
    if (draft.properties) await this.setProperties(draft.uuid, draft.properties)
  }

  insertTree: Writes['insertTree'] = async (target, place, drafts) => {
    for (const draft of flatten(drafts)) await this.check(draft.properties ?? {})
    await this.at.tree(target, place, drafts, ({ uuid, content }) => ({ uuid, content }))
    // A batch would create each property in the plugin's own namespace.
    for (const draft of flatten(drafts)) {
      if (draft.properties) await this.setProperties(draft.uuid, draft.properties)
    }
  }

  setContent: Writes['setContent'] = async (block, content) => {
    await this.host.updateBlock(block.uuid, content)
  }

  check: Writes['check'] = async (properties) => {
    await this.toStored(properties)
  }

  async setProperties(uuid: string, properties: Values): Promise<void> {
    for (const [key, value] of await this.toStored(properties)) {
      if (value === null) await this.host.removeProperty(uuid, key)
      else await this.host.setProperty(uuid, key, value)
    }
  }

  async setTask(block: Block, task: Task): Promise<void> {
    const changes: [string, unknown][] = []
    if (task.status) changes.push([':logseq.property/status', await this.findChoice(':logseq.property/status', 'status', task.status)])
    if (task.priority !== undefined) {
      const ident = ':logseq.property/priority'
      changes.push([ident, task.priority && (await this.findChoice(ident, 'priority', task.priority))])
    }
    for (const key of ['scheduled', 'deadline'] as const) {
      const day = task[key]
      if (day !== undefined) changes.push([`:logseq.property/${key}`, day && parseDay(key, day)])
    }
    if (!block.tags.includes('Task')) await this.host.addTag(block.uuid, ':logseq.class/Task')
    for (const [ident, value] of changes) {
      if (value === null || value === '') await this.host.removeProperty(block.uuid, ident)
      else await this.host.setProperty(block.uuid, ident, value)
    }
  }

  /** Properties by ident and choices by id, as Logseq stores them. */
  private async toStored(properties: Values): Promise<[string, unknown][]> {
    const all: [string, unknown][] = []
    for (const [title, value] of Object.entries(properties)) {
      const property = await this.lookup.property(title)
      // If there is no property of that name, Logseq creates one of the plugin.
      if (!property || value === null) all.push([property?.ident ?? title, value])
      else all.push([property.ident, await this.value(property, title, value)])
    }
    return all
  }

  private async value(property: Property, title: string, value: unknown): Promise<unknown> {
    if (Array.isArray(value)) return Promise.all(value.map((one) => this.value(property, title, one)))
    if (typeof value !== 'string' && typeof value !== 'number') return value
    const choice = await this.lookup.choice(property.ident, String(value))
    if (choice) return choice.id
    const known = await this.lookup.choices(property.ident)
    // Logseq would silently remove the old value.
    if (known.length > 0) throw invalid('properties', `${title} is one of ${known.join(', ')}, got "${value}"`)
    // Where text is expected Logseq takes a number for the id of an entity.
    return typeof value === 'number' && texts.has(property.type) ? String(value) : value
  }

  private async findChoice(ident: string, field: string, word: string): Promise<number> {
    const title = statusNames[word.toUpperCase()] ?? word
    const choice = await this.lookup.choice(ident, title)
    if (choice) return choice.id
    const known = await this.lookup.choices(ident)
    throw invalid(field, `one of ${known.join(', ')}, got "${word}"`)
  }
}

/** Task markers of file graphs as statuses of DB graphs. */
const statusNames: Record<string, string> = {
  NOW: 'Doing', LATER: 'Todo', WAITING: 'In Review', CANCELLED: 'Canceled', 'IN-PROGRESS': 'Doing',
  'IN-REVIEW': 'In Review', A: 'High', B: 'Medium', C: 'Low',
}

function parseDay(field: string, day: string): number {
  const ms = Date.parse(`${day}T00:00:00Z`)
  if (Number.isNaN(ms)) throw invalid(field, `a day as 2026-11-21, got "${day}"`)
  return ms
}

function flatten<T extends { children?: T[] }>(drafts: T[]): T[] {
  return drafts.flatMap((draft) => [draft, ...flatten(draft.children ?? [])])
}
