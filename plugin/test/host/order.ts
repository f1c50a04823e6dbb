// Keys between keys: the order of siblings in a DB graph is a text that sorts,
// an integer in base 62 with its length in the first letter, and a fraction.

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const [zero, last] = [digits[0]!, digits.at(-1)!]

/** A key between two others; null is the beginning or the end. */
export function keyBetween(a: string | null, b: string | null): string {
  if (a === null && b === null) return 'a0'
  if (a === null) {
    const whole = integer(b!)
    return whole < b! ? whole : decrement(whole)
  }
  const whole = integer(a)
  const fraction = a.slice(whole.length)
  if (b === null) return increment(whole)
  if (whole === integer(b)) return whole + midpoint(fraction, b.slice(whole.length))
  const next = increment(whole)
  return next < b ? next : whole + midpoint(fraction, null)
}

export function keysBetween(a: string | null, b: string | null, count: number): string[] {
  if (count === 0) return []
  if (count === 1) return [keyBetween(a, b)]
  if (b === null) {
    const first = keyBetween(a, null)
    return [first, ...keysBetween(first, null, count - 1)]
  }
  if (a === null) {
    const right = keyBetween(null, b)
    return [...keysBetween(null, right, count - 1), right]
  }
  const half = Math.floor(count / 2)
  const middle = keyBetween(a, b)
  return [...keysBetween(a, middle, half), middle, ...keysBetween(middle, b, count - half - 1)]
}

function integer(key: string): string {
  const head = key[0]!
  const length = head >= 'a' ? head.charCodeAt(0) - 97 + 2 : 90 - head.charCodeAt(0) + 2
  return key.slice(0, length)
}

function midpoint(a: string, b: string | null): string {
  if (b !== null) {
    let same = 0
    while ((a[same] ?? zero) === b[same]) same++
    if (same > 0) return b.slice(0, same) + midpoint(a.slice(same), b.slice(same))
  }
  const low = a ? digits.indexOf(a[0]!) : 0
  const high = b === null ? digits.length : digits.indexOf(b[0]!)
  if (high - low > 1) return digits[Math.round((low + high) / 2)]!
  if (b !== null && b.length > 1) return b.slice(0, 1)
  return digits[low]! + midpoint(a.slice(1), null)
}

function increment(whole: string): string {
  const [head, ...rest] = whole
  for (let at = rest.length - 1; at >= 0; at--) {
    const digit = digits.indexOf(rest[at]!) + 1
    if (digit < digits.length) {
      rest[at] = digits[digit]!
      return head + rest.join('')
    }
    rest[at] = zero
  }
  if (head === 'Z') return `a${zero}`
  return String.fromCharCode(head!.charCodeAt(0) + 1) + (head! >= 'a' ? rest.join('') + zero : rest.slice(1).join(''))
}

function decrement(whole: string): string {
  const [head, ...rest] = whole
  for (let at = rest.length - 1; at >= 0; at--) {
    const digit = digits.indexOf(rest[at]!) - 1
    if (digit >= 0) {
      rest[at] = digits[digit]!
      return head + rest.join('')
    }
    rest[at] = last
  }
  if (head === 'a') return `Z${last}`
  return String.fromCharCode(head!.charCodeAt(0) - 1) + (head! > 'a' ? rest.slice(1).join('') : rest.join('') + last)
}
