// What the wire says about a graph: the same words for file and DB graphs.

export type Values = Record<string, unknown>

export interface Block {
  uuid: string
  page: { uuid: string; name: string }
  /** The block above; null directly on the page. */
  parent: string | null
  /** As a person reads it: references replaced by what they name. */
  content: string
  /** As Logseq stores it. */
  raw: string
  properties: Values
  tags: string[]
  /** What the tags are called, in a bare answer, where they say [[uuid]]. */
  tag_names?: string[]
  marker?: string
  priority?: string
  scheduled?: number
  deadline?: number
  /** Absent when not asked for, which is not the same as none. */
  children?: Block[]
  /** Place among its siblings, from 0. */
  order: number
}

export interface Page {
  uuid: string
  name: string
  kind: 'page' | 'journal' | 'tag' | 'property'
  /** Day as 20261121. */
  journal_day?: number
  properties: Values
  tags: string[]
  /** What the tags are called, in a bare answer, where they say [[uuid]]. */
  tag_names?: string[]
  created_at?: number
  updated_at?: number
  recycled: boolean
}

export type Place = 'before' | 'after' | 'first' | 'last'

/** A block to be written: its uuid is chosen by whoever asks, so that a lost answer can be checked. */
export interface Draft {
  uuid: string
  content: string
  properties?: Values
  children?: Draft[]
}
