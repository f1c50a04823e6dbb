import { addProperty, api, ensurePage } from './api'
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

/** A graph of a dozen blocks, the same to a reader in both personalities. */
export function seed(kind: Personality, name: string): World {
  const w = new World(kind, name)
  if (kind === 'db') builtIns(w)
  const logseq = api(() => w)
  const page = (title: string) => ensurePage(w, title)[':block/uuid'] as string
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
  return w
}

function builtIns(w: World): void {
  for (const title of ['Tag', 'Property', 'Page', 'Journal', 'Task']) {
    w.add({ ':db/ident': `:logseq.class/${title}`, ':block/uuid': w.uuid(), ':block/name': title.toLowerCase() + '-class', ':block/title': title, ':logseq.property/built-in?': true })
  }
  const choices: [string, string[]][] = [['status', ['Backlog', 'Todo', 'Doing', 'In Review', 'Done', 'Canceled']], ['priority', ['Low', 'Medium', 'High', 'Urgent']]]
  for (const [name, titles] of choices) {
    const id = addProperty(w, `:logseq.property/${name}`, name[0]!.toUpperCase() + name.slice(1), ':default')
    for (const title of titles) w.add({ ':block/uuid': w.uuid(), ':block/title': title, ':block/closed-value-property': id, ':db/ident': `:logseq.property/${name}.${title.toLowerCase().replace(' ', '-')}` })
  }
  for (const name of ['Scheduled', 'Deadline']) addProperty(w, `:logseq.property/${name.toLowerCase()}`, name, ':datetime')
}

function dress(w: World): void {
  addProperty(w, ':user.property/rating-ab12', 'Rating', ':number')
  w.declare(':user.property/rating-ab12', { ref: true, many: false })
  api(() => w).upsert_block_property!(known.first, ':user.property/rating-ab12', 4)
  const tag = w.add({ ':db/ident': ':user.class/private-cd34', ':block/uuid': w.uuid(), ':block/name': 'private', ':block/title': 'private', ':block/tags': [w.find(':db/ident', ':logseq.class/Tag')!.id] })
  w.set(w.byUUID(known.secret)!.id, { ':block/tags': [tag] })
  const choice = (title: string) => w.find(':block/title', title)!.id as number
  w.set(w.byUUID(known.task)!.id, { ':block/tags': [w.find(':db/ident', ':logseq.class/Task')!.id], ':logseq.property/status': choice('Todo'), ':logseq.property/priority': choice('High') })
}
