import type { Connection } from '../wire'

const labels: Record<Connection['phase'], string> = {
  off: 'not connected',
  connecting: 'connecting',
  connected: 'connected',
  waiting: 'waiting for Lectern',
  replaced: 'replaced by another Logseq',
}

export const label = ({ phase }: Connection) => labels[phase]

/** The toolbar's button: a sign that needs no colour, and words for who points at it. */
export function toolbar(connection: Connection): { key: string; template: string } {
  const sign = { connected: '●', connecting: '◌', waiting: '◌', off: '○', replaced: '○' }[connection.phase]
  return {
    key: 'lectern',
    template: `<a class="button" data-on-click="openLectern" title="Lectern: ${label(connection)}">L${sign}</a>`,
  }
}
