import { yieldToEventLoop } from '../../kernel/async/slices.ts'
import type { Entry, Revision } from '../contract.ts'
import type { LiveEntries, ReadAllOptions } from '../log-store.ts'
import type { Row } from '../sql/statement.ts'
import type { Query } from './connection.ts'
import { damaged } from './damage.ts'
import { decodeValue } from './decode-value.ts'
import type { LatestRevision } from './latest-revisions.ts'
import { numbersIn } from './packed-rows.ts'
import { type Statements, valueRoom } from './statements.ts'

/** Most versions, and most bytes of values, that are read at once. */
const versionsAtOnce = 512
const bytesAtOnce = 2 * 1024 * 1024

/** Values that are made in one turn, while the database reads. */
const valuesAtOnce = 100

/** A database that is read. */
interface Reading {
  readonly statements: Statements
  readonly query: Query
}

/**
 * Reads what is alive, whose newest revisions are known in key order. The log is read from its beginning to its end, which is how it lies in the
 * file, and each row once. One statement waits while another runs, since the driver copies what was read before it says that it is
 * there. Some values are made meanwhile, as many as there is time for.
 */
export async function readLive(
  latest: ReadonlyMap<string, LatestRevision>,
  { statements, query }: Reading,
  { except = [], check, stamp }: ReadAllOptions,
): Promise<Omit<LiveEntries, 'revision'>> {
  const entries: LiveEntry[] = []
  for (const [key, { revision, createRevision }] of latest) {
    if (except.some((prefix) => key.startsWith(prefix))) continue
    entries.push(new LiveEntry(key, revision, createRevision))
  }
  const inLog = entries.toSorted((one, other) => one.revision - other.revision)
  const given: LiveEntry[] = []
  let [bytes, from, made] = [0, 0, 0]
  const makeSome = (): boolean => {
    const some = given.slice(made, made + valuesAtOnce)
    for (const entry of some) entry.tryToMake()
    made += some.length
    return some.length > 0
  }
  const readPart = async (part: readonly LiveEntry[]): Promise<void> => {
    for (let left = part; left.length > 0; ) {
      const revisions = left.map(({ revision }) => revision)
      const reading = query(statements.packedVersions(revisions, bytesAtOnce))
      await workUntil(reading, makeSome)
      const values = new StoredValues((await reading)[0], stamp)
      const read = left.slice(0, Math.max(1, values.count))
      values.giveTo(read, check)
      given.push(...read)
      bytes += values.bytes
      left = left.slice(read.length)
    }
  }
  const readParts = async (): Promise<void> => {
    while (from < inLog.length) {
      const part = inLog.slice(from, from + versionsAtOnce)
      from += part.length
      await readPart(part).catch((error: unknown) => {
        from = inLog.length
        throw error
      })
    }
  }
  const readers = [readParts(), readParts()]
  await Promise.allSettled(readers)
  await Promise.all(readers)
  return { entries, bytes }
}

/** Works as long as there is work and something is waited for. */
async function workUntil(awaited: Promise<unknown>, work: () => boolean): Promise<void> {
  let isThere = false
  const over = (): void => {
    isThere = true
  }
  awaited.then(over, over)
  while (!isThere && work()) await yieldToEventLoop()
}

/** Values that were read together, in one piece of memory. */
class StoredValues {
  readonly #revisions: readonly (number | null)[]
  readonly #sums: readonly (number | null)[]
  readonly #lengths: readonly (number | null)[]
  readonly #starts: number[] = []
  readonly #memory: Buffer
  readonly #stamp: ReadAllOptions['stamp']

  constructor(row: Row | undefined, stamp: ReadAllOptions['stamp']) {
    this.#revisions = numbersIn(row, 'revs')
    this.#sums = numbersIn(row, 'sums')
    this.#lengths = numbersIn(row, 'lengths')
    const { buffer, byteOffset, byteLength } =
      row?.bytes instanceof Uint8Array ? row.bytes : new Uint8Array()
    this.#memory = Buffer.from(buffer, byteOffset, byteLength)
    this.#stamp = stamp
    let start = 0
    for (const length of this.#lengths) {
      this.#starts.push(start)
      if (length !== null) start += length + valueRoom
    }
  }

  get count(): number {
    return this.#revisions.length
  }

  /** The bytes of all values. */
  get bytes(): number {
    return this.#memory.length
  }

  /** @throws Error if these are not the values of these entries. */
  giveTo(entries: readonly LiveEntry[], check: ReadAllOptions['check']): void {
    entries.forEach((entry, at) => {
      if (this.#revisions[at] !== entry.revision) throw gone(entry)
      check?.(this.#part(at))
      entry.has(this, at)
    })
  }

  /** The value of an entry as its readers get it. @throws Error if it is not what was written. */
  valueOf({ key, revision }: Entry, at: number): Uint8Array {
    const [sum = null, length = null] = [this.#sums[at], this.#lengths[at]]
    const part = length === null ? null : this.#part(at)
    const value = decodeValue({ key, rev: revision, value: part, sum })
    return this.#stamp?.(value, revision, (bytes) => this.#place(at, bytes)) ?? value
  }

  #part(at: number): Buffer {
    const start = this.#starts[at] ?? 0
    return this.#memory.subarray(start, start + (this.#lengths[at] ?? 0))
  }

  /** Memory for what is made of a value: its own where there is room behind it, so that both are not kept. */
  #place(at: number, bytes: number): Buffer {
    const [start = 0, length] = [this.#starts[at], this.#lengths[at] ?? 0]
    const fits = bytes <= length + valueRoom && start + bytes <= this.#memory.length
    return fits ? this.#memory.subarray(start, start + bytes) : Buffer.allocUnsafeSlow(bytes)
  }
}

const none = new Uint8Array()

class LiveEntry implements Entry {
  readonly key: string
  readonly revision: Revision
  readonly createRevision: Revision
  #value: Uint8Array = none
  /** Where the value is, until it is asked for. */
  #stored: StoredValues | undefined
  #at = 0

  constructor(key: string, revision: Revision, createRevision: Revision) {
    this.key = key
    this.revision = revision
    this.createRevision = createRevision
  }

  has(stored: StoredValues, at: number): void {
    this.#stored = stored
    this.#at = at
  }

  get value(): Uint8Array {
    this.#make()
    return this.#value
  }

  /** Makes the value. One that is damaged is told to who asks for it, whether there was time for it here or not. */
  tryToMake(): void {
    try {
      this.#make()
    } catch {}
  }

  #make(): void {
    if (this.#stored === undefined) return
    this.#value = this.#stored.valueOf(this, this.#at)
    this.#stored = undefined
  }
}

function gone({ key, revision }: Entry): Error {
  return damaged(`the value of ${key} at revision ${revision} is gone`)
}
