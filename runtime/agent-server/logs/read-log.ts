/** The log of a container: what is in its file, and what comes to it. */
import { type FSWatcher, watch } from 'node:fs'
import { type FileHandle, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { openLogFile } from '../../container-runtime/container-runtime.ts'
import type { Clock } from '../../kernel/async/clock.ts'
import { readLogLine } from './log-lines.ts'
import type { LogOptions } from './log-options.ts'

/** Where a log is, which is read through no link, and how long there will be more of it. */
export interface LogSource {
  readonly file: string
  /** Whether the container still runs. */
  isRunning(): Promise<boolean>
  readonly clock: Clock
  /** Ends the reading. */
  readonly signal: AbortSignal
}

const chunkBytes = 64 * 1024
/** A file whose changes are not told is looked at so often, in milliseconds. */
const lookMs = 1_000

/** The lines that are wanted, until where the file ended when it was opened, or until the container ends where they are followed. */
export async function* readLog(
  source: LogSource,
  { follow, ...options }: LogOptions,
): AsyncGenerator<Buffer> {
  const wake = follow ? new FileChanges(source) : undefined
  const print = printer(options)
  let file = await openLogFile(source.file).catch(() => undefined)
  try {
    const size = file === undefined ? 0 : (await file.stat()).size
    let at = file === undefined ? 0 : await tailOffset(file, size, options.tailLines)
    // Of a log that grows, the last lines are those of one moment.
    let end = file === undefined || follow ? Number.POSITIVE_INFINITY : size
    let rest: Buffer = Buffer.alloc(0)
    for (;;) {
      const isLast = wake === undefined || !(await source.isRunning())
      const next = await replacement(source.file, file)
      for (;;) {
        const bytes = file === undefined ? Buffer.alloc(0) : await readChunk(file, at, end)
        if (bytes.length === 0) break
        at += bytes.length
        const all = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
        const whole = all.lastIndexOf(10) + 1
        rest = Buffer.from(all.subarray(whole))
        const { output, isFull } = print(all.subarray(0, whole))
        if (output.length > 0) yield output
        if (isFull || source.signal.aborted) return
      }
      if (source.signal.aborted) return
      if (next !== undefined) {
        await file?.close()
        ;[file, at, end, rest] = [next, 0, Number.POSITIVE_INFINITY, Buffer.alloc(0)]
      } else if (isLast) return
      else await wake?.next()
    }
  } finally {
    wake?.close()
    await file?.close()
  }
}

async function readChunk(file: FileHandle, at: number, end: number): Promise<Buffer> {
  const length = Math.min(chunkBytes, end - at)
  if (length <= 0) return Buffer.alloc(0)
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, at)
  return buffer.subarray(0, bytesRead)
}

/** The file that has the name now, where that is another one: logs are rotated. */
async function replacement(
  path: string,
  file: FileHandle | undefined,
): Promise<FileHandle | undefined> {
  const now = await stat(path).catch(() => undefined)
  if (now === undefined) return undefined
  if (file !== undefined && (await file.stat()).ino === now.ino) return undefined
  return openLogFile(path).catch(() => undefined)
}

/** Where the last lines begin. */
async function tailOffset(
  file: FileHandle,
  size: number,
  lines: number | undefined,
): Promise<number> {
  if (lines === undefined) return 0
  let left = lines + 1
  for (let end = size; end > 0; ) {
    const from = Math.max(0, end - chunkBytes)
    const { buffer } = await file.read(Buffer.alloc(end - from), 0, end - from, from)
    for (let at = buffer.length - 1; at >= 0; at--) {
      if (buffer[at] !== 10) continue
      left -= 1
      if (left === 0) return from + at + 1
    }
    end = from
  }
  return lines === 0 ? size : 0
}

/** Makes output of whole lines of the file, up to the bytes that are wanted. */
function printer({ timestamps, since, limitBytes }: Omit<LogOptions, 'follow'>) {
  let left = limitBytes ?? Number.POSITIVE_INFINITY
  let isAtStart = true
  return (bytes: Buffer): { readonly output: Buffer; readonly isFull: boolean } => {
    const parts: Buffer[] = []
    for (let from = 0; from < bytes.length && left > 0; ) {
      const end = bytes.indexOf(10, from)
      const line = readLogLine(bytes.subarray(from, end))
      from = end + 1
      if (line === undefined || (since !== undefined && Date.parse(line.time) < since)) continue
      const time = timestamps && isAtStart ? [Buffer.from(`${line.time} `)] : []
      for (const part of [...time, line.text]) {
        const kept = part.length > left ? part.subarray(0, left) : part
        parts.push(kept)
        left -= kept.length
      }
      isAtStart = line.isWhole
    }
    return { output: Buffer.concat(parts), isFull: left <= 0 }
  }
}

/** Tells when a file may have changed: at once where the system tells, else from time to time. */
class FileChanges {
  readonly #clock: Clock
  readonly #signal: AbortSignal
  readonly #watcher: FSWatcher | undefined
  #changed = false
  #wake: () => void = () => {}

  constructor({ file, clock, signal }: LogSource) {
    this.#clock = clock
    this.#signal = signal
    this.#watcher = watcherOf(dirname(file), this.#tell)
    signal.addEventListener('abort', this.#tell)
  }

  /** Resolves with the next change. */
  async next(): Promise<void> {
    if (!this.#changed && !this.#signal.aborted) {
      await new Promise<void>((resolve) => {
        const cancel = this.#clock.after(lookMs, resolve)
        this.#wake = () => {
          cancel()
          resolve()
        }
      })
    }
    this.#changed = false
  }

  close(): void {
    this.#watcher?.close()
    this.#signal.removeEventListener('abort', this.#tell)
  }

  readonly #tell = (): void => {
    this.#changed = true
    this.#wake()
  }
}

/** Undefined where the system has no more watchers, or there is no such folder yet. */
function watcherOf(folder: string, tell: () => void): FSWatcher | undefined {
  try {
    return watch(folder, tell).on('error', () => {})
  } catch {
    return undefined
  }
}
