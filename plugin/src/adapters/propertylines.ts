// On file graphs the properties of a block are lines of its text.

export interface Parts {
  body: string
  lines: [key: string, value: string][]
}

const property = /^\s*([^\s:;,#[\](){}"']+)::(?:\s+(.*))?$/

/** Takes the property lines out of a block's text. Code fences are left alone. */
export function split(raw: string): Parts {
  const lines: Parts['lines'] = []
  const body: string[] = []
  let fenced = false
  for (const line of raw.split('\n')) {
    if (/^\s*(```|~~~)/.test(line)) fenced = !fenced
    const found = fenced ? null : property.exec(line)
    if (found) lines.push([found[1]!, (found[2] ?? '').trim()])
    else body.push(line)
  }
  return { body: body.join('\n'), lines }
}

/** Puts the property lines below the first line of the text, where Logseq keeps them. */
export function join({ body, lines }: Parts): string {
  const written = lines.map(([key, value]) => `${key}:: ${value}`)
  if (body === '') return written.join('\n')
  const [first = '', ...rest] = body.split('\n')
  return [first, ...written, ...rest].join('\n')
}

/** The properties of a block in an Org file are a drawer below its first lines. */
export function splitDrawer(raw: string): Parts {
  const drawer = /^[ \t]*:PROPERTIES:[ \t]*\n((?:[ \t]*:[^\n]*\n)*?)[ \t]*:END:[ \t]*(?:\n|$)/m.exec(raw)
  if (!drawer) return { body: raw, lines: [] }
  const lines = drawer[1]!.split('\n').flatMap((line): Parts['lines'] => {
    const found = /^\s*:([^:\s]+):\s*(.*)$/.exec(line)
    return found ? [[found[1]!, found[2]!.trim()]] : []
  })
  return { body: (raw.slice(0, drawer.index) + raw.slice(drawer.index + drawer[0].length)).trimEnd(), lines }
}
