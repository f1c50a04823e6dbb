// Reads a txtar archive: text, then sections under "-- name --".

export interface Section {
  name: string
  lines: string[]
}

export function sections(archive: string): Section[] {
  const found: Section[] = []
  for (const line of archive.split('\n')) {
    const name = /^-- (.+) --$/.exec(line)?.[1]
    if (name) found.push({ name, lines: [] })
    else if (line.trim() !== '') found.at(-1)?.lines.push(line)
  }
  return found
}
