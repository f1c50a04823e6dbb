import type { Row } from '../host'

// The files that a block shows, by their names in the graph's folder of assets.

/** The file of a DB graph is called by its block's uuid and its type; one that is elsewhere is no file of the graph. */
export function storedFiles(row: Row): { files?: string[] } {
  const type = String(row[':logseq.property.asset/type'] ?? '')
  if (row[':logseq.property.asset/external-url'] !== undefined || !/^\w+$/.test(type)) return {}
  return { files: [`${row.uuid}.${type}`] }
}

/** Below assets, as Markdown and Org link to it: up to the bracket or quote that ends the link. */
const link = /\.\.\/assets\/([^)\]\n"]+)/g

export function linkedFiles(text: string): { files?: string[] } {
  const found = [...text.matchAll(link)].map(([, name]) => decoded(name!.trim()))
  return found.length > 0 ? { files: [...new Set(found)] } : {}
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name // a person may have typed a percent sign
  }
}
