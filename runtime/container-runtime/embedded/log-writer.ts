/** Turns what a container writes into lines of a log as CRI has them: `TIME stream F text`. */
import { spawn } from 'node:child_process'
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
import { openForLines } from '../files/plain-file.ts'

/** Longer lines are written in parts. */
const longestLine = 16 * 1024
const chunkBytes = 64 * 1024
/** Output that was read is given back to the disk in pieces of at least so many bytes. */
const returnedBytes = 8 * 1024 * 1024
/** Where the disk is full, it is tried again after so many milliseconds. */
const retryMs = 1_000
/** What says that a disk is full, or that its owner may not have more of it. */
const fullCodes = ['ENOSPC', 'EDQUOT']

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

/** Writes the log of one container. Where the disk is full, lines wait in the output until there is place. */
export class LogWriter {
  readonly #files: LogFiles
  readonly #sources: Record<
    Stream,
    { readonly file: string; fd: number; offset: number; returned: number; rest: Buffer }
  >
  #log: number | undefined
  /** What was read and is not written yet. */
  #pending: Buffer = Buffer.alloc(0)
  #isLast = false
  #isClosed = false
  #cancelRetry = (): void => {}

  constructor(files: LogFiles) {
    this.#files = files
    const [stdout, stderr] = readOffsets(files.offsets)
    const source = (file: string, offset: number) => ({
      ...{ file, fd: openSync(file, 'r'), offset, returned: 0, rest: Buffer.alloc(0) },
    })
    this.#sources = { stdout: source(files.stdout, stdout), stderr: source(files.stderr, stderr) }
    this.#log = openIfPlace(files.log)
  }

  /** Takes over what was written since. */
  pump(): void {
    if (this.#isClosed) return
    this.#cancelRetry()
    try {
      do this.#write()
      while (this.#take())
      if (this.#isLast) this.close()
    } catch (error) {
      if (!isFull(error)) throw error
      this.#cancelRetry = this.#files.clock.after(retryMs, () => this.pump())
    }
  }

  /** Takes over the rest, with what has no end of line, and closes itself as soon as that is done. */
  finish(): void {
    this.#isLast = true
    this.pump()
  }

  /** From now on lines go to the file of that name, whatever became of the former one. */
  reopen(): void {
    if (this.#isClosed) return
    const former = this.#log
    this.#log = openLog(this.#files.log)
    if (former !== undefined) closeSync(former)
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#cancelRetry()
    for (const { fd } of Object.values(this.#sources)) closeSync(fd)
    if (this.#log !== undefined) closeSync(this.#log)
  }

  /** Reads one piece of each output; false if there is none. */
  #take(): boolean {
    const lines = [...this.#read('stdout'), ...this.#read('stderr')]
    this.#pending = Buffer.from(lines.join(''))
    return lines.length > 0
  }

  #write(): void {
    if (this.#pending.length === 0) return
    this.#log ??= openLog(this.#files.log)
    while (this.#pending.length > 0) {
      this.#pending = this.#pending.subarray(writeSync(this.#log, this.#pending))
    }
    const { stdout, stderr } = this.#sources
    const read = [stdout, stderr].map(({ offset, rest }) => offset - rest.length)
    writeFileSync(this.#files.offsets, read.join(' '))
    for (const source of [stdout, stderr]) {
      const whole = source.offset - source.rest.length
      if (whole - source.returned < returnedBytes) continue
      giveBack(source.file, source.returned, whole)
      source.returned = whole
    }
  }

  #read(stream: Stream): readonly string[] {
    const source = this.#sources[stream]
    const time = `${new Date(this.#files.clock.now()).toISOString().slice(0, -1)}000000Z`
    const lines: string[] = []
    const line = (tag: string, text: Buffer) =>
      lines.push(`${time} ${stream} ${tag} ${text.toString('utf8')}\n`)
    while (lines.length === 0) {
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
    if (this.#isLast && lines.length === 0 && source.rest.length > 0) {
      line('F', source.rest)
      source.rest = Buffer.alloc(0)
    }
    return lines
  }
}

function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && fullCodes.includes(String(error.code))
}

/** The output keeps its length, since the program goes on writing at its end, but not what stood there. Where the file system cannot do that, it stays. */
function giveBack(file: string, from: number, to: number): void {
  const words = ['--punch-hole', '--offset', String(from), '--length', String(to - from), file]
  const child = spawn('fallocate', words, { stdio: 'ignore' })
  child.once('error', () => {})
  child.unref()
}

function openLog(file: string): number {
  mkdirSync(dirname(file), { recursive: true })
  return openForLines(file)
}

function openIfPlace(file: string): number | undefined {
  try {
    return openLog(file)
  } catch (error) {
    if (!isFull(error)) throw error
    return undefined
  }
}

function readOffsets(file: string): [stdout: number, stderr: number] {
  try {
    const [stdout, stderr] = readFileSync(file, 'utf8').split(' ').map(Number)
    return [stdout || 0, stderr || 0]
  } catch {
    return [0, 0]
  }
}
