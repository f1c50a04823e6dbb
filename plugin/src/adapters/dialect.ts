import type { Row } from '../host'
import type { Block, Draft, Page, Place, Values } from '../model'

// A Dialect is one personality of Logseq. What file graphs and DB graphs store
// differently is in here and in the two files beside it; everything else in the
// plugin is written once. docs: the compatibility table is made from these.

export interface Dialect {
  readonly kind: 'file' | 'db'
  /** Clauses that bind ?p to the pages a person made: no built-ins, no recycled ones. */
  readonly ownPages: string
  /** Clauses that bind ?p to the page with this name, in any case of letters. */
  pageNamed(name: string): string
  /** The attribute that holds a block's text. */
  readonly text: ':block/content' | ':block/title'
  /** Clauses that bind ?b to tasks. */
  readonly tasks: string

  /** Ids this row refers to, whose names are needed to read it. */
  needs(row: Row): number[]
  page(row: Row, names: Names): Page
  block(row: Row, names: Names): Omit<Block, 'page' | 'parent' | 'order'>
  /** Puts the children of one parent in order. */
  sort(rows: Row[], parent: number): Row[]
  /** Whether a row is one a reader should see, beyond hidden tags. */
  shows(row: Row): boolean
}

/** What a Dialect knows about other entities while it reads one. */
export interface Names {
  of(id: number): Named | undefined
  /** The same for tags and values, which say [[uuid]] in a bare answer instead of a name. */
  tag(id: number): Named | undefined
  /** References in texts stay uuids. */
  bare: boolean
  property(ident: string): Property | undefined
}

export interface Named {
  id: number
  uuid?: string
  /** The name of a page, the text of a block. */
  title: string
  ident?: string
  /** Closed values and typed values have one beside their text. */
  value?: unknown
  journalDay?: number
}

export interface Property {
  ident: string
  title: string
  type: string
  many: boolean
}

/** What a personality does to a graph. Every method assumes that its target exists. */
export interface Writes {
  createPage(title: string, firstBlock: boolean, uuid?: string): Promise<void>
  /** Makes the journal of a day, 20261121. */
  createJournal(day: number, firstBlock: boolean): Promise<void>
  renamePage(page: Page, name: string): Promise<void>
  deletePage(page: Page): Promise<void>
  setPageProperties(page: Page, properties: Values): Promise<void>
  /** On file graphs: makes text the first block of a page, which holds its properties. */
  putFirst?(page: Page, text: string): Promise<void>
  insert(target: Target, place: Place, draft: Draft): Promise<void>
  insertTree(target: Target, place: Place, drafts: Draft[]): Promise<void>
  setContent(block: Block, content: string): Promise<void>
  setProperties(uuid: string, properties: Values): Promise<void>
  /** Refuses what setProperties would, before a first step of the same request. */
  check(properties: Values): Promise<void>
  setTask(block: Block, task: Task): Promise<void>
}

/** Where something goes: a page or a block, and the children it has now, in order. */
export interface Target {
  uuid: string
  page?: Page
  children: string[]
}

export interface Task {
  status: string
  priority?: string | null
  scheduled?: string | null
  deadline?: string | null
}

/** The id in a reference, however the answer spells it. */
export function idOf(reference: unknown): number | undefined {
  if (typeof reference === 'number') return reference
  const id = (reference as { id?: unknown } | null | undefined)?.id
  return typeof id === 'number' ? id : undefined
}

export function idsOf(references: unknown): number[] {
  if (!Array.isArray(references)) return []
  return references.map(idOf).filter((id) => id !== undefined)
}
