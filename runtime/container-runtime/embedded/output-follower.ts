import { closeSync, openSync, read, statSync } from 'node:fs'
import { Readable } from 'node:stream'

const chunkBytes = 64 * 1024

/** What is written to a file from now on, until it is told that there will be no more. */
export class OutputFollower extends Readable {
  readonly #fd: number
  #offset: number
  #isWaiting = false
  #isReading = false
  #isComplete = false

  constructor(file: string) {
    super({ highWaterMark: chunkBytes })
    this.#fd = openSync(file, 'r')
    this.#offset = statSync(file).size
  }

  /** The file may have more. */
  more(): void {
    if (!this.#isWaiting) return
    this.#isWaiting = false
    this._read()
  }

  /** The file will not have more. */
  complete(): void {
    this.#isComplete = true
    this.more()
  }

  override _read(): void {
    if (this.#isReading || this.destroyed) return
    this.#isReading = true
    const isLast = this.#isComplete
    const chunk = Buffer.allocUnsafe(chunkBytes)
    read(this.#fd, chunk, 0, chunkBytes, this.#offset, (error, count) => {
      this.#isReading = false
      if (this.destroyed) closeSync(this.#fd)
      else if (error) this.destroy(error)
      else if (count > 0) {
        this.#offset += count
        this.push(chunk.subarray(0, count))
      } else if (isLast) this.push(null)
      else if (this.#isComplete) this._read()
      else this.#isWaiting = true
    })
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (!this.#isReading) closeSync(this.#fd)
    done(error)
  }
}
