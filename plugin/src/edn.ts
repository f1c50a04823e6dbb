// Literals of EDN, the syntax of Logseq's queries.

const uuidShape = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export const isUUID = (text: string) => uuidShape.test(text)

/** A uuid literal; the caller has checked its shape. */
export const uuid = (text: string) => `#uuid "${text.toLowerCase()}"`

/** A string literal: quotes and backslashes cannot end it early. */
export const string = (text: string) => `"${text.replace(/[\\"]/g, '\\$&')}"`

/** A vector of numbers. */
export const numbers = (list: Iterable<number>) => `[${[...list].join(' ')}]`
