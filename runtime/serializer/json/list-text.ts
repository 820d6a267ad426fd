import { yieldToEventLoop } from '../../kernel/async/slices.ts'
import { GenerationalCache } from '../format/generational-cache.ts'
import type {
  PieceMemory,
  SegmentedBody,
  StoredItem,
  StoredList,
  StoredValue,
  StreamedBody,
} from '../format/serializer-contract.ts'
import { withResourceVersion } from './resource-version.ts'

/** Consecutive objects that many lists have in common; the registry gives the same array for the same objects. */
type Run = readonly StoredValue[]

/** Bytes. A shorter list is sent as one body, a longer one in segments. */
const wholeBytes = 256 * 1024

/** Objects whose lengths are added up before other work runs: some milliseconds' worth. */
const turnObjects = 5000

/** Bytes of text that are kept for the next list of the same objects. */
const keptBytes = 64 * 1024 * 1024

/** Bytes of text that are made at once of a list whose texts are not kept: few large pieces cost less to send than many. */
const bundleBytes = 512 * 1024

/** What is remembered of a run. */
interface RunFacts {
  /** Bytes of its text. */
  readonly length: number
  /** All of its values have their resourceVersion, so that none has to be looked for again. */
  readonly stamped: boolean
}

/**
 * The JSON of runs of stored objects, a comma before each object. Objects are written without `strip`, the kind and
 * apiVersion that all of them begin with and the items of a list leave out; one that begins otherwise is written whole. The
 * texts that were used last are kept, so that a list costs what has changed since the list before it; those of a list that
 * would fill what is kept are not, since none of them would be there when it is read again. All objects of a run are of one kind.
 */
export class ListTextCache {
  readonly #facts = new WeakMap<Run, RunFacts>()
  readonly #texts: GenerationalCache<Run, Uint8Array>
  readonly #longest: number

  constructor(bytes = keptBytes) {
    this.#texts = new GenerationalCache(bytes, ({ length }) => length)
    this.#longest = bytes / 2
  }

  /** The texts of the runs of a list, `length` bytes together, made where they are not kept. */
  *of(
    runs: readonly Run[],
    strip: Buffer,
    length: number,
    memory?: PieceMemory,
  ): Iterable<Uint8Array> {
    if (length <= this.#longest) {
      for (const run of runs) yield this.#texts.get(run, () => textOf(this.#bytesOf(run), strip))
      return
    }
    let [bundle, bytes]: [Run[], number] = [[], 0]
    const text = (): Uint8Array =>
      textOf(
        bundle.flatMap((run) => this.#bytesOf(run)),
        strip,
        memory,
      )
    for (const run of runs) {
      bundle.push(run)
      bytes += this.lengthOf(run, strip)
      if (bytes < bundleBytes) continue
      yield text()
      ;[bundle, bytes] = [[], 0]
    }
    if (bundle.length > 0) yield text()
  }

  /** Bytes of the text of a run. No text is made for it; what is found out is remembered. */
  lengthOf(run: Run, strip: Buffer): number {
    const known = this.#facts.get(run)
    if (known !== undefined) return known.length
    const values = run.map(bytesOf)
    const length = textLength(values, strip)
    this.#facts.set(run, { length, stamped: run.every(({ value }, at) => value === values[at]) })
    return length
  }

  #bytesOf(run: Run): readonly Uint8Array[] {
    return this.#facts.get(run)?.stamped ? run.map(({ value }) => value) : run.map(bytesOf)
  }
}

/** The bytes as they are sent. */
function bytesOf({ value, revision }: StoredValue): Uint8Array {
  return withResourceVersion(value, revision)
}

/** A list between `head` and `tail`. If it has runs, their texts are shared with other lists; what is read in parts is written as it is read. */
export async function joinListBody(
  head: string,
  { items, runs, parts }: StoredList,
  strip: string,
  tail: string,
  texts: ListTextCache,
): Promise<Uint8Array | SegmentedBody | StreamedBody> {
  const left = Buffer.from(strip)
  if (parts !== undefined) return streamedBody(head, { parts, strip: left }, tail)
  if (runs === undefined) {
    const groups = inGroups(items)
    const length = await lengthOf(groups, (group) => textLength(group, left))
    return bodyOf(head, { length, texts: () => each(groups, (group) => textOf(group, left)) }, tail)
  }
  const length = await lengthOf(runs, (run) => texts.lengthOf(run, left))
  return bodyOf(head, { length, texts: (memory) => texts.of(runs, left, length, memory) }, tail)
}

function streamedBody(
  head: string,
  { parts, strip }: { readonly parts: NonNullable<StoredList['parts']>; readonly strip: Buffer },
  tail: string,
): StreamedBody {
  return {
    async *pieces() {
      yield Buffer.from(head)
      let first = true
      for await (const items of parts()) {
        if (items.length === 0) continue
        const text = textOf(
          items.map(({ bytes }) => bytes),
          strip,
        )
        yield first ? text.subarray(1) : text
        first = false
      }
      yield Buffer.from(tail)
    },
  }
}

/** What is made of each when it is asked for. */
function* each<T, R>(all: readonly T[], make: (one: T) => R): Iterable<R> {
  for (const one of all) yield make(one)
}

/** The lengths of groups together; other work runs in between. */
async function lengthOf<T extends readonly unknown[]>(
  groups: readonly T[],
  lengthOfOne: (group: T) => number,
): Promise<number> {
  let [length, looked] = [0, 0]
  for (const group of groups) {
    length += lengthOfOne(group)
    looked += group.length
    if (looked < turnObjects) continue
    looked = 0
    await yieldToEventLoop()
  }
  return length
}

/** Items of a list without runs whose text is made at once: enough to make few buffers. */
const groupItems = 64

/** Divides the bytes of items into groups. */
function inGroups(items: readonly StoredItem[]): readonly (readonly Uint8Array[])[] {
  const groups: (readonly Uint8Array[])[] = []
  for (let at = 0; at < items.length; at += groupItems) {
    groups.push(items.slice(at, at + groupItems).map(({ bytes }) => bytes))
  }
  return groups
}

/** Texts of objects, each behind a comma, and how long they are together. */
interface Texts {
  readonly length: number
  readonly texts: (memory?: PieceMemory) => Iterable<Uint8Array>
}

/** The whole body; its length is known first, and a long one is put together while it is sent. */
function bodyOf(head: string, { length, texts }: Texts, tail: string): Uint8Array | SegmentedBody {
  const [start, end] = [Buffer.from(head), Buffer.from(tail)]
  function* pieces(memory?: PieceMemory): Iterable<Uint8Array> {
    yield start
    let first = true
    for (const text of texts(memory)) {
      yield first ? text.subarray(1) : text
      first = false
    }
    yield end
  }
  const all = start.length + end.length + Math.max(0, length - 1)
  return all > wholeBytes ? { length: all, segments: pieces } : Buffer.concat([...pieces()])
}

const brace = 0x7b
const comma = 0x2c

function textLength(values: readonly Uint8Array[], strip: Buffer): number {
  return values.reduce((sum, bytes) => sum + 1 + bytes.length - prefixLength(bytes, strip), 0)
}

/**
 * The comma behind what is left out is overwritten with the opening brace. Written from the end, so that what is left out of an object is
 * overwritten by the object before it: a view of the rest of each would cost as much as its copy.
 */
function textOf(values: readonly Uint8Array[], strip: Buffer, memory?: PieceMemory): Uint8Array {
  const length = textLength(values, strip)
  const out = memory?.take(length) ?? Buffer.allocUnsafeSlow(length)
  let end = length
  for (let at = values.length - 1; at >= 0; at--) {
    const bytes = values[at] as Uint8Array
    const cut = prefixLength(bytes, strip)
    const start = end - bytes.length + cut
    if (start >= cut) out.set(bytes, start - cut)
    else out.set(bytes.subarray(cut), start)
    if (cut > 0) out[start] = brace
    end = start - 1
    out[end] = comma
  }
  return out
}

/** How many bytes of an object are left out. Compared from the end: prefixes of different kinds differ there. */
function prefixLength(bytes: Uint8Array, strip: Buffer): number {
  if (strip.length === 0 || bytes.length <= strip.length) return 0
  for (let at = strip.length - 1; at >= 0; at--) if (bytes[at] !== strip[at]) return 0
  return strip.length - 1
}
