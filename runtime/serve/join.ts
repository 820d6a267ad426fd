import { othersTurn } from '../kernel/turns.ts'
import type { Item, Listed } from '../registry/registry.ts'
import type { Pieces } from './exchange.ts'
import { Recent } from './recent.ts'

type Run = readonly Item[]

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
export class RunTexts {
  readonly #lengths = new WeakMap<Run, number>()
  readonly #texts: Recent<Run, Uint8Array>

  constructor(bytes = keptBytes) {
    this.#texts = new Recent(bytes, ({ length }) => length)
  }

  of(run: Run, strip: Buffer): Uint8Array {
    return this.#texts.of(run, () => textOf(run, strip))
  }

  /** The length of the text, known longer than the text is kept. Calls `made` if the text was made for it. */
  lengthOf(run: Run, strip: Buffer, made: (length: number) => void): number {
    const known = this.#lengths.get(run)
    if (known !== undefined) return known
    const { length } = this.of(run, strip)
    this.#lengths.set(run, length)
    made(length)
    return length
  }
}

/** Joins the objects of a list. The texts of its runs, where it has them, are those of all lists. */
export function joinList(
  head: string,
  list: Pick<Listed, 'items' | 'runs'>,
  strip: string,
  tail: string,
  texts: RunTexts,
): Promise<Uint8Array | Pieces> {
  const { runs } = list
  return runs === undefined
    ? joinRuns(head, inRuns(list.items), strip, tail, new RunTexts(0))
    : joinRuns(head, runs, strip, tail, texts)
}

const runItems = 64

function inRuns(items: Run): readonly Run[] {
  const runs: Run[] = []
  for (let at = 0; at < items.length; at += runItems) runs.push(items.slice(at, at + runItems))
  return runs
}

/** Joins runs of stored objects into the text of a list without parsing any; a long one is put together as it is sent. */
async function joinRuns(
  head: string,
  runs: readonly Run[],
  strip: string,
  tail: string,
  texts: RunTexts,
): Promise<Uint8Array | Pieces> {
  const [start, left, end] = [Buffer.from(head), Buffer.from(strip), Buffer.from(tail)]
  let length = start.length + end.length - (runs.length > 0 ? 1 : 0)
  let made = 0
  for (const run of runs) {
    length += texts.lengthOf(run, left, (bytes) => {
      made += bytes
    })
    if (made < turnBytes) continue
    made = 0
    await othersTurn()
  }
  function* pieces(): Iterable<Uint8Array> {
    yield start
    for (const [at, run] of runs.entries()) {
      const text = texts.of(run, left)
      yield at === 0 ? text.subarray(1) : text
    }
    yield end
  }
  return length > wholeBytes ? { length, pieces } : Buffer.concat([...pieces()])
}

const brace = 0x7b
const comma = 0x2c

/** The comma behind what is left out becomes the opening brace. */
function textOf(run: Run, strip: Buffer): Uint8Array {
  const cuts = run.map(({ bytes }) => cutOf(bytes, strip))
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

function cutOf(bytes: Uint8Array, strip: Buffer): number {
  if (strip.length === 0 || bytes.length <= strip.length) return 0
  for (let at = strip.length - 1; at >= 0; at--) if (bytes[at] !== strip[at]) return 0
  return strip.length - 1
}
