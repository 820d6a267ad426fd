/** Files that others write anew while a program runs: certificates, tokens, lists of rules. */
import { type FSWatcher, watch } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Clock } from '../../kernel/async/clock.ts'
import type { Log } from '../../observe/observe.ts'

/** What becomes of changes. */
export interface FollowOptions {
  /** What the files are, for the log: `serving certificate`. */
  readonly what: string
  /**
   * Takes the contents, in the order of the paths. They count as good unless it throws; the message, which names everything that
   * is wrong and holds nothing secret, is logged, and what was taken before stays.
   */
  readonly onChange: (contents: readonly Buffer[]) => unknown
  readonly clock: Clock
  readonly log: Log
  /** Ends the following. */
  readonly signal: AbortSignal
}

/** Milliseconds without a further change before files are read: a pair is written one after the other. */
const settleMs = 100

/** Milliseconds after which files are read though their folder, such as that of a database, has changes without an end. */
const longestSettleMs = 1000

/** Milliseconds between two looks at files whose folder tells of nothing, such as those of another machine. */
const pollMs = 60_000

/**
 * Calls `onChange` with the contents of files now, and whenever those of any have changed. The folders are watched, as a file may
 * be replaced, or be a link to one of a folder that is. A file that cannot be read counts as it was.
 *
 * @throws what reading the files or `onChange` throws the first time: nothing is followed then.
 */
export async function followFiles(paths: readonly string[], options: FollowOptions): Promise<void> {
  const first = await readAll(paths)
  await options.onChange(first)
  if (!options.signal.aborted) new FollowedFiles(paths, options, first).start()
}

function readAll(paths: readonly string[]): Promise<Buffer[]> {
  return Promise.all(paths.map((path) => readFile(path)))
}

class FollowedFiles {
  readonly #paths: readonly string[]
  readonly #options: FollowOptions
  readonly #watchers: FSWatcher[] = []
  #seen: readonly Buffer[]
  /** What is wrong now; told once. */
  #problem = ''
  #cancelRead = (): void => {}
  /** When the first change came that is not read yet. */
  #changedAt: number | undefined
  #cancelPoll = (): void => {}
  #reading = false

  constructor(paths: readonly string[], options: FollowOptions, seen: readonly Buffer[]) {
    this.#paths = paths
    this.#options = options
    this.#seen = seen
  }

  start(): void {
    for (const folder of new Set(this.#paths.map((path) => dirname(path)))) this.#watch(folder)
    this.#poll()
    this.#options.signal.addEventListener('abort', () => this.#end(), { once: true })
  }

  /** A folder that cannot be watched is left to the poll. */
  #watch(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, () => this.#readSoon())
      watcher.on('error', () => watcher.close())
      this.#watchers.push(watcher)
    } catch {}
  }

  #readSoon(): void {
    const { clock } = this.#options
    const now = clock.monotonic()
    this.#changedAt ??= now
    this.#cancelRead()
    const ms = Math.min(settleMs, this.#changedAt + longestSettleMs - now)
    this.#cancelRead = clock.after(Math.max(ms, 0), () => void this.#read())
  }

  #poll(): void {
    this.#cancelPoll = this.#options.clock.after(pollMs, () => {
      this.#poll()
      void this.#read()
    })
  }

  async #read(): Promise<void> {
    if (this.#reading) return this.#readSoon()
    this.#reading = true
    this.#changedAt = undefined
    try {
      const contents = await readAll(this.#paths)
      if (this.#options.signal.aborted || this.#isSame(contents)) return
      this.#seen = contents
      await this.#options.onChange(contents)
      this.#problem = ''
      this.#options.log.info('files were read again', this.#fields())
    } catch (error) {
      this.#tell((error as Error).message)
    } finally {
      this.#reading = false
    }
  }

  #isSame(contents: readonly Buffer[]): boolean {
    return contents.every((content, index) => content.equals(this.#seen[index] as Buffer))
  }

  #tell(problem: string): void {
    if (problem === this.#problem || this.#options.signal.aborted) return
    this.#problem = problem
    const fields = { ...this.#fields(), problem }
    this.#options.log.error('files cannot be used: what they said before goes on', fields)
  }

  #fields() {
    return { what: this.#options.what, files: this.#paths.join(', ') }
  }

  #end(): void {
    this.#cancelRead()
    this.#cancelPoll()
    for (const watcher of this.#watchers) watcher.close()
  }
}
