// Pages and blocks as they are sent to the server, the same for both kinds of graph.

export type Values = Record<string, unknown>

export interface Block {
  uuid: string
  page: { uuid: string; name: string }
  /** The block above; null directly on the page. */
  parent: string | null
  /** As a person reads it: references are replaced by names. */
  content: string
  /** As Logseq stores it. */
  raw: string
  properties: Values
  tags: string[]
  /** The names of the tags, in an answer with raw references, where tags are [[uuid]]. */
  tag_names?: string[]
  marker?: string
  priority?: string
  scheduled?: number
  deadline?: number
  /** What it shows of the graph's folder of assets; absent: nothing. */
  files?: string[]
  /** Absent if not requested. */
  children?: Block[]
  /** Position among its siblings, from 0. */
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
  /** The names of the tags, in an answer with raw references, where tags are [[uuid]]. */
  tag_names?: string[]
  created_at?: number
  updated_at?: number
  recycled: boolean
}

export type Place = 'before' | 'after' | 'first' | 'last'

/** A block to write. The server chooses its uuid, so that it can check after a lost answer. */
export interface Draft {
  uuid: string
  content: string
  properties?: Values
  /** Blocks that the text refers to, which get an id in their file. */
  keep?: string[]
  children?: Draft[]
}
