// Days are the person's own: Logseq keeps the moment at which one begins in
// the time zone of the machine.

/** The moment at which a day, "2026-11-21", begins here; NaN for what is no day. */
export function msOfDay(day: string): number {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? []
  if (!year) return NaN
  const at = new Date(Number(year), Number(month) - 1, Number(date))
  return at.getMonth() === Number(month) - 1 ? at.getTime() : NaN
}

/** The day of a moment here, as 20261121. */
export function dayOfMs(ms: number): number {
  const at = new Date(ms)
  return at.getFullYear() * 10_000 + (at.getMonth() + 1) * 100 + at.getDate()
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** A day as 20261121, of 20261121, "2026-11-21" or "Nov 21st, 2026". */
export function dayOfName(text: string): number | undefined {
  const named = /^([a-z]{3})[a-z]* (\d{1,2})(?:st|nd|rd|th), (\d{4})$/i.exec(text)
  const iso = named
    ? `${named[3]}-${String(months.indexOf(named[1]!.toLowerCase()) + 1).padStart(2, '0')}-${named[2]!.padStart(2, '0')}`
    : text.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3')
  return Number.isNaN(msOfDay(iso)) ? undefined : Number(iso.replaceAll('-', ''))
}
