import type { IncomingMessage } from 'node:http'
import { StatusError } from '../../kernel/errors/status-error.ts'

/** Bounds of what a server holds of the bodies that are sent to it. */
export interface BodyLimits {
  /** The most bytes of one body: no more are read. */
  readonly one: number
  /** The most bytes of all bodies under way: one more is refused for now. */
  readonly all: number
}

/** Reads bodies of strangers, however many send at once. */
export class BodyBudget {
  readonly #limits: BodyLimits
  #held = 0

  constructor(limits: BodyLimits) {
    this.#limits = limits
  }

  /**
   * Reads a body and gives it to `use`; its bytes count until that has ended.
   *
   * @throws StatusError `RequestEntityTooLarge`; `ServiceUnavailable` while others hold too much.
   */
  async use<R>(request: IncomingMessage, use: (body: Buffer) => Promise<R>): Promise<R> {
    const chunks: Buffer[] = []
    let length = 0
    try {
      for await (const chunk of request as AsyncIterable<Buffer>) {
        length += chunk.length
        this.#held += chunk.length
        this.#check(length)
        chunks.push(chunk)
      }
      return await use(Buffer.concat(chunks))
    } finally {
      this.#held -= length
    }
  }

  #check(length: number): void {
    const { one, all } = this.#limits
    if (length > one)
      throw new StatusError('RequestEntityTooLarge', `a review has at most ${one} bytes`)
    if (this.#held > all) {
      throw new StatusError('ServiceUnavailable', `reviews under way hold more than ${all} bytes`)
    }
  }
}
