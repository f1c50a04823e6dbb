import type { Window } from '../host/launch'
import type { Block, Outline } from '../host/outline'
import { known } from '../host/seed'
import type { Place, Step } from './walk'

// Random steps of what only DB graphs have: tags, typed values, pages of one
// name, and the recycle bin.

/** What a step draws by chance. */
export interface Draw {
  pick<T>(all: T[]): T
  block(now: Outline): Place | undefined
  text(): string
  /** A number that was not given before. */
  next(): number
  spell(title: string): string
}

export const days = [['2026-11-18', 'Nov 18th, 2026'], ['2026-11-19', 'Nov 19th, 2026'], ['2026-11-20', 'Nov 20th, 2026']] as const

/** The properties that a person has made before the walk. */
const typed: [name: string, schema: Record<string, unknown>, values: [given: unknown, shown: unknown][], wrong: unknown[]][] = [
  ['Size', { type: 'number' }, [[5, 5], ['7', 7], [4.5, 4.5], [-1, -1]], ['five', 0, [1, 2]]],
  ['Watered', { type: 'checkbox' }, [[true, true], ['false', false]], ['perhaps', 1]],
  ['Sown on', { type: 'date' }, days.flatMap(([date, title]): [string, string][] => [[date, title], [title, title]]), ['someday', 20]],
  ['Seen at', { type: 'datetime' }, [['2026-11-19T23:30', '2026-11-19T23:30'], ['2026-11-20', '2026-11-20T00:00'], ['2026-11-18 00:15', '2026-11-18T00:15']], ['noon', true]],
  ['Site', { type: 'url' }, [['https://logseq.com/beds', 'https://logseq.com/beds']], ['beds', 5]],
  ['Note', { type: 'default' }, [['dry', 'dry'], [7, '7'], [true, 'true']], [['a', 'b']]],
  ['Helpers', { type: 'node', cardinality: 'many' }, [[['Books'], ['Books']], [['[[Reviews]]', 'Books'], ['Books', 'Reviews']], [['gärten'.normalize('NFD')], ['Gärten']]], [[5]]],
  ['Colour', { type: 'default', values: ['red', 'green'] }, [['red', 'red'], ['Green', 'green']], ['blue', 5]],
]

/** Makes what the steps need, by hand. Accents in the names of files are those of the system that made them. */
export async function furnish(window: Window, kind: 'db' | 'og'): Promise<void> {
  const garden = 'Gärten'.normalize(kind === 'db' ? 'NFC' : 'NFD')
  await window.person('create_page', garden, {}, { redirect: false, createFirstBlock: false })
  await window.person('insert_block', garden, 'hedge', { sibling: false })
  if (kind === 'og') return nameProperties(window)
  for (const [name, schema] of typed) await window.person('create_property', name, schema)
}

/** Gives a page of a file graph properties: its first block has nothing else. */
async function nameProperties(window: Window): Promise<void> {
  const head = (await window.person('insert_block', known.first, '', { sibling: true, before: true })) as { uuid: string }
  await window.person('update_block', head.uuid, 'mood:: fine')
}

function tagBlock(then: Outline, draw: Draw): Step | null {
  const block = draw.block(then)?.block
  if (!block) return null
  const tag = draw.pick(Object.keys(then).filter((title) => title.startsWith('#'))).slice(1)
  const has = block.tags.includes(tag)
  block.tags = has ? block.tags.filter((one) => one !== tag) : [...block.tags, tag].sort()
  return { tool: 'set_tags', args: { block_uuid: block.uuid, [has ? 'remove' : 'add']: [tag] }, then }
}

function makeTag(then: Outline, draw: Draw): Step {
  const name = `Kind ${draw.next()}`
  const above = draw.pick(Object.keys(then).filter((title) => title.startsWith('#'))).slice(1)
  then[`#${name}`] = []
  return { tool: 'create_tag', args: { name, extends: [above], properties: [draw.pick(typed)[0]] }, then }
}

function setValue(then: Outline, draw: Draw): Step | null {
  const block = draw.block(then)?.block
  if (!block) return null
  const [name, , values] = draw.pick(typed)
  const off = name in block.values && draw.pick([true, false, false])
  const [given, shown] = draw.pick(values)
  if (off) delete block.values[name]
  else block.values[name] = shown
  // The page of a day that is a value is made.
  if (name === 'Sown on' && !off) then[String(shown)] ??= []
  return { tool: 'update_block', args: { block_uuid: block.uuid, properties: { [name]: off ? null : given } }, then }
}

function setWrongValue(now: Outline, draw: Draw): Step | null {
  const block = draw.block(now)?.block
  const [name, , , wrong] = draw.pick(typed)
  return block ? { tool: 'update_block', args: { block_uuid: block.uuid, content: 'lost', properties: { Note: 'lost', [name]: draw.pick(wrong) } }, then: 'INVALID_INPUT' } : null
}

/** A page of a name that others may have, below another page. */
function makeTwin(then: Outline, draw: Draw): Step | null {
  const above = draw.pick(['Plot 1', 'Plot 2'])
  const [title, text] = [`${above}/Same`, draw.text().replaceAll('\n', ' ')]
  const args = { title, content: text }
  if (then[title] || then[`bin: ${title}`]) return { tool: 'create_page', args, then: 'CONFLICT' }
  then[above] ??= []
  then[title] = [fresh(text)]
  return { tool: 'create_page', args, then }
}

/** By its last name, which is a conflict where two pages have it. */
function appendToTwin(then: Outline, draw: Draw): Step | null {
  const twins = ['Plot 1/Same', 'Plot 2/Same'].filter((title) => then[title])
  if (twins.length === 0) return null
  const text = draw.text().replaceAll('\n', ' ')
  const args = { page_name: draw.pick(['Same', 'same']), content_append: text }
  if (twins.length > 1) return { tool: 'update_page', args, then: 'CONFLICT' }
  then[twins[0]!]!.push(fresh(text))
  return { tool: 'update_page', args, then }
}

/** What lies in the bin keeps its name, and takes nothing new; its blocks are not found. */
function useBin(now: Outline, draw: Draw): Step | null {
  const lying = Object.keys(now).filter((title) => /^bin: Bed /.test(title))
  if (lying.length === 0) return null
  const title = draw.pick(lying).slice('bin: '.length)
  const [block] = now[`bin: ${title}`]!
  return draw.pick<() => Step | null>([
    () => ({ tool: 'create_page', args: { title, content: 'new' }, then: 'CONFLICT' }),
    () => ({ tool: 'update_page', args: { page_name: title, content_append: 'new' }, then: 'CONFLICT' }),
    () => block ? { tool: 'update_block', args: { block_uuid: block.uuid, content: 'new' }, then: 'NOT_FOUND' } : null,
  ])()
}

export const objectSteps = [tagBlock, makeTag, setValue, setValue, setWrongValue, makeTwin, appendToTwin, useBin]

export const fresh = (text: string): Block => ({ uuid: '', text, task: '', mood: '', deadline: 0, tags: [], values: {}, children: [] })

/** All blocks of a list and below it, with their places. */
export const places = (siblings: Block[]): Place[] => siblings.flatMap((block, at) => [{ block, siblings, at }, ...places(block.children)])

export const count = (blocks: Block[]): number => places(blocks).length
