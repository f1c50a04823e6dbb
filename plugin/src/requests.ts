// What the person asked agents about, with "Ask an agent about this". The
// plugin keeps it until an agent has answered: by uuids, so that what an agent
// reads is what is there when it reads.

export interface AgentRequest {
  id: string
  /** When, in milliseconds. */
  at: number
  blocks: string[]
  page?: string
}

/** More than this many nobody has answered are not kept; the oldest go. */
const maxRequests = 50

export class RequestQueue {
  private waiting: { graph: string; request: AgentRequest }[] = []

  constructor(private readonly now: () => number) {}

  /** Adds a request about something in a graph, by the graph's address. */
  add(graph: string, about: { blocks: string[]; page?: string }): AgentRequest {
    const request = { id: crypto.randomUUID() as string, at: this.now(), ...about }
    this.waiting = [...this.waiting, { graph, request }].slice(-maxRequests)
    return request
  }

  /** Those that wait in a graph, oldest first. */
  list(graph: string): AgentRequest[] {
    return this.waiting.filter((one) => one.graph === graph).map(({ request }) => request)
  }

  /** Whether there was such a request, which there is no more. */
  remove(graph: string, id: string): boolean {
    const before = this.waiting.length
    this.waiting = this.waiting.filter((one) => one.graph !== graph || one.request.id !== id)
    return this.waiting.length < before
  }
}
