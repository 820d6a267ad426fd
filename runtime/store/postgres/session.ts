import { randomBytes } from 'node:crypto'
import type { Row } from '../sql/statement.ts'
import {
  type Deadlines,
  type DriverConnection,
  type PostgresStatement,
  send,
} from './connection.ts'

/** How long the end of a connection may take. */
const leaveMs = 2000

/** A connection that is its holder's alone until it is closed or lost. */
export class Session {
  readonly #connection: DriverConnection
  readonly #deadlines: Deadlines
  #lost = false

  constructor(connection: DriverConnection, deadlines: Deadlines) {
    this.#connection = connection
    this.#deadlines = deadlines
    connection.on('end', () => {
      this.#lost = true
    })
  }

  /** True once nothing can be sent any more. */
  get lost(): boolean {
    return this.#lost
  }

  /** Sends one statement; gives its rows. @throws DatabaseError, ConnectionLost */
  query(
    statement: PostgresStatement,
    answerMs = this.#deadlines.answerMs,
  ): Promise<readonly Row[]> {
    return send(this.#connection, statement, { ...this.#deadlines, answerMs })
  }

  /** Calls back with the text of every notification. */
  onNotification(listener: (text: string) => void): void {
    this.#connection.on('notification', ({ payload = '' }) => listener(payload))
  }

  onLost(listener: () => void): void {
    this.#connection.on('end', listener)
  }

  /** Takes leave; of a database that does not answer only shortly. */
  async close(): Promise<void> {
    const cancel = this.#deadlines.clock.after(leaveMs, () => {
      this.#connection.connection.stream.destroy()
    })
    await this.#connection.end().catch(() => {})
    cancel()
  }
}

/** A positive number of 63 bits, as text: for what has to differ from everything else. */
export function randomKey(): string {
  return (randomBytes(8).readBigUInt64BE() >> 1n).toString()
}
