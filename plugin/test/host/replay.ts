import { type API, api } from './api'
import { person } from './db'
import { filesOf } from './ogfiles'
import { loadFile } from './ogload'
import { empty } from './seed'
import type { Entity, World } from './world'

// Replays calls whose answers Logseq's own code gave, on the stand-in, and
// compares. What differs between two runs of Logseq itself is made the same:
// times, and the uuids that Logseq chose, by where they come up first.

export interface Recorded {
  scenario: string
  method: string
  args: unknown[]
  result?: unknown
  error?: string
}

export interface Compared {
  /** The scenario, and which call of it, from 1. */
  at: string
  method: string
  args: unknown[]
  equal: boolean
  wanted: string
  got: string
}

export function replay(lines: Recorded[]): Compared[] {
  const compared: Compared[] = []
  let run: Scenario | undefined
  let nth = 0
  for (const line of lines) {
    if (run?.name !== line.scenario) [run, nth] = [new Scenario(line.scenario), 0]
    compared.push({ at: `${line.scenario} ${++nth}`, method: line.method, args: line.args, ...run.compare(line) })
  }
  return compared
}

const uuidIn = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const times = new Set(['updatedAt', 'createdAt', 'updated-at', 'created-at', 'txId', ':logseq.property/deleted-at'])

/** What Logseq keeps as sets, and answers in the order of their hashes. */
const setKeys = new Set(['refs', 'pathRefs'])
const sorted = (set: any) => (Array.isArray(set) ? [...set].sort((one, other) => (String(one?.name) < String(other?.name) ? -1 : 1)) : set)

/** Answers that are made alike before they are compared. */
const comparable: Record<string, (answer: any) => unknown> = {
  // All properties come in the order of the hashes of their names.
  get_all_properties: ({ result }: { result: Entity[] }) => [...result].sort((one, other) => one.id - other.id),
  // Of an event counts what a plugin can know from it: which blocks and pages it touches, and which are gone. Logseq
  // has attributes and numbers of transactions of its own beside these, and events of files.
  _changed: ({ result }: { result: { payload: Entity }[] }) => result.map(({ payload }) => comparableEvent(payload))
    .filter(({ touched }) => touched.length > 0)
    .map((event, id) => ({ ...event, id })),
}

function comparableEvent({ blocks, txData, txMeta, deletedBlockUuids = [] }: Entity) {
  const byID = [...blocks].sort((one, other) => one.id - other.id)
  const isGone = ([, attribute, , , added]: unknown[]) => attribute === 'block/uuid' && added === false
  return {
    operation: txMeta?.outlinerOp ?? '', told: deletedBlockUuids, gone: txData.filter(isGone).map((datom: unknown[]) => datom[2]),
    touched: byID.filter(({ uuid }) => uuid).map(({ id, uuid }) => ({ id, uuid })),
  }
}

class Scenario {
  private readonly world: World
  private readonly api: API
  /** Uuids of the recording, and those that the stand-in chose in their place. */
  private readonly ours = new Map<string, string>()
  private readonly told: { payload: Entity }[] = []

  constructor(readonly name: string) {
    this.world = empty(name.startsWith('og ') ? 'og' : 'db', 'T')
    this.api = api(() => this.world)
    // Of Logseq's own pages of a file graph those that texts refer to.
    if (this.world.kind === 'og') for (const [id, title] of [[4, 'TODO'], [7, 'DONE'], [15, 'A'], [11, 'B'], [16, 'C']] as const) {
      this.world.set(id, { ':block/uuid': this.world.uuid(), ':block/name': title.toLowerCase(), ':block/original-name': title, ':block/journal?': false })
    }
    this.world.heard = (payload) => this.told.push({ payload })
  }

  compare(line: Recorded): { equal: boolean; wanted: string; got: string } {
    const wanted = 'error' in line ? { error: line.error } : { result: line.result }
    const got = this.answer(line)
    const alike = comparable[line.method] ?? ((answer: unknown) => answer)
    const [theirs, mine] = [alike(wanted), alike(got)]
    this.learn(theirs, mine)
    const [one, other] = [this.canonical(theirs, true), this.canonical(mine, false)]
    return { equal: one === other, wanted: one, got: other }
  }

  private answer({ method, args }: Recorded): { result?: unknown; error?: string } {
    const given = JSON.parse(JSON.stringify(args).replace(uuidIn, (uuid) => this.ours.get(uuid) ?? uuid)) as any[]
    try {
      return { result: JSON.parse(JSON.stringify(this.perform(method, given) ?? null)) }
    } catch (thrown) {
      return { error: (thrown as Error).message ?? String(thrown) }
    }
  }

  private perform(method: string, args: any[]): unknown {
    const w = this.world
    if (method === '_restart') {
      w.known.clear()
      return `logseq_db_${w.name}`
    }
    if (method === '_shown') return w.shown.splice(0)
    if (method === '_dump') return dump(w)
    if (method === '_validate') return 'nil'
    if (method === '_changed') return this.told.splice(0)
    if (method === '_files') return filesOf(w)
    if (method === '_load_file') return loadFile(w, args[0], args[1])
    if (method === '_person') return this.byHand(args[0], args.slice(1))
    const run = this.api[method]
    if (!run) throw new Error(`Not existed method #${method}`)
    return run(...args)
  }

  private byHand(what: string, args: any[]): unknown {
    const w = this.world
    if (person[what]) return w.operate(what.replace('_', '-'), () => person[what]!(w, ...args))
    const [first, second, third] = args
    const own: Record<string, () => unknown> = {
      insert_block: () => (this.api.insert_block!(first, second, { customUUID: third?.uuid }) as Entity).uuid,
      edit_block: () => this.api.update_block!(first, second) ?? true,
      move_block: () => this.api.move_block!(first, second, { children: third?.sibling === false }) ?? true,
      delete_blocks: () => first.map((uuid: string) => this.api.remove_block!(uuid)) && true,
      rename_page: () => this.api.rename_page!(first, second),
      delete_page: () => this.api.delete_page!(first) ?? true,
      restore_page: () => this.api.restore_page!(first),
    }
    return own[what]!()
  }

  /** Pairs the uuids that come up in the same places. */
  private learn(wanted: unknown, got: unknown): void {
    if (typeof wanted === 'string' && typeof got === 'string') {
      const theirs = wanted.match(uuidIn) ?? []
      const mine = got.match(uuidIn) ?? []
      theirs.forEach((uuid, at) => mine[at] && !this.ours.has(uuid) && this.ours.set(uuid, mine[at]))
    } else if (Array.isArray(wanted) && Array.isArray(got)) {
      const same = (one: any) => JSON.stringify([one?.id ?? one?.[0]?.id, one?.name ?? one?.[0]?.name, one?.title ?? one?.[0]?.title])
      wanted.forEach((one, at) => this.learn(one, got.find((other) => typeof one === 'object' && same(one) === same(other)) ?? got[at]))
    } else if (typeof wanted === 'object' && wanted && typeof got === 'object' && got) {
      for (const [key, one] of Object.entries(wanted)) this.learn(one, (got as Entity)[key])
    }
  }

  /** As text that is the same for what is the same: keys sorted, sets sorted, no times. */
  private canonical(value: any, theirs: boolean): string {
    if (Array.isArray(value)) {
      const all = value.map((one) => this.canonical(one, theirs))
      const set = value.every((one) => typeof one === 'number' || Array.isArray(one) || (one?.id !== undefined && Object.keys(one).length === 1))
      return `[${(set && !value.some((one) => one?.[0] === 'uuid') ? all.sort() : all).join()}]`
    }
    if (typeof value === 'object' && value !== null) {
      const keys = Object.keys(value).filter((key) => !times.has(key)).sort()
      return `{${keys.map((key) => `${key}:${this.canonical(setKeys.has(key) ? sorted(value[key]) : value[key], theirs)}`).join()}}`
    }
    const text = JSON.stringify(value ?? null)
    return theirs ? text.replace(uuidIn, (uuid) => this.ours.get(uuid) ?? uuid) : text
  }
}

/** The pages that a person made and is shown, with their blocks. */
function dump(w: World): unknown {
  const below = (id: number): unknown[] => w.children(id).map((row) => ({ ...described(w, row), children: below(row.id) }))
  const pages = (w.query('[:find ?p :where [?p :block/name _] (not [?p :logseq.property/built-in? true])]', []) as number[][]).map(([id]) => w.pull(id!))
  return pages
    .filter((row) => !row[':logseq.property/deleted-at'])
    .map((row) => ({
      ...described(w, row), children: row[':block/tags']?.some(({ id }: Entity) => id === 3) ? [] : below(row.id), name: row[':block/name'],
      parent: row[':block/parent'] ? w.pull(row[':block/parent'].id)[':block/title'] : null,
      tags: (row[':block/tags'] ?? []).map(({ id }: Entity) => w.pull(id)[':db/ident']), recycled: false, journalDay: row[':block/journal-day'] ?? null,
    }))
    .sort((a: any, b: any) => (a.title.toLowerCase() < b.title.toLowerCase() ? -1 : 1))
}

const described = (w: World, row: Entity) => ({ uuid: row[':block/uuid'], title: w.readable(row[':block/title']), raw: row[':block/title'], properties: printed(w, row) })

/** Properties as ClojureScript prints a map. */
function printed(w: World, row: Entity): string {
  const keys = Object.keys(row).filter((key) => (/^:(user|plugin|logseq)\.property/.test(key) && !/extends|created-from/.test(key)) || key === ':block/tags')
  if (row[':logseq.property.class/extends']) keys.unshift(':logseq.property.class/extends')
  const shown = (value: any): string => {
    if (Array.isArray(value)) return `#{${value.map(shown).join(' ')}}`
    if (value?.id === undefined) return typeof value === 'string' && !value.startsWith(':') ? JSON.stringify(value) : String(value)
    const of = w.pull(value.id)
    return of[':db/ident'] ?? JSON.stringify(of[':logseq.property/value'] ?? of[':block/title'])
  }
  return `{${[...keys.filter((key) => key !== ':block/tags'), ...keys.filter((key) => key === ':block/tags')].map((key) => `${key} ${shown(row[key])}`).join(', ')}}`
}
