/** Turns what a container writes into lines of a log as CRI has them: `TIME stream F text`. */
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import type { Clock } from '../../kernel/async/clock.ts'

/** Longer lines are written in parts. */
const longestLine = 16 * 1024
const chunkBytes = 64 * 1024

type Stream = 'stdout' | 'stderr'

/** Where output comes from, and where it goes. */
export interface LogFiles {
  readonly stdout: string
  readonly stderr: string
  /** Keeps how much was read, for who goes on later. */
  readonly offsets: string
  readonly log: string
  readonly clock: Clock
}

/** Writes the log of one container. */
export class LogWriter {
  readonly #files: LogFiles
  readonly #sources: Record<Stream, { fd: number; offset: number; rest: Buffer }>
  #log: number

  constructor(files: LogFiles) {
    this.#files = files
    const [stdout, stderr] = readOffsets(files.offsets)
    const source = (file: string, offset: number) => ({
      ...{ fd: openSync(file, 'r'), offset, rest: Buffer.alloc(0) },
    })
    this.#sources = { stdout: source(files.stdout, stdout), stderr: source(files.stderr, stderr) }
    this.#log = openLog(files.log)
  }

  /** Takes over what was written since; at the end also what has no end of line. */
  pump(isEnd = false): void {
    const lines = [...this.#read('stdout', isEnd), ...this.#read('stderr', isEnd)]
    if (lines.length === 0) return
    writeSync(this.#log, lines.join(''))
    const { stdout, stderr } = this.#sources
    const read = [stdout, stderr].map(({ offset, rest }) => offset - rest.length)
    writeFileSync(this.#files.offsets, read.join(' '))
  }

  /** From now on lines go to the file of that name, whatever became of the former one. */
  reopen(): void {
    closeSync(this.#log)
    this.#log = openLog(this.#files.log)
  }

  close(): void {
    for (const { fd } of Object.values(this.#sources)) closeSync(fd)
    closeSync(this.#log)
  }

  #read(stream: Stream, isEnd: boolean): readonly string[] {
    const source = this.#sources[stream]
    const time = `${new Date(this.#files.clock.now()).toISOString().slice(0, -1)}000000Z`
    const lines: string[] = []
    const line = (tag: string, text: Buffer) =>
      lines.push(`${time} ${stream} ${tag} ${text.toString('utf8')}\n`)
    for (;;) {
      const chunk = Buffer.allocUnsafe(chunkBytes)
      const count = readSync(source.fd, chunk, 0, chunkBytes, source.offset)
      if (count === 0) break
      source.offset += count
      source.rest = Buffer.concat([source.rest, chunk.subarray(0, count)])
      let from = 0
      for (;;) {
        const end = source.rest.indexOf(10, from)
        const length = (end < 0 ? source.rest.length : end) - from
        if (length > longestLine) {
          line('P', source.rest.subarray(from, from + longestLine))
          from += longestLine
        } else if (end >= 0) {
          line('F', source.rest.subarray(from, end))
          from = end + 1
        } else break
      }
      source.rest = source.rest.subarray(from)
    }
    if (isEnd && source.rest.length > 0) {
      line('F', source.rest)
      source.rest = Buffer.alloc(0)
    }
    return lines
  }
}

function openLog(file: string): number {
  mkdirSync(dirname(file), { recursive: true })
  return openSync(file, 'a', 0o640)
}

function readOffsets(file: string): [stdout: number, stderr: number] {
  try {
    const [stdout, stderr] = readFileSync(file, 'utf8').split(' ').map(Number)
    return [stdout || 0, stderr || 0]
  } catch {
    return [0, 0]
  }
}
