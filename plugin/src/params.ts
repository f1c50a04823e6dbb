import { isUUID } from './edn'
import { invalid } from './fault'
import type { Draft, Place, Values } from './model'
import type { BlockState, PageState } from './states'

// Reads the params of a request. Errors name the field.

export type Params = Record<string, unknown>

export function text(params: Params, field: string): string {
  const value = params[field]
  if (typeof value !== 'string') throw invalid(field, 'missing, a text is wanted')
  return value
}

/** A text that is not blank. */
export function name(params: Params, field: string): string {
  const value = text(params, field)
  if (value.trim() === '') throw invalid(field, 'empty')
  return value
}

export function requireUUID(params: Params, field: string): string {
  const value = text(params, field)
  if (!isUUID(value)) throw invalid(field, `not a uuid: "${value}"`)
  return value.toLowerCase()
}

export function optionalText(params: Params, field: string): string | undefined {
  return params[field] === undefined || params[field] === null ? undefined : text(params, field)
}

export function flag(params: Params, field: string): boolean {
  return params[field] === true
}

/** An integer, or fallback if absent. -1 means no limit. */
export function count(params: Params, field: string, fallback: number): number {
  const value = params[field] ?? fallback
  if (typeof value !== 'number' || !Number.isInteger(value) || value < -1) {
    throw invalid(field, `a whole number is wanted, got ${JSON.stringify(value)}`)
  }
  return value
}

export function values(params: Params, field: string): Values {
  const value = params[field] ?? {}
  if (typeof value !== 'object' || Array.isArray(value)) throw invalid(field, 'an object is wanted')
  return value as Values
}

export function strings(params: Params, field: string): string[] {
  const value = params[field] ?? []
  if (!Array.isArray(value) || value.some((one) => typeof one !== 'string')) {
    throw invalid(field, 'a list of texts is wanted')
  }
  return value as string[]
}

const places: readonly unknown[] = ['before', 'after', 'first', 'last']

export function place(params: Params): Place {
  const value = params.place ?? 'last'
  if (!places.includes(value)) throw invalid('place', `before, after, first or last, got ${JSON.stringify(value)}`)
  return value as Place
}

const maxDepth = 100

/** Blocks to write, each with its own uuid. */
export function drafts(params: Params, field: string, depth = 0): Draft[] {
  const list = params[field] ?? []
  if (!Array.isArray(list)) throw invalid(field, 'a list of blocks is wanted')
  if (depth > maxDepth) throw invalid(field, `at most ${maxDepth} levels deep`)
  return list.map((one: Params) => {
    const properties = values(one, 'properties')
    const children = drafts(one, 'children', depth + 1)
    const keep = strings(one, 'keep')
    return {
      uuid: requireUUID(one, 'uuid'),
      content: text(one, 'content'),
      ...(keep.length > 0 ? { keep } : {}),
      ...(Object.keys(properties).length > 0 ? { properties } : {}),
      ...(children.length > 0 ? { children } : {}),
    }
  })
}

/** One page of a list. A limit of -1 is all of it. */
export function slice<T>(list: T[], params: Params): T[] {
  const offset = Math.max(count(params, 'offset', 0), 0)
  const limit = count(params, 'limit', -1)
  return list.slice(offset, limit < 0 ? undefined : offset + limit)
}

/** A day as 20261121 or as "2026-11-21". */
export function requireDay({ day: value }: Params): number {
  const digits = String(value ?? '').replace(/-/g, '')
  if (!/^\d{8}$/.test(digits)) throw invalid('day', `a day as 2026-11-21, got ${JSON.stringify(value)}`)
  return Number(digits)
}

/** Blocks as the journal has recorded them. */
export function blockStates(params: Params, field: string, depth = 0): BlockState[] {
  const list = params[field] ?? []
  if (!Array.isArray(list)) throw invalid(field, 'a list of blocks is wanted')
  if (depth > maxDepth) throw invalid(field, `at most ${maxDepth} levels deep`)
  return list.map((one: Params) => {
    const children = blockStates(one, 'children', depth + 1)
    return {
      uuid: requireUUID(one, 'uuid'),
      text: text(one, 'text'),
      properties: values(one, 'properties'),
      tags: strings(one, 'tags'),
      ...(flag(one, 'collapsed') ? { collapsed: true as const } : {}),
      ...(children.length > 0 ? { children } : {}),
    }
  })
}

/** A page as the journal has recorded it. */
export function pageState(params: Params): PageState {
  const page = values(params, 'page')
  const [uuid, before] = [optionalText(page, 'uuid'), optionalText(page, 'text')]
  return {
    name: name(page, 'name'),
    ...(uuid === undefined ? {} : { uuid: requireUUID(page, 'uuid') }),
    ...(page.day ? { day: requireDay(page) } : {}),
    ...(before === undefined ? {} : { text: before }),
    properties: values(page, 'properties'),
    tags: strings(page, 'tags'),
  }
}
