import type { ConnectionState } from '../connection'

const labels: Record<ConnectionState['phase'], string> = {
  off: 'not connected',
  connecting: 'connecting',
  connected: 'connected',
  waiting: 'waiting for Lectern',
  replaced: 'replaced by another Logseq',
}

export const label = ({ phase }: ConnectionState) => labels[phase]

/** The toolbar button: a sign that needs no colour, with a tooltip. */
export function toolbar(connection: ConnectionState): { key: string; template: string } {
  const sign = { connected: '●', connecting: '◌', waiting: '◌', off: '○', replaced: '○' }[connection.phase]
  return {
    key: 'lectern',
    template: `<a class="button" data-on-click="openLectern" title="Lectern: ${label(connection)}">L${sign}</a>`,
  }
}
