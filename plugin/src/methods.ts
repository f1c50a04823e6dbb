import { type Capability } from './capabilities'
import { Fault, asFault } from './fault'
import type { OpenGraph } from './graph'
import { assets } from './methods/assets'
import { blocks } from './methods/blocks'
import { filter } from './methods/filter'
import { find } from './methods/find'
import { lists } from './methods/lists'
import type { Method, Methods, WaitingRequests } from './methods/method'
import { objects } from './methods/objects'
import { pages } from './methods/pages'
import { requests } from './methods/requests'
import { states } from './methods/states'
import { tasks } from './methods/tasks'
import { windowMethods } from './methods/window'
import type { Params } from './params'

const all: Methods = { ...pages, ...blocks, ...find, ...filter, ...lists, ...tasks, ...objects, ...assets, ...windowMethods, ...requests, ...states }

export const methodNames = Object.keys(all).sort()

export interface AccessState {
  /** Absent while no graph is open. */
  graph?: OpenGraph
  readOnly: boolean
  capabilities: readonly Capability[]
  /** What the person asked agents about in this graph; absent: nothing. */
  waiting?: WaitingRequests
}

/** Runs one request of the server, or throws a Fault. */
export async function run(now: AccessState, name: string, params: Params): Promise<unknown> {
  if (!Object.hasOwn(all, name)) {
    throw new Fault('CAPABILITY_MISSING', `this plugin has no method "${name}"`, { method: name })
  }
  const method = all[name]!
  if (!now.graph) throw new Fault('NOT_FOUND', 'no graph is open in Logseq')
  checkAllowed(now, method)
  try {
    return await method.run(params.bare === true ? now.graph.withRawReferences() : now.graph, params, now.waiting ?? nothingWaits)
  } catch (thrown) {
    throw explainTakenUUID(asFault(thrown))
  }
}

const nothingWaits: WaitingRequests = { list: () => [], remove: () => false }

function checkAllowed({ readOnly, capabilities }: AccessState, method: Method): void {
  const data = { capability: method.needs }
  if (readOnly && method.writes) {
    throw new Fault('CAPABILITY_MISSING', 'the settings of the plugin make this graph read-only', data)
  }
  if (!capabilities.includes(method.needs)) {
    throw new Fault('CAPABILITY_MISSING', `this Logseq does not offer ${method.needs}`, data)
  }
}

/** Logseq refuses a uuid that exists: the write has happened already, or it is not ours. */
function explainTakenUUID(fault: Fault): Fault {
  if (!/UUID already exists/.test(fault.message)) return fault
  return new Fault('INVALID_INPUT', fault.message, { ...fault.data, field: 'uuid' })
}
