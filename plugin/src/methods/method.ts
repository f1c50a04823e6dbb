import type { Capability } from '../capabilities'
import type { OpenGraph } from '../graph'
import type { Params } from '../params'

/** One request the server may make. */
export interface Method {
  /** What this Logseq must offer for it. */
  needs: Capability
  writes?: true
  run(graph: OpenGraph, params: Params): Promise<unknown>
}

export type Methods = Record<string, Method>
