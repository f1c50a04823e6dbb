import { isUUID, string } from '../edn'
import type { OpenGraph } from '../graph'
import { invalid, notFound } from '../fault'
import type { Row } from '../host'
import { flag, name, optionalText, requireUUID, strings } from '../params'
import type { Methods } from './method'
import { absent, ignored, landed } from './pages'

// Tags and properties of DB graphs, which are entities of their own there.

export const objects: Methods = {
  'tags.set': {
    needs: 'tags.set',
    writes: true,
    async run(graph, params) {
      const uuid = requireUUID(params, 'uuid')
      const page = await graph.visible.page(uuid).catch(absent)
      if (!page) await graph.visible.block(uuid)
      const add = await tagsOf(graph, strings(params, 'add'))
      const remove = await tagsOf(graph, strings(params, 'remove'))
      for (const tag of add) await graph.host.addTag(uuid, tag)
      for (const tag of remove) await graph.host.removeTag(uuid, tag)
      return page ? (await graph.visible.page(uuid)).is : landed(graph, uuid)
    },
  },
  'tags.create': {
    needs: 'tags.create',
    writes: true,
    async run(graph, params) {
      const title = name(params, 'name').trim()
      if (title.includes('/')) throw invalid('name', 'the name of a tag has no slash')
      const above = await tagsOf(graph, strings(params, 'extends'))
      const properties = await identsOf(graph, strings(params, 'properties'))
      const before = await tagRow(graph, title)
      if (!before) await graph.host.createTag(title)
      const uuid = (before ?? (await tagRow(graph, title)))?.uuid as string | undefined
      if (!uuid) throw ignored(`create the tag "${title}"`)
      for (const tag of above) await graph.host.extendTag(uuid, tag)
      for (const ident of properties) await graph.host.addTagProperty(uuid, ident)
      return { page: (await graph.reader.page(uuid)).is, existed: before !== undefined }
    },
  },
  'properties.create': {
    needs: 'properties.create',
    writes: true,
    async run(graph, params) {
      const title = name(params, 'name').trim()
      const taken = [...(await graph.reader.properties()).values()].find((one) => one.title.toLowerCase() === title.toLowerCase())
      if (taken) throw invalid('name', `there is a property "${taken.title}" of type ${taken.type} already`)
      await graph.host.createProperty(title, optionalText(params, 'type') ?? 'default', flag(params, 'many'))
      const made = [...(await graph.reader.properties()).values()].find((one) => one.title.toLowerCase() === title.toLowerCase())
      if (!made) throw ignored(`create the property "${title}"`)
      const [row] = await graph.reader.pull('?p', `[?p :db/ident ${made.ident}]`)
      return { uuid: row?.uuid, name: made.title, ident: made.ident, type: made.type, many: made.many }
    },
  },
}

/** The tag of a name or uuid that is in use. */
async function tagRow({ reader }: OpenGraph, tag: string): Promise<Row | undefined> {
  const isTag = '[?t :block/tags ?class] [?class :db/ident :logseq.class/Tag]'
  const by = isUUID(tag) ? `[?t :block/uuid #uuid "${tag.toLowerCase()}"]` : `[?t :block/name ${string(tag.replace(/^#/, '').trim().toLowerCase())}]`
  return (await reader.pull('?t', `${by} ${isTag}`)).find((row) => !(':logseq.property/deleted-at' in row))
}

/** What Logseq takes for tags: the ident of its own, the uuid of others. */
async function tagsOf(graph: OpenGraph, names: string[]): Promise<string[]> {
  const all: string[] = []
  for (const tag of names) {
    const row = await tagRow(graph, tag)
    const seen = row && (await graph.reader.page(row.uuid as string).catch(absent))
    if (!row || !seen || graph.visible.hides(seen.is)) throw notFound('tag', tag)
    all.push(row[':logseq.property/built-in?'] ? (row.ident as string) : (row.uuid as string))
  }
  return all
}

async function identsOf({ reader }: OpenGraph, titles: string[]): Promise<string[]> {
  const all = [...(await reader.properties()).values()]
  return titles.map((title) => {
    const found = all.find((one) => one.title.toLowerCase() === title.toLowerCase() || one.ident === title)
    if (!found) throw notFound('property', title)
    return found.ident
  })
}
