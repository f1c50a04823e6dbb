import { api } from './api'
import { addBuiltIns, person } from './db'
import { ensurePage as ensureFilePage } from './ogtext'
import { type Personality, World } from './world'

/** Uuids the tests name; everything else is random. */
export const known = {
  first: '11111111-1111-4111-8111-111111111111',
  child: '22222222-2222-4222-8222-222222222222',
  second: '33333333-3333-4333-8333-333333333333',
  refers: '44444444-4444-4444-8444-444444444444',
  task: '55555555-5555-4555-8555-555555555555',
  secret: '66666666-6666-4666-8666-666666666666',
  below: '77777777-7777-4777-8777-777777777777',
}

/** A graph with what Logseq itself puts there, and nothing else. */
export function empty(kind: Personality, name: string): World {
  const w = new World(kind, name)
  if (kind === 'db') addBuiltIns(w)
  // The ids of Logseq's own pages, TODO and A among them, which are not modelled.
  else for (let id = 1; id < 18; id++) w.add({ ':lectern/own': id })
  return w
}

/** A graph of a dozen blocks, the same to a reader in both personalities. */
export function seed(kind: Personality, name: string): World {
  const w = empty(kind, name)
  const logseq = api(() => w)
  const page = (title: string): string =>
    kind === 'og' ? ensureFilePage(w, title)[':block/uuid'] : (logseq.create_page!(title, {}, { redirect: false }) as { uuid: string }).uuid
  const block = (target: string, uuid: string, text: string) => logseq.insert_block!(target, text, { customUUID: uuid, sibling: false })
  const books = page('Books')
  block(books, known.first, 'Read [[Middlemarch]] again')
  block(known.first, known.child, 'chapter one')
  block(books, known.second, 'Lend it to Ada')
  block(page('Reviews'), known.refers, kind === 'og' ? `see ((${known.first}))` : 'see [[Books]]')
  block(page('Diary'), known.secret, kind === 'og' ? 'nobody reads this #private' : 'nobody reads this')
  block(known.secret, known.below, 'nor this')
  logseq.create_page!('Nov 20th, 2026', {}, { journal: true, createFirstBlock: false, redirect: false })
  block('Nov 20th, 2026', known.task, kind === 'og' ? 'TODO [#A] water the plants' : 'water the plants')
  if (kind === 'db') dress(w)
  else logseq.insert_block!(page('Templates'), 'Meeting\ntemplate:: meeting', { sibling: false })
  w.known.clear()
  return w
}

function dress(w: World): void {
  const logseq = api(() => w)
  const rating = person.create_property!(w, 'Rating', { type: 'number' }) as string
  logseq.upsert_block_property!(known.first, rating, 4, {})
  const tag = logseq.create_tag!('private', {}) as { uuid: string }
  logseq.add_block_tag!(known.secret, tag.uuid)
  logseq.add_block_tag!(known.task, ':logseq.class/Task')
  logseq.upsert_block_property!(known.task, ':logseq.property/status', 'Todo', { reset: true })
  logseq.upsert_block_property!(known.task, ':logseq.property/priority', 'High', { reset: true })
}
