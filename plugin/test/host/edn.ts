// Logseq reads queries as EDN, where attributes are keywords; DataScript's
// JavaScript face knows them as strings. This is the way from one to the other.

const clauseWords = new Set([':find', ':in', ':where', ':with', ':keys', ':limit', ':default', ':as', ':db/id'])

/** Rewrites keywords and uuid literals outside strings to plain strings. */
export function stringly(edn: string): string {
  return edn.replace(/"(?:[^"\\]|\\.)*"|#uuid\s+("[^"]*")|:[^\s"()[\]{},]+/g, (token, uuid?: string) => {
    if (uuid) return uuid
    return token.startsWith(':') && !clauseWords.has(token) ? `"${token}"` : token
  })
}

/** Reads an input of a query: a string, keyword, number or vector of them. */
export function readInput(edn: string): unknown {
  const text = stringly(edn.trim())
  if (/^[\w-]+$/.test(text) && Number.isNaN(Number(text))) throw new Error(`a bare ${text} is a symbol`)
  return JSON.parse(text.startsWith('[') ? text.replace(/"\s+(?=["\d])|(\d)\s+(?=["\d])/g, (m, d?: string) => (d ? `${d},` : `${m.trim()},`)) : text)
}
