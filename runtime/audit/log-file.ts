import {
  closeSync,
  createReadStream,
  createWriteStream,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  write,
  writeSync,
} from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Clock } from '../kernel/async/clock.ts'

/** A log file and its backups. */
export interface LogFileOptions {
  /** Its folder is made, readable for its owner only, if it is not there. */
  readonly path: string
  /** Bytes after which a new file is begun; 0 never begins one. */
  readonly maxBytes: number
  /** Milliseconds that backups are kept; 0 keeps them whatever their age. */
  readonly maxAgeMs: number
  /** How many backups are kept; 0 keeps all. */
  readonly maxBackups: number
  /** Backups are compressed with gzip. */
  readonly compress: boolean
}

/** Where lines go. Both ways of writing fail with the error of the system; a line is never written twice. */
export interface LineSink {
  writeNow(text: string): void
  write(text: string): Promise<void>
  close(): Promise<void>
}

/**
 * A log file that begins anew when it is full: what was written so far becomes a backup beside it, with the time in its name,
 * such as `audit-2026-01-02T15-04-05.000.log`. Lines are never divided between files. The file is made when it is opened, only
 * its owner may read it, and an earlier one is appended to.
 */
export class LogFile implements LineSink {
  readonly #options: LogFileOptions
  readonly #clock: Clock
  #file: number
  #bytes: number
  /** The last write ended in the middle of a line: the next one begins on a line of its own. */
  #torn = false
  #tidying: Promise<void> = Promise.resolve()

  constructor(options: LogFileOptions, clock: Clock) {
    this.#options = options
    this.#clock = clock
    const folder = dirname(options.path)
    if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 })
    this.#file = openSync(options.path, 'a', 0o600)
    this.#bytes = fstatSync(this.#file).size
    this.#tidy()
  }

  writeNow(text: string): void {
    const bytes = this.#next(text)
    let at = 0
    try {
      while (at < bytes.length) at += writeSync(this.#file, bytes, at)
      this.#torn = false
    } finally {
      this.#wrote(at, bytes.length)
    }
  }

  async write(text: string): Promise<void> {
    const bytes = this.#next(text)
    let at = 0
    try {
      while (at < bytes.length) at += await this.#some(bytes, at)
      this.#torn = false
    } finally {
      this.#wrote(at, bytes.length)
    }
  }

  async close(): Promise<void> {
    await this.#tidying
    closeSync(this.#file)
  }

  /** The bytes to write, in a new file if they do not fit into this one. */
  #next(text: string): Buffer {
    const bytes = Buffer.from(this.#torn ? `\n${text}` : text)
    const { maxBytes } = this.#options
    if (maxBytes > 0 && this.#bytes > 0 && this.#bytes + bytes.length > maxBytes) this.#begin()
    return bytes
  }

  #some(bytes: Buffer, at: number): Promise<number> {
    return new Promise((resolve, reject) => {
      write(this.#file, bytes, at, (error, written) => (error ? reject(error) : resolve(written)))
    })
  }

  #wrote(bytes: number, of: number): void {
    this.#bytes += bytes
    if (bytes > 0 && bytes < of) this.#torn = true
  }

  /**
   * Makes the full file a backup. Where the system does not allow it, the file is appended to and the next line tries again.
   */
  #begin(): void {
    const { path } = this.#options
    const before = this.#file
    try {
      if (existsSync(path)) renameSync(path, this.#freeName())
      this.#file = openSync(path, 'a', 0o600)
    } catch {
      return
    }
    closeSync(before)
    this.#bytes = fstatSync(this.#file).size
    this.#tidy()
  }

  /** A name for a backup; the time is moved on by milliseconds until no file has it. */
  #freeName(): string {
    const { path } = this.#options
    const [folder, end] = [dirname(path), extname(path)]
    const taken = new Set(readdirSync(folder))
    const start = basename(path, end)
    for (let ms = this.#clock.now(); ; ms++) {
      const name = `${start}-${timestampOf(ms)}${end}`
      if (!taken.has(name) && !taken.has(`${name}.gz`)) return join(folder, name)
    }
  }

  /** Compresses and removes backups, one round after the other. It is housekeeping: the next round makes good what fails. */
  #tidy(): void {
    const { maxAgeMs, maxBackups, compress } = this.#options
    if (maxAgeMs === 0 && maxBackups === 0 && !compress) return
    this.#tidying = this.#tidying.then(() => this.#tidyOnce()).catch(() => {})
  }

  async #tidyOnce(): Promise<void> {
    const { maxAgeMs, maxBackups, compress } = this.#options
    const full = this.#backups()
    const oldest = maxAgeMs === 0 ? 0 : this.#clock.now() - maxAgeMs
    for (const [rank, { file, at }] of full.entries()) {
      if (at < oldest || (maxBackups > 0 && rank >= maxBackups)) rmSync(file, { force: true })
      else if (compress && !file.endsWith('.gz')) await packed(file)
    }
  }

  /** The backups, youngest first. Files with other names are left alone. */
  #backups(): readonly { readonly file: string; readonly at: number }[] {
    const { path } = this.#options
    const [folder, end] = [dirname(path), extname(path)]
    const start = `${basename(path, end)}-`
    return readdirSync(folder)
      .filter(
        (name) => name.startsWith(start) && (name.endsWith(end) || name.endsWith(`${end}.gz`)),
      )
      .map((name) => ({ file: join(folder, name), at: timeOf(name.slice(start.length)) }))
      .filter(({ at }) => !Number.isNaN(at))
      .sort((a, b) => b.at - a.at)
  }
}

/** Compresses under another name first, so that a crash leaves no half file for a whole one. */
async function packed(file: string): Promise<void> {
  const packing = `${file}.gz.part`
  await pipeline(createReadStream(file), createGzip(), createWriteStream(packing, { mode: 0o600 }))
  renameSync(packing, `${file}.gz`)
  rmSync(file)
}

/** `2026-01-02T15-04-05.000`: a time that can be part of a file's name everywhere. */
function timestampOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, -1).replaceAll(':', '-')
}

/** The time in the name of a backup, in milliseconds since the epoch; NaN for any other name. */
function timeOf(name: string): number {
  const [, day, hour, minute, second] =
    /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3})(?!\d)/.exec(name) ?? []
  return day === undefined ? Number.NaN : Date.parse(`${day}T${hour}:${minute}:${second}Z`)
}
