import { createLogger, type Log } from '../../runtime/observe/observe.ts'

/** A log whose detail may change while it is written. */
export interface DaemonLog extends Log {
  /** 0 for what an operator reads, 4 and more for everything. */
  verbosity: number
}

/** From this verbosity on, everything is written. */
const detailed = 4

/** Writes lines of JSON. */
export async function daemonLog(
  verbosity: number,
  write: (line: string) => void,
): Promise<DaemonLog> {
  const brief = await createLogger({ level: 'info', write })
  const full = await createLogger({ level: 'debug', write })
  const now = (): Log => (log.verbosity >= detailed ? full : brief)
  const log: DaemonLog = {
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
