// Logseq loads the page in a frame of another origin and gives it no access to
// the clipboard, so the browser's own way is refused there. The older one asks
// only that a person has just pressed something.

/** Puts a text on the system's clipboard, and says whether it is there. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copySelected(text)
  }
}

function copySelected(text: string): boolean {
  const before = document.activeElement
  const area = document.createElement('textarea')
  area.value = text
  area.style.cssText = 'position: fixed; opacity: 0'
  document.body.append(area)
  area.select()
  try {
    return document.execCommand('copy')
  } finally {
    area.remove()
    if (before instanceof HTMLElement) before.focus()
  }
}
