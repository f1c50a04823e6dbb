import { isUUID } from '../edn'
import { invalid } from '../fault'
import type { Host } from '../host'
import { msOfDay } from '../days'
import type { Block, Draft, Page, Values } from '../model'
import { type Lookup, type Maker, StoredValues } from './dbvalues'
import { type Task, type Writes, flatten } from './dialect'
import { Insertion } from './insertion'
import { type TaskText, splitTask } from './taskmarkup'

// Writes on DB graphs, Logseq 2.x.

/** What the writes must find out about the graph. */
export interface DbLookup extends Lookup {
  /** The uuid of a page by its path. */
  pageUUID(path: string): Promise<string | undefined>
  /** The key of a property that the plugin has made. */
  ownProperty(uuid: string): Promise<string | undefined>
  /** Whether a block is a heading. */
  isHeading(uuid: string): Promise<boolean>
}

const taskClass = ':logseq.class/Task'
const heading = ':logseq.property/heading'

export class DbWrites implements Writes {
  private readonly at: Insertion
  private readonly stored: StoredValues
  private readonly make: Maker

  constructor(
    private readonly host: Host,
    private readonly lookup: DbLookup,
  ) {
    this.at = new Insertion(host, ({ content }) => this.compose(splitTask(content).text), (page) => page.uuid)
    this.stored = new StoredValues(lookup)
    this.make = {
      page: async (name) => {
        await this.createPage(name, false)
        return present(await lookup.page(name), `page "${name}"`)
      },
      journal: async (day) => {
        await this.createJournal(day)
        return present(await lookup.journal(day), `journal ${day}`)
      },
    }
  }

  async createPage(title: string, firstBlock: boolean, uuid?: string): Promise<void> {
    await this.host.createPage(title, uuid ? { firstBlock, uuid } : { firstBlock })
  }

  async createJournal(day: number): Promise<void> {
    const [year, month, date] = [String(day).slice(0, 4), String(day).slice(4, 6), String(day).slice(6)]
    // At noon, because Logseq reads the day in the person's own time zone.
    await this.host.createJournal(`${year}-${month}-${date}T12:00:00`)
  }

  /** Logseq renames the last part of a path, and moves no page below another. */
  async renamePage(page: Page, name: string): Promise<void> {
    const above = (path: string) => path.slice(0, path.lastIndexOf('/') + 1)
    if (above(name).toLowerCase() !== above(page.name).toLowerCase()) {
      const stays = `${above(page.name)}${name.slice(name.lastIndexOf('/') + 1)}`
      throw invalid('name', `on a DB graph a page stays below the page it is on: "${stays}" is possible, "${name}" is not`)
    }
    // The uuid, though Logseq's typings speak of a name.
    await this.host.renamePage(page.uuid, name.slice(name.lastIndexOf('/') + 1))
  }

  /** By uuid: a name may be that of several pages, and Logseq takes the first. */
  async deletePage(page: Page): Promise<void> {
    const own = page.kind === 'property' && (await this.lookup.ownProperty(page.uuid))
    if (own) await this.host.deleteProperty(own)
    else await this.host.deletePage(page.uuid)
  }

  setPageProperties: Writes['setPageProperties'] = (page, properties) =>
    this.setProperties(page.uuid, properties)

  insert: Writes['insert'] = async (target, place, draft) => {
    await this.checkDraft(draft)
    if (await this.at.one(target, place, draft)) await this.complete(draft)
  }

  insertTree: Writes['insertTree'] = async (target, place, drafts) => {
    for (const draft of flatten(drafts)) await this.checkDraft(draft)
    if (!(await this.at.tree(target, place, drafts))) return
    for (const draft of flatten(drafts)) await this.complete(draft)
  }

  setContent: Writes['setContent'] = async (block, content) => {
    const { text, task } = splitTask(content)
    const changes = await this.taskChanges(task)
    await this.host.updateBlock(block.uuid, await this.compose(text))
    // A heading stays one in Logseq, whatever its text becomes.
    if (!/^#{1,6} /.test(text) && (await this.lookup.isHeading(block.uuid))) await this.host.removeProperty(block.uuid, heading)
    await this.applyTask(block.uuid, block.tags, task, changes)
  }

  check: Writes['check'] = async (properties) => {
    await this.stored.of(properties)
  }

  async setProperties(uuid: string, properties: Values): Promise<void> {
    await this.stored.of(properties) // what is wrong is found before a page is made for what is right
    for (const [key, value] of await this.stored.of(properties, this.make)) await this.put(uuid, key, value)
  }

  async setTask(block: Block, task: Task): Promise<void> {
    await this.applyTask(block.uuid, block.tags, task, await this.taskChanges(task))
  }

  private async put(uuid: string, ident: string, value: unknown): Promise<void> {
    if (value === null || value === '') await this.host.removeProperty(uuid, ident)
    else await this.host.setProperty(uuid, ident, value)
  }

  private async checkDraft({ content, properties }: Draft): Promise<void> {
    await this.stored.of(properties ?? {})
    await this.taskChanges(splitTask(content).task)
  }

  /** What a draft has beside its text. */
  private async complete({ uuid, content, properties }: Draft): Promise<void> {
    const { task } = splitTask(content)
    await this.applyTask(uuid, [], task, await this.taskChanges(task))
    if (properties) await this.setProperties(uuid, properties)
  }

  /** A text with its links: of a page whose name has a slash Logseq takes only the uuid for one. */
  private async compose(text: string): Promise<string> {
    const parts = text.split(/(```[\s\S]*?(?:```|$)|`[^`\n]*`)/)
    for (const [at, part] of parts.entries()) {
      if (at % 2 === 1) continue
      for (const [link, name] of part.matchAll(/(?<![\\#])\[\[([^[\]\n]*\/[^[\]\n]*)\]\]/g)) {
        if (name!.includes('://') || /^\/|\/$|\/\//.test(name!)) continue
        const uuid = (await this.lookup.pageUUID(name!)) ?? (await this.createLinked(name!))
        if (uuid) parts[at] = parts[at]!.replaceAll(link, `[[${uuid}]]`)
      }
    }
    return parts.join('')
  }

  /** As Logseq makes the page of a link without a slash. */
  private async createLinked(path: string): Promise<string | undefined> {
    const page = await this.host.createPage(path, { firstBlock: false })
    return isUUID(String(page?.uuid)) ? String(page!.uuid) : undefined
  }

  /** The properties that make a task of a block; wrong words are found here. */
  private async taskChanges(task: TaskText['task'] = {}): Promise<[string, unknown][]> {
    const changes: [string, unknown][] = []
    if (task.status) changes.push([':logseq.property/status', await this.choice(':logseq.property/status', 'status', task.status)])
    if (task.priority !== undefined) {
      const ident = ':logseq.property/priority'
      changes.push([ident, task.priority && (await this.choice(ident, 'priority', task.priority))])
    }
    for (const key of ['scheduled', 'deadline'] as const) {
      const day = task[key]
      if (day !== undefined) changes.push([`:logseq.property/${key}`, day && parseDay(key, day)])
    }
    return changes
  }

  private async applyTask(uuid: string, tags: string[], task: TaskText['task'], changes: [string, unknown][]): Promise<void> {
    if (task?.status && !tags.includes('Task')) await this.host.addTag(uuid, taskClass)
    for (const [ident, value] of changes) await this.put(uuid, ident, value)
  }

  private async choice(ident: string, field: string, word: string): Promise<number> {
    const title = statusNames[word.toUpperCase()] ?? word
    const choices = await this.lookup.choices(ident)
    const found = choices.find((one) => String(one.value ?? one.title).toLowerCase() === title.toLowerCase())
    if (found) return found.id
    throw invalid(field, `one of ${choices.map((one) => one.value ?? one.title).join(', ')}, got "${word}"`)
  }
}

function present(id: number | undefined, what: string): number {
  if (id === undefined) throw invalid('properties', `Logseq did not make the ${what}`)
  return id
}

/** Task markers of file graphs as statuses of DB graphs. */
const statusNames: Record<string, string> = {
  NOW: 'Doing', LATER: 'Todo', WAITING: 'In Review', WAIT: 'In Review', STARTED: 'Doing', CANCELLED: 'Canceled', 'IN-PROGRESS': 'Doing',
  'IN-REVIEW': 'In Review', A: 'High', B: 'Medium', C: 'Low',
}

function parseDay(field: string, day: string): number {
  const ms = msOfDay(day)
  if (Number.isNaN(ms)) throw invalid(field, `a day as 2026-11-21, got "${day}"`)
  return ms
}
