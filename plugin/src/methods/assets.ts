import { slice } from '../params'
import type { Methods } from './method'

// The blocks that show files. What nothing links to is not listed: a file is
// seen through a block, which may be hidden.

export const assets: Methods = {
  'assets.list': {
    needs: 'assets',
    async run({ reader, visible, dialect }, params) {
      const holding = dialect.kind === 'db' ? '[?b :logseq.property.asset/type _]' : reader.textMatches('../assets/')
      const found = await reader.blocks(await reader.pull('?b', `[?b :block/page _] ${holding}`))
      const all = (await visible.visibleBlocks(found)).filter(({ files }) => files !== undefined)
      return { blocks: slice(all, params), total: all.length }
    },
  },
}
