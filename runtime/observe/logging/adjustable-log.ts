import type { Log } from './log.ts'
import { createLogger } from './logger.ts'

/** A log whose detail may change while it is written. */
export interface AdjustableLog extends Log {
  /** 0 for what an operator reads, 4 and more for everything. */
  verbosity: number
}

/** From this verbosity on, everything is written. */
const detailed = 4

/** Writes lines of JSON, as many as the verbosity says. */
export async function createAdjustableLog(
  verbosity: number,
  write: (line: string) => void,
): Promise<AdjustableLog> {
  const brief = await createLogger({ level: 'info', write })
  const full = await createLogger({ level: 'debug', write })
  const now = (): Log => (log.verbosity >= detailed ? full : brief)
  const log: AdjustableLog = {
    verbosity,
    get debugging() {
      return now().debugging
    },
    debug: (...line) => now().debug(...line),
    info: (...line) => now().info(...line),
    warn: (...line) => now().warn(...line),
    error: (...line) => now().error(...line),
  }
  return log
}
