// File graphs name their journal pages by the person's date format.

const months = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December']
const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** The name of a day's journal. day is 20261121, format as in Logseq: "MMM do, yyyy". */
export function journalName(day: number, format: string): string {
  const [y, m, d] = [Math.floor(day / 10000), Math.floor(day / 100) % 100, day % 100]
  const weekday = days[new Date(Date.UTC(y, m - 1, d)).getUTCDay()]!
  const month = months[m - 1] ?? ''
  const parts: Record<string, string> = {
    yyyy: String(y), yy: String(y % 100).padStart(2, '0'),
    MMMM: month, MMM: month.slice(0, 3), MM: String(m).padStart(2, '0'), M: String(m),
    dd: String(d).padStart(2, '0'), do: ordinal(d), d: String(d),
    EEEE: weekday, EEE: weekday.slice(0, 3), EE: weekday.slice(0, 3), E: weekday.slice(0, 3),
  }
  return format.replace(/'([^']*)'|yyyy|yy|MMMM|MMM|MM|M|do|dd|d|EEEE|EEE|EE|E/g, (token, quoted?: string) =>
    quoted ?? parts[token] ?? token,
  )
}

function ordinal(day: number): string {
  const teen = day > 10 && day < 14
  return `${day}${teen ? 'th' : (['th', 'st', 'nd', 'rd'][day % 10] ?? 'th')}`
}
