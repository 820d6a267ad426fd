/** The pipe by which a container reads what is attached. */
import { execFileSync } from 'node:child_process'
import { closeSync, constants, existsSync, openSync } from 'node:fs'
import { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import { RuntimeError } from '../contract/runtime-error.ts'

/** One pipe, which has a name so that it can be found again. */
export class StdinPipe {
  readonly #file: string
  /** Keeps the program from seeing an end before something was attached. */
  #holder: number | undefined

  constructor(file: string) {
    this.#file = file
  }

  /** Opens the side of the program. What is read once ends when its first writer goes; else it never does. */
  openReader(isOnce: boolean): number {
    if (!existsSync(this.#file)) execFileSync('mkfifo', ['-m', '600', this.#file])
    const both = openSync(this.#file, constants.O_RDWR)
    if (!isOnce) return both
    this.#holder = both
    return openSync(this.#file, constants.O_RDONLY)
  }

  /** Opens the side of who is attached. @throws a RuntimeError if the program reads nothing any more. */
  openWriter(): Writable {
    let fd: number
    try {
      fd = openSync(this.#file, constants.O_WRONLY | constants.O_NONBLOCK)
    } catch (error) {
      throw new RuntimeError('FailedPrecondition', 'the container reads nothing any more', {
        cause: error,
      })
    }
    const socket = new Socket({ fd, readable: false, writable: true })
    socket.on('error', () => {})
    socket.once('close', () => this.close())
    return socket
  }

  close(): void {
    if (this.#holder !== undefined) closeSync(this.#holder)
    this.#holder = undefined
  }
}
