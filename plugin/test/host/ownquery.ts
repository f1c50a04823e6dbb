import { blockAnswer } from './oganswers'
import { type Entity, type World } from './world'

// Logseq's own query language, as far as it was recorded: a link, a text, and
// tasks in a state. A DB graph answers ids, a file graph rows.

export function ownQuery(w: World, query: string): Entity[] {
  const rows = (w.query('[:find ?b :where [?b :block/page _]]', []) as number[][]).map(([id]) => w.pull(id!)).filter(meets(w, query.trim()))
  rows.sort((a, b) => a.id - b.id)
  if (w.kind === 'db') return rows.map(({ id }) => ({ id }))
  return rows.map((row) => {
    const { children: _children, 'journal?': _journal, createdAt: _made, updatedAt: _changed, ...answer } = blockAnswer(w, row, false)
    const page = w.pull(row[':block/page'].id)
    return { ...answer, page: { id: page.id, name: page[':block/name'], originalName: page[':block/original-name'] } }
  })
}

function meets(w: World, query: string): (row: Entity) => boolean {
  const [, link] = /^\[\[(.+)\]\]$/.exec(query) ?? []
  const [, state] = /^\(task (\w+)\)$/.exec(query) ?? []
  const [, words] = /^"(.+)"$/.exec(query) ?? []
  if (link) return (row) => (row[':block/refs'] ?? []).some(({ id }: Entity) => w.pull(id)[':block/name'] === link.toLowerCase())
  if (words) return (row) => String(row[w.text] ?? '').includes(words)
  if (!state) throw new Error(`not recorded: ${query}`)
  return (row) => {
    const status = row[':logseq.property/status']
    return String(row[':block/marker'] ?? (status ? w.pull(status.id)[':block/title'] : '')).toLowerCase() === state.toLowerCase()
  }
}
