import type { Row } from '../host'
import type { Block, Draft, Page, Place, Values } from '../model'

// A Dialect is one kind of graph. The differences between file graphs and DB
// graphs are here and in the two files beside it; the rest of the plugin is the
// same for both.

export interface Dialect {
  readonly kind: 'file' | 'db'
  /** Clauses that bind ?p to the pages a person made: no built-ins, no recycled ones. */
  readonly ownPages: string
  /** Clauses that bind ?p to the pages that a name or path may mean, ignoring case. */
  pageNamed(name: string): string
  /** The page above a page, where names are paths. */
  above(row: Row): number | undefined
  /** The attribute that holds a block's text. */
  readonly text: ':block/content' | ':block/title'
  /** Clauses that bind ?b to tasks. */
  readonly tasks: string

  /** Ids that this row refers to; their names are needed to read it. */
  referencedIDs(row: Row): number[]
  page(row: Row, names: NameLookup): Page
  block(row: Row, names: NameLookup): Omit<Block, 'page' | 'parent' | 'order'>
  /** Sorts the children of one parent. */
  sort(rows: Row[], parent: number): Row[]
  /** Whether a row is a block that people see. */
  isVisible(row: Row): boolean
}

/** Names of other entities, for reading one. */
export interface NameLookup {
  of(id: number): NamedEntity | undefined
  /** The name of a page below others, with theirs: "a/b". */
  path(id: number): string | undefined
  /** The same for tags and values, which are [[uuid]] in an answer with raw references. */
  tag(id: number): NamedEntity | undefined
  /** References in texts stay uuids. */
  rawReferences: boolean
  property(ident: string): Property | undefined
}

export interface NamedEntity {
  id: number
  uuid?: string
  /** The name of a page, the text of a block. */
  title: string
  ident?: string
  /** Closed values and typed values have one beside their text. */
  value?: unknown
  journalDay?: number
}

/** A name in both ways that Unicode writes accents, as graphs of different systems have them. */
export function spellings(name: string): string[] {
  const folded = name.trim().toLowerCase()
  return [...new Set([folded.normalize('NFC'), folded.normalize('NFD')])]
}

export interface Property {
  ident: string
  title: string
  type: string
  many: boolean
}

/** The writes, which differ by kind of graph. Every method assumes that its target exists. */
export interface Writes {
  createPage(title: string, firstBlock: boolean, uuid?: string): Promise<void>
  /** Creates the journal page of a day, 20261121. */
  createJournal(day: number, firstBlock: boolean): Promise<void>
  renamePage(page: Page, name: string): Promise<void>
  deletePage(page: Page): Promise<void>
  setPageProperties(page: Page, properties: Values): Promise<void>
  /** On file graphs: writes the first block of a page, which holds its properties. */
  putFirst?(page: Page, text: string): Promise<void>
  insert(target: Target, place: Place, draft: Draft): Promise<void>
  insertTree(target: Target, place: Place, drafts: Draft[]): Promise<void>
  setContent(block: Block, content: string): Promise<void>
  setProperties(uuid: string, properties: Values): Promise<void>
  /** Throws what setProperties would, before the first write of a request. */
  check(properties: Values): Promise<void>
  setTask(block: Block, task: Task): Promise<void>
  /** On file graphs: writes the ids of blocks into their files, so that references to them last. */
  keepIDs?(uuids: string[]): Promise<void>
}

/** The page or block where something is inserted, with its present children in order. */
export interface Target {
  uuid: string
  page?: Page
  children: string[]
  /** For a place beside a block: the block to its left, and the one above both if it is no page. */
  left?: string
  parent?: string
}

export interface Task {
  status: string
  priority?: string | null
  scheduled?: string | null
  deadline?: string | null
}

/** Trees as a list, each before what is below it. */
export function flatten<T extends { children?: T[] }>(drafts: T[]): T[] {
  return drafts.flatMap((draft) => [draft, ...flatten(draft.children ?? [])])
}

/** The id in a reference, in any of Logseq's spellings. */
export function idOf(reference: unknown): number | undefined {
  if (typeof reference === 'number') return reference
  const id = (reference as { id?: unknown } | null | undefined)?.id
  return typeof id === 'number' ? id : undefined
}

export function idsOf(references: unknown): number[] {
  if (!Array.isArray(references)) return []
  return references.map(idOf).filter((id) => id !== undefined)
}
