import type { Task } from './dialect'

// Tasks as Markdown writes them, "TODO [#A] call Ada" with a line "DEADLINE:
// <2026-12-01 Tue>". A DB graph would keep all of it as text, and make a tag
// "A]" of it.

export interface TaskText {
  text: string
  task?: Partial<Task>
}

const marker = /^(TODO|DOING|NOW|LATER|WAITING|WAIT|IN-PROGRESS|STARTED|DONE|CANCELED|CANCELLED)\s+/
const priority = /^\[#([A-C])\]\s+/
const day = /^\s*(SCHEDULED|DEADLINE):\s*<(\d{4}-\d\d-\d\d)[^>\n]*>\s*$/

/** Takes the marks of a task off a text. */
export function splitTask(content: string): TaskText {
  const status = marker.exec(content)?.[1]
  const rest = content.replace(marker, '')
  const letter = priority.exec(rest)?.[1]
  const dates: Partial<Task> = {}
  let fenced = false
  const lines = rest.replace(priority, '').split('\n').filter((line) => {
    if (/^\s*(```|~~~)/.test(line)) fenced = !fenced
    const found = fenced ? null : day.exec(line)
    if (found) dates[found[1] === 'DEADLINE' ? 'deadline' : 'scheduled'] = found[2]!
    return !found
  })
  const task: Partial<Task> = { ...(status ? { status } : {}), ...(letter ? { priority: letter } : {}), ...dates }
  return Object.keys(task).length === 0 ? { text: content } : { text: lines.join('\n'), task }
}
