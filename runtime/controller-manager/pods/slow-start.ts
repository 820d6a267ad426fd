import { Recent } from '../../kernel/values/recent.ts'
import { again, type KeyContext, type Outcome } from '../../reconcile/reconcile.ts'

/** How far a slow start came. */
export interface SlowStart {
  /** How many were made. */
  readonly made: number
  /** The first error of the round that was the last one, if one failed. */
  readonly error: unknown
  /** True if the rest is to be made in the next turn: the run is to end with `nextTurn`. */
  readonly paused: boolean
}

/** What a run gives whose slow start was paused. */
export const nextTurn: Outcome = again(1, 'not everything is made yet')

/** When another key has waited for so long, it gets the worker of a slow start. */
const patienceMs = 100

/** After so long a slow start pauses: its owner may want something else by now, and tells what it has. */
const turnMs = 3000

/** So many things are made at a time for each worker of a controller. */
const widthPerWorker = 4

/** So many owners that are to come again are remembered. */
const remembered = 10_000

/**
 * The slow starts of one controller. Things are made 1, 2, 4, ... at a time until a round in which one failed: what would fail many times fails a few times
 * only. Owners share the width of the controller, in equal parts and in turn. Where other keys wait for a worker, a slow start goes on without one.
 */
export class SlowStarts {
  readonly #width: number
  #busy = 0
  readonly #waiting: (() => void)[] = []
  /** How many owners have things made now. */
  #owners = 0
  /** With which size of a round each owner goes on that was paused. */
  readonly #sizes = new Recent<number>(remembered)

  /** For a controller with so many workers. */
  constructor(concurrency: number) {
    this.#width = concurrency * widthPerWorker
  }

  /** Makes `count` things for the owner with this uid. */
  async run(
    uid: string,
    count: number,
    create: (index: number) => Promise<unknown>,
    context: Pick<KeyContext, 'clock' | 'othersWaitMs' | 'freeWorker'>,
  ): Promise<SlowStart> {
    this.#owners += 1
    try {
      return await this.#make(uid, count, create, context)
    } finally {
      this.#owners -= 1
    }
  }

  async #make(
    uid: string,
    count: number,
    create: (index: number) => Promise<unknown>,
    context: Pick<KeyContext, 'clock' | 'othersWaitMs' | 'freeWorker'>,
  ): Promise<SlowStart> {
    const { clock } = context
    const end = clock.monotonic() + turnMs
    let made = 0
    let size = this.#sizes.find(uid) ?? 1
    this.#sizes.delete(uid)
    for (let begun = 0; begun < count; ) {
      const first = begun
      begun = Math.min(count, first + size, first + this.#share())
      const round = Array.from({ length: begun - first }, (_, at) =>
        this.#oneOf(() => create(first + at)),
      )
      const settled = await settledRound(round, context)
      const failed = settled.find((one) => one.status === 'rejected')
      made += settled.filter((one) => one.status === 'fulfilled').length
      if (failed?.status === 'rejected') return { made, error: failed.reason, paused: false }
      size = Math.min(2 * size, this.#width)
      if (begun === count || clock.monotonic() < end) continue
      this.#sizes.set(uid, size)
      return { made, error: undefined, paused: true }
    }
    return { made, error: undefined, paused: false }
  }

  #share(): number {
    return Math.max(1, Math.floor(this.#width / this.#owners))
  }

  /** Makes one thing as soon as fewer than the width are being made, in the order of the calls. */
  async #oneOf(create: () => Promise<unknown>): Promise<void> {
    if (this.#busy < this.#width) this.#busy += 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      await create()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#busy -= 1
      else next()
    }
  }
}

/** Waits for a round, and as soon as another key has waited for long, without the worker: a round of a busy controller waits for those of others. */
async function settledRound(
  round: readonly Promise<unknown>[],
  { clock, othersWaitMs, freeWorker }: Pick<KeyContext, 'clock' | 'othersWaitMs' | 'freeWorker'>,
): Promise<readonly PromiseSettledResult<unknown>[]> {
  let cancel = (): void => {}
  const look = (): void => {
    if (othersWaitMs() > patienceMs) freeWorker()
    else cancel = clock.after(patienceMs, look)
  }
  look()
  const settled = await Promise.allSettled(round)
  cancel()
  return settled
}
