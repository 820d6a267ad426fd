import { yieldToEventLoop } from '../../kernel/async/slices.ts'
import { GenerationalCache } from '../format/generational-cache.ts'
import type { SegmentedBody, StoredItem, StoredList } from '../format/serializer-contract.ts'

/** Consecutive items that many lists have in common; the registry gives the same array for the same items. */
type ItemRun = readonly StoredItem[]

/** Bytes. A shorter list is sent as one body, a longer one in segments. */
const wholeBytes = 256 * 1024

/** Bytes of text that are made before other work runs: a few milliseconds' worth. */
const turnBytes = 2 * 1024 * 1024

/** Bytes of text that are kept for the next list of the same objects. */
const keptBytes = 64 * 1024 * 1024

/**
 * The JSON of runs of stored objects, a comma before each object. Objects are written without `strip`, the kind and
 * apiVersion that all of them begin with and the items of a list leave out; one that begins otherwise is written whole. The
 * texts that were used last are kept, so that a list costs what has changed since the list before it. All objects of a run
 * are of one kind.
 */
export class ListTextCache {
  readonly #lengths = new WeakMap<ItemRun, number>()
  readonly #texts: GenerationalCache<ItemRun, Uint8Array>

  constructor(bytes = keptBytes) {
    this.#texts = new GenerationalCache(bytes, ({ length }) => length)
  }

  /** The text of a run, made if it is not kept. */
  get(run: ItemRun, strip: Buffer): Uint8Array {
    return this.#texts.get(run, () => runText(run, strip))
  }

  /** Bytes of the text, remembered longer than the text. Calls `made` with them if the text had to be made. */
  lengthOf(run: ItemRun, strip: Buffer, made: (length: number) => void): number {
    const known = this.#lengths.get(run)
    if (known !== undefined) return known
    const { length } = this.get(run, strip)
    this.#lengths.set(run, length)
    made(length)
    return length
  }
}

/** A list between `head` and `tail`. If it has runs, their texts are shared with other lists. */
export function joinListBody(
  head: string,
  list: StoredList,
  strip: string,
  tail: string,
  texts: ListTextCache,
): Promise<Uint8Array | SegmentedBody> {
  const { runs } = list
  return runs === undefined
    ? joinRunTexts(head, inRuns(list.items), strip, tail, new ListTextCache(0))
    : joinRunTexts(head, runs, strip, tail, texts)
}

/** Items of a run of a list that has none of its own: enough to make few buffers. */
const runItems = 64

/** Divides items into runs. */
function inRuns(items: ItemRun): readonly ItemRun[] {
  const runs: ItemRun[] = []
  for (let at = 0; at < items.length; at += runItems) runs.push(items.slice(at, at + runItems))
  return runs
}

/** Joins runs without parsing any object. The total length is known first; a long list is put together while it is sent. */
async function joinRunTexts(
  head: string,
  runs: readonly ItemRun[],
  strip: string,
  tail: string,
  texts: ListTextCache,
): Promise<Uint8Array | SegmentedBody> {
  const [start, left, end] = [Buffer.from(head), Buffer.from(strip), Buffer.from(tail)]
  let length = start.length + end.length - (runs.length > 0 ? 1 : 0)
  let made = 0
  for (const run of runs) {
    length += texts.lengthOf(run, left, (bytes) => {
      made += bytes
    })
    if (made < turnBytes) continue
    made = 0
    await yieldToEventLoop()
  }
  function* pieces(): Iterable<Uint8Array> {
    yield start
    for (const [at, run] of runs.entries()) {
      const text = texts.get(run, left)
      yield at === 0 ? text.subarray(1) : text
    }
    yield end
  }
  return length > wholeBytes ? { length, segments: pieces } : Buffer.concat([...pieces()])
}

const brace = 0x7b
const comma = 0x2c

/** The comma behind what is left out is overwritten with the opening brace. */
function runText(run: ItemRun, strip: Buffer): Uint8Array {
  const cuts = run.map(({ bytes }) => prefixLength(bytes, strip))
  const length = run.reduce((sum, { bytes }, at) => sum + 1 + bytes.length - (cuts[at] ?? 0), 0)
  const out = Buffer.allocUnsafeSlow(length)
  let offset = 0
  for (const [at, { bytes }] of run.entries()) {
    const cut = cuts[at] ?? 0
    out[offset++] = comma
    out.set(cut === 0 ? bytes : bytes.subarray(cut), offset)
    if (cut > 0) out[offset] = brace
    offset += bytes.length - cut
  }
  return out
}

/** How many bytes of an object are left out. Compared from the end: prefixes of different kinds differ there. */
function prefixLength(bytes: Uint8Array, strip: Buffer): number {
  if (strip.length === 0 || bytes.length <= strip.length) return 0
  for (let at = strip.length - 1; at >= 0; at--) if (bytes[at] !== strip[at]) return 0
  return strip.length - 1
}
