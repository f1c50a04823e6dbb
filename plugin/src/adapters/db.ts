import { string } from '../edn'
import { dayOfMs } from '../days'
import type { Row } from '../host'
import type { Block, Page, Values } from '../model'
import { storedFiles } from './assetfiles'
import { type Dialect, type NamedEntity, type NameLookup, type Property, idOf, idsOf, spellings } from './dialect'

// DB graphs, Logseq 2.x, as they are read. Everything is an entity; a property
// is an attribute of its own, and its values are often entities as well.

const taskClass = '[?b :block/tags ?class] [?class :db/ident :logseq.class/Task]'

export const dbDialect: Dialect = {
  kind: 'db',
  ownPages:
    '[?p :block/tags ?class] (or [?class :db/ident :logseq.class/Page] [?class :db/ident :logseq.class/Journal]) ' +
    '(not [?p :logseq.property/built-in? true]) (not [?p :logseq.property/deleted-at _])',
  // The page "a/b" is the page "b" below the page "a".
  pageNamed: (name) => {
    const names = spellings(name).flatMap((one) => [one, one.slice(one.lastIndexOf('/') + 1)])
    return `[(ground [${[...new Set(names)].map(string).join(' ')}]) [?name ...]] [?p :block/name ?name]`
  },
  above: (row) => (row.name === undefined ? undefined : idOf(row[':logseq.property.recycle/original-parent'] ?? (isRecycled(row) ? undefined : row.parent))),
  text: ':block/title',
  tasks: taskClass,
  referencedIDs: (row) => [
    ...idsOf(row.refs),
    ...idsOf(row.tags),
    ...Object.entries(row).flatMap(([key, value]) => (key.startsWith(':') ? valueIDs(value) : [])),
  ],
  page: (row, names) => ({
    uuid: row.uuid,
    name: names.path(row.id) ?? resolve(row.title ?? row.name, row, names),
    kind: kindOf(row, names),
    ...(row['journal-day'] ? { journal_day: row['journal-day'] } : {}),
    properties: properties(row, names),
    ...tagsOf(row, names),
    created_at: row['created-at'],
    updated_at: row['updated-at'],
    recycled: isRecycled(row),
  }),
  block: (row, names) => ({
    uuid: row.uuid,
    content: asMarkdown(row, resolve(row.title ?? '', row, names)),
    raw: row.title ?? '',
    properties: properties(row, names),
    ...tagsOf(row, names),
    ...task(row, names),
    ...storedFiles(row),
  }),
  sort: (rows) => [...rows].sort((a, b) => (a.order < b.order ? -1 : a.order > b.order ? 1 : 0)),
  // Values of text properties are blocks of the page too, and so are recycled blocks.
  isVisible: (row) =>
    !(':logseq.property/created-from-property' in row) && !isRecycled(row),
}

const isRecycled = (row: Row): boolean => ':logseq.property/deleted-at' in row

/** The level of a heading, which Logseq takes off the text. */
export const headingOf = (row: Row | undefined): number => {
  const level: unknown = row?.[':logseq.property/heading']
  return typeof level === 'number' && level >= 1 && level <= 6 ? level : 0
}

export function asMarkdown(row: Row, text: string): string {
  const level = headingOf(row)
  return level > 0 ? `${'#'.repeat(level)} ${text}` : text
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
    if (typeof at === 'number') found[key] = dayOfMs(at)
  }
  return found
}
