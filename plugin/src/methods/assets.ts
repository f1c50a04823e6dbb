import type { Row } from '../host'
import type { Block } from '../model'
import { slice } from '../params'
import type { Found } from '../reader'
import type { Methods } from './method'

// The files that blocks show. What nothing links to is not listed: a file is
// seen through a block, which may be hidden.

export const assets: Methods = {
  'assets.list': {
    needs: 'assets',
    async run({ reader, visible, dialect }, params) {
      const isDB = dialect.kind === 'db'
      const holding = isDB ? '[?b :logseq.property.asset/type _]' : reader.textMatches('../assets/')
      const blocks = await reader.blocks(await reader.pull('?b', `[?b :block/page _] ${holding}`))
      const seen = new Set((await visible.visibleBlocks(blocks)).map(({ uuid }) => uuid))
      const all = blocks.filter(({ is }) => seen.has(is.uuid)).map((one) => ({ block: one.is, ...(isDB ? stored(one) : linked(one.is)) }))
      const some = all.filter(({ files }) => files.length > 0)
      return { assets: slice(some, params), total: some.length }
    },
  },
}

interface Files {
  files: string[]
  size?: number
}

/** The file of a DB graph is called by its block's uuid and its type; one that is elsewhere is no file of the graph. */
function stored({ row }: Found<Block>): Files {
  const { uuid, [':logseq.property.asset/type']: type, [':logseq.property.asset/size']: size, [':logseq.property.asset/external-url']: elsewhere } = row as Row
  if (elsewhere !== undefined || !/^\w+$/.test(String(type))) return { files: [] }
  return { files: [`${uuid}.${type}`], ...(typeof size === 'number' ? { size } : {}) }
}

/** Below assets, as Markdown and Org link to it: up to the bracket or quote that ends the link. */
const link = /\.\.\/assets\/([^)\]\n"]+)/g

function linked({ raw }: Block): Files {
  return { files: [...new Set([...raw.matchAll(link)].map(([, name]) => decoded(name!.trim())))] }
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name // a person may have typed a percent sign
  }
}
