import { yieldToEventLoop } from '../../kernel/async/slices.ts'
import { GenerationalCache } from '../generational-cache.ts'
import type { SegmentedBody, StoredItem, StoredList } from '../serializer-contract.ts'

type ItemRun = readonly StoredItem[]

/** Up to this length a list is one body. */
const wholeBytes = 256 * 1024

/** How much text is made before others get their turn: a few milliseconds' work. */
const turnBytes = 2 * 1024 * 1024

/** How much text of runs is kept for the next list of the same objects. */
const keptBytes = 64 * 1024 * 1024

/**
 * The text of runs of stored objects: each object behind a comma, without what every object of its kind begins with and a
 * list leaves out (kind and apiVersion). An object that begins otherwise goes in whole. The texts that were asked for last
 * are kept, so that a list costs what has changed since the one before it. All objects of a run are of one kind.
 */
export class ListTextCache {
  readonly #lengths = new WeakMap<ItemRun, number>()
  readonly #texts: GenerationalCache<ItemRun, Uint8Array>

  constructor(bytes = keptBytes) {
    this.#texts = new GenerationalCache(bytes, ({ length }) => length)
  }

  get(run: ItemRun, strip: Buffer): Uint8Array {
    return this.#texts.get(run, () => runText(run, strip))
  }

  /** The length of the text, known longer than the text is kept. Calls `made` if the text was made for it. */
  lengthOf(run: ItemRun, strip: Buffer, made: (length: number) => void): number {
    const known = this.#lengths.get(run)
    if (known !== undefined) return known
    const { length } = this.get(run, strip)
    this.#lengths.set(run, length)
    made(length)
    return length
  }
}

/** Joins the objects of a list. The texts of its runs, where it has them, are those of all lists. */
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

const runItems = 64

function inRuns(items: ItemRun): readonly ItemRun[] {
  const runs: ItemRun[] = []
  for (let at = 0; at < items.length; at += runItems) runs.push(items.slice(at, at + runItems))
  return runs
}

/** Joins runs of stored objects into the text of a list without parsing any; a long one is put together as it is sent. */
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

/** The comma behind what is left out becomes the opening brace. */
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

function prefixLength(bytes: Uint8Array, strip: Buffer): number {
  if (strip.length === 0 || bytes.length <= strip.length) return 0
  for (let at = strip.length - 1; at >= 0; at--) if (bytes[at] !== strip[at]) return 0
  return strip.length - 1
}
