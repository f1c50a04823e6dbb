/** A line of the log, for the status page. */
export interface LogLine {
  at: string
  text: string
}

const maxLines = 50

/** The newest lines of what happened to the plugin, for the person: a message may name a page. */
export class EventLog {
  private lines: LogLine[] = []

  constructor(private readonly now: () => number) {}

  /** Adds a line, unless it repeats the last one. */
  add(text: string): void {
    if (this.lines.at(-1)?.text === text) return
    this.lines = [...this.lines, { at: new Date(this.now()).toISOString(), text }].slice(-maxLines)
  }

  /** The newest lines, oldest first. */
  newest(count: number): LogLine[] {
    return this.lines.slice(-count)
  }
}
