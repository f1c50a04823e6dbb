import { Stage } from './stage'

// Prints what a tree of 500 blocks costs through the whole chain, beside what
// Logseq's own calls of it cost, and the reading of a long page in pieces.

const stage = await Stage.start(['trees'])
const window = await stage.open('db', 'trees')
const markdown = Array.from({ length: 500 }, (_, at) => `${'  '.repeat(at % 8)}- block ${at}`).join('\n')

for (const title of ['Warm', 'Tree']) {
  await window.person('create_page', title, {}, { redirect: false })
  const begun = performance.now()
  const made = await stage.ask('trees', 'insert_blocks', { page_name: title, markdown })
  const took = performance.now() - begun
  const [own, queries] = [(await window.host('spent', 'insert_block')) as number, (await window.host('spent', 'datascript_query')) as number]
  console.log(`${title}: ${made.inserted} blocks ${Math.round(took)} ms, of which Logseq's own insert_block ${Math.round(own)} ms and its queries ${Math.round(queries)} ms; verified ${made.verified}`)
}
const begun = performance.now()
let read = 0
for (let offset = 0; ; ) {
  const part = await stage.ask('trees', 'get_page_content', { page_name: 'Tree', format: 'json', offset })
  read += part.blocks.length
  if (!part.truncated) break
  offset += part.blocks.length
}
console.log(`read ${read} top-level blocks in pieces: ${Math.round(performance.now() - begun)} ms`)
await window.close()
await stage.stop()
