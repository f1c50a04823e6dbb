import type { Capability } from '../capabilities'
import type { OpenGraph } from '../graph'
import type { Params } from '../params'
import type { AgentRequest } from '../requests'

/** What the person asked agents about in the open graph. */
export interface WaitingRequests {
  list(): AgentRequest[]
  /** Whether there was such a request. */
  remove(id: string): boolean
}

/** One request the server may make. */
export interface Method {
  /** What this Logseq must offer for it. */
  needs: Capability
  writes?: true
  run(graph: OpenGraph, params: Params, waiting: WaitingRequests): Promise<unknown>
}

export type Methods = Record<string, Method>
