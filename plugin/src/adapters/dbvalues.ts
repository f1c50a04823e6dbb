import { isUUID } from '../edn'
import { invalid } from '../fault'
import { dayOfName, msOfDay } from '../days'
import type { Values } from '../model'
import type { NamedEntity, Property } from './dialect'

// Values of DB properties, from what people see to what Logseq stores. Logseq
// itself takes the old value away without a word where a new one does not fit
// its type, or puts a stray text where a page was meant: so every value is
// checked here, before anything is written.

/** Looks up idents and entities by their display names. */
export interface Lookup {
  property(title: string): Promise<Property | undefined>
  choices(ident: string): Promise<NamedEntity[]>
  /** The id of a page by name, path or uuid. */
  page(name: string): Promise<number | undefined>
  journal(day: number): Promise<number | undefined>
}

/** Makes what a value names and is not there. */
export interface Maker {
  page(name: string): Promise<number>
  journal(day: number): Promise<number>
}

export class StoredValues {
  constructor(private readonly lookup: Lookup) {}

  /** Properties by ident, values as Logseq stores them. Without a maker pages that are missing stay so, and only what is wrong is found. */
  async of(properties: Values, make?: Maker): Promise<[string, unknown][]> {
    const all: [string, unknown][] = []
    for (const [title, value] of Object.entries(properties)) {
      const property = await this.lookup.property(title)
      if (value === null) all.push([property?.ident ?? title, null])
      // If there is no property of that name, Logseq creates one of the plugin.
      else if (!property) all.push([title, inferable(title, value)])
      else all.push([property.ident, await this.value(property, value, make)])
    }
    return all
  }

  private async value(property: Property, value: unknown, make?: Maker): Promise<unknown> {
    if (!Array.isArray(value)) return this.single(property, value, make)
    if (!property.many) throw refused(property, 'one value', value)
    return Promise.all(value.map((one) => this.single(property, one, make)))
  }

  private async single(property: Property, value: unknown, make?: Maker): Promise<unknown> {
    const choices = await this.lookup.choices(property.ident)
    if (choices.length > 0) {
      const text = (one: NamedEntity) => String(one.value ?? one.title)
      const found = choices.find((one) => text(one).toLowerCase() === String(value).toLowerCase())
      if (!found) throw refused(property, `one of ${choices.map(text).join(', ')}`, value)
      return found.id
    }
    switch (property.type) {
      case 'number':
        return numberIn(property, value)
      case 'checkbox':
        if (typeof value === 'boolean') return value
        if (value === 'true' || value === 'false') return value === 'true'
        throw refused(property, 'true or false', value)
      case 'url':
        if (typeof value === 'string' && isURL(value)) return value
        throw refused(property, 'a URL with its scheme, as https://logseq.com', value)
      case 'date':
        return this.date(property, value, make)
      case 'datetime':
        return datetimeIn(property, value)
      case 'node':
      case 'page':
      case 'class':
        return this.node(property, value, make)
      case 'json':
        return value
      default:
        if (typeof value === 'object') throw refused(property, 'a text', value)
        // Where text is expected Logseq takes a number for the id of an entity.
        return String(value)
    }
  }

  private async date(property: Property, value: unknown, make?: Maker): Promise<unknown> {
    const day = dayOfName(unlinked(String(value)))
    if (!day) throw refused(property, 'a day as 2026-11-21', value)
    return (await this.lookup.journal(day)) ?? make?.journal(day)
  }

  private async node(property: Property, value: unknown, make?: Maker): Promise<unknown> {
    const name = typeof value === 'string' ? unlinked(value) : ''
    if (name === '') throw refused(property, 'the name of a page, or its uuid', value)
    const found = await this.lookup.page(name)
    if (found === undefined && isUUID(name)) throw refused(property, 'the name of a page, or the uuid of one that exists', value)
    return found ?? make?.page(name)
  }
}

const refused = (property: Property, wanted: string, value: unknown) =>
  invalid('properties', `${property.title} (${property.type}) takes ${wanted}, got ${JSON.stringify(value)}`)

const unlinked = (text: string) => text.trim().replace(/^\[\[(.*)\]\]$/, '$1').trim()

const zero = 'Logseq stores every number but 0 for plugins; leave the property off, or ask the user to set it'

function numberIn(property: Property, value: unknown): number {
  const number = typeof value === 'number' ? value : typeof value === 'string' && value.trim() !== '' ? Number(value) : NaN
  if (!Number.isFinite(number)) throw refused(property, 'a number', value)
  if (number === 0) throw invalid('properties', `${property.title}: ${zero}`)
  return number
}

function inferable(title: string, value: unknown): unknown {
  if ([value].flat().includes(0)) throw invalid('properties', `${title}: ${zero}`)
  return value
}

/** Milliseconds of a day or a time, which are the person's own. */
function datetimeIn(property: Property, value: unknown): number {
  if (typeof value === 'number' && value > 1e11) return value
  const text = String(value).trim()
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? msOfDay(text) : undefined
  const at = day ?? (/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text) ? Date.parse(text.replace(' ', 'T')) : NaN)
  if (Number.isNaN(at)) throw refused(property, 'a day as 2026-11-21, or a time as 2026-11-21T10:00', value)
  return at
}

function isURL(text: string): boolean {
  try {
    return new URL(text).host !== ''
  } catch {
    return false
  }
}
