import { Stage } from './stage'

// Prints what a tree of 500 blocks costs through the whole chain, beside what
// Logseq's own calls of it cost, and the reading of a page of 10,000 blocks in
// pieces.

const stage = await Stage.start(['trees'])
const window = await stage.open('db', 'trees')
const markdown = Array.from({ length: 500 }, (_, at) => `${'  '.repeat(at % 8)}- block ${at}`).join('\n')

/** Milliseconds of these methods of the stand-in since they were asked for last. */
async function ownTime(...methods: string[]): Promise<number> {
  let sum = 0
  for (const method of methods) sum += (await window.host('spent', method)) as number
  return sum
}

const own = ['insert_block', 'datascript_query', 'upsert_block_property', 'get_block'] as const

for (const title of ['Warm', 'Tree', 'Second tree', 'Third tree']) {
  await window.person('create_page', title, {}, { redirect: false })
  await ownTime(...own)
  const begun = performance.now()
  const made = await stage.ask('trees', 'insert_blocks', { page_name: title, markdown })
  const [took, host] = [performance.now() - begun, await ownTime(...own)]
  console.log(`${title}: ${made.inserted} blocks in ${Math.round(took)} ms, ${Math.round(took - host)} ms beyond Logseq's own calls; verified ${made.verified}`)
}

await window.person('fill_page', 'Long', 10_000)
await window.person('restart')
for (const format of ['text', 'json']) {
  await ownTime(...own)
  const begun = performance.now()
  const pieces: number[] = []
  let read = 0
  for (let offset = 0; ; ) {
    const at = performance.now()
    const part = await stage.ask('trees', 'get_page_content', { page_name: 'Long', format, offset })
    pieces.push(performance.now() - at)
    const shown = format === 'json' ? part.blocks.length : part.text.split('\n').filter((line: string) => line.startsWith('- ')).length
    read += shown
    if (!part.truncated) break
    offset += shown
  }
  const [took, host] = [performance.now() - begun, await ownTime(...own)]
  const middle = pieces.sort((a, b) => a - b)[Math.floor(pieces.length / 2)]!
  console.log(`${format}: ${read} blocks in ${pieces.length} pieces, ${Math.round(took)} ms, ${Math.round(middle)} ms a piece at the median; ` +
    `${Math.round((took - host) / pieces.length)} ms a piece beyond Logseq's own queries`)
}
await window.close()
await stage.stop()
