import type { Clock } from '../../kernel/async/clock.ts'
import type { Row } from '../sql/statement.ts'
import { ConnectionLost, isLost } from './database-error.ts'

/** A statement as the driver takes it. With a name the server prepares it once for each connection. */
export interface PostgresStatement {
  readonly text: string
  readonly values?: readonly unknown[]
  readonly name?: string
}

/** The part of a connection of `pg` that is used here. */
export interface DriverConnection {
  query(statement: PostgresStatement): Promise<{ readonly rows: readonly Row[] }>
  on(event: 'notification', listener: (message: { readonly payload?: string }) => void): void
  on(event: 'end', listener: () => void): void
  end(): Promise<void>
  readonly connection: { readonly stream: { destroy(): void } }
}

/** What gives an answer in time, or none. */
export interface Deadlines {
  readonly clock: Clock
  /** Milliseconds until a connection that does not answer counts as lost. */
  readonly answerMs: number
}

/**
 * Sends one statement; gives its rows. A connection that does not answer in time is destroyed: it may be silent for ever.
 *
 * @throws DatabaseError of the driver, ConnectionLost.
 */
export async function send(
  connection: DriverConnection,
  statement: PostgresStatement,
  { clock, answerMs }: Deadlines,
): Promise<readonly Row[]> {
  let late = false
  const cancel = clock.after(answerMs, () => {
    late = true
    connection.connection.stream.destroy()
  })
  try {
    return (await connection.query(statement)).rows
  } catch (error) {
    if (late) throw new ConnectionLost(`no answer within ${answerMs / 1000} s`, { cause: error })
    if (isLost(error)) connection.connection.stream.destroy()
    throw error
  } finally {
    cancel()
  }
}
