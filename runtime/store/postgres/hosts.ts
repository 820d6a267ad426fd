import { type Deadlines, type DriverConnection, send } from './connection.ts'
import { explained } from './database-error.ts'
import { type DatabaseHost, hostName } from './location.ts'

/**
 * Connects to the one of several hosts that can be written, beginning with the one that it was last time. What it gives
 * rejects with what each of them said if none can.
 */
export function toWritable(
  hosts: readonly DatabaseHost[],
  deadlines: Deadlines,
  connect: (host: DatabaseHost) => Promise<DriverConnection>,
): () => Promise<DriverConnection> {
  let last = 0
  return async () => {
    const problems: string[] = []
    for (let tried = 0, at = last; tried < hosts.length; tried++, at = (at + 1) % hosts.length) {
      const host = hosts[at] as DatabaseHost
      try {
        const connection = await writable(await connect(host), deadlines)
        last = at
        return connection
      } catch (error) {
        problems.push(`${hostName(host)}: ${explained(error)}`)
      }
    }
    throw new Error(`none of its hosts can be written (${problems.join('; ')})`)
  }
}

/** The connection, if what is at its other end can be written. */
async function writable(
  connection: DriverConnection,
  deadlines: Deadlines,
): Promise<DriverConnection> {
  const text = 'SELECT pg_is_in_recovery() AS standby'
  try {
    const [row] = await send(connection, { text }, deadlines)
    if (String(row?.standby) !== 'true') return connection
  } catch (error) {
    await connection.end().catch(() => {})
    throw error
  }
  await connection.end().catch(() => {})
  throw new Error('it is a standby')
}
