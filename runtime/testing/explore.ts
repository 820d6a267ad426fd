import { type Client, createClient, type Transport } from '../client/client.ts'
import { processEnvironment } from '../connection/connection.ts'
import type { Random } from '../kernel/async/clock.ts'
import { errorText } from '../kernel/errors/error-text.ts'
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from './control-plane.ts'
import { Scheduler } from './scheduler.ts'
import { seededRandom } from './seeded-random.ts'
import { type VirtualClock, virtualClock, virtualClockWith } from './virtual-clock.ts'

/** One order in which things may happen: a control plane, a clock and clients whose requests arrive as a seed says. */
export interface World {
  readonly seed: number
  /** Its own client and transport are not scheduled: for what a test sets up and looks at. */
  readonly plane: ControlPlane
  readonly clock: VirtualClock
  /** Random numbers of the seed. */
  readonly random: Random
  /** A client whose requests, answers and events are scheduled. Programs with clients of their own overtake each other. */
  client(name?: string): Client
  /** The same, for a client with options of its own. `transport` is what carries its requests. Default: the plane's. */
  transport(name?: string, transport?: Transport): Transport
  /** Lets everything happen that can without time passing. */
  settle(): Promise<void>
  /** Lets time pass: timer by timer, and all that each of them brings about. */
  advance(ms: number): Promise<void>
  /** Lets time pass until `look` gives something. @throws Error if it does not within `ms`. Default: one hour. */
  until<T>(
    look: () => Promise<T | undefined | false> | T | undefined | false,
    ms?: number,
  ): Promise<T>
}

/** What is explored. */
export interface ExploreOptions {
  /** How many seeds are tried. Default 20. The environment variable ORCH_SEED names one that is tried alone. */
  readonly seeds?: number
  /** The control plane that every world begins with a fork of. Default: an empty one. */
  readonly plane?: ControlPlane
  /** Where ORCH_SEED is read. Default: the variables of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** How the control plane of every world is started. Default: with the built-in kinds. */
  readonly options?: Omit<ControlPlaneOptions, 'clock' | 'from' | 'socket'>
}

/** The environment variable that names the seed to replay. */
const seedVariable = 'ORCH_SEED'

/** Lines of a trace that a failure prints. */
const lastLines = 30

/**
 * Runs a test in many worlds, each of which delivers requests, answers, events and timers in another order, and gives the keys of
 * a queue that could be taken at the same moment in another order. The first that fails ends it, and names the seed: with it in
 * ORCH_SEED the same order happens again.
 *
 * @throws Error that names the seed, with what was thrown as its cause.
 *
 * @example
 * await explore(async (world) => {
 *   const manager = createManager({ client: world.client(), clock: world.clock, controllers })
 *   ...
 * }, { seeds: 100 })
 */
export async function explore(
  run: (world: World) => Promise<void>,
  { seeds = 20, plane, options = {}, environment = processEnvironment() }: ExploreOptions = {},
): Promise<void> {
  const replayed = environment[seedVariable]
  const chosen = replayed === undefined ? range(seeds) : [seedOf(replayed)]
  const origin = plane ?? (await startControlPlane({ ...options, clock: virtualClock() }))
  try {
    for (const seed of chosen) await runSeed(seed, origin, run)
  } finally {
    if (plane === undefined) await origin.stop()
  }
}

async function runSeed(
  seed: number,
  origin: ControlPlane,
  run: (world: World) => Promise<void>,
): Promise<void> {
  const clock = virtualClockWith(seededRandom(seed ^ 0x7135))
  const scheduler = new Scheduler(seededRandom(seed))
  const plane = await origin.fork({ clock })
  try {
    await run(worldOf(seed, plane, clock, scheduler))
  } catch (cause) {
    throw seedError(seed, cause, scheduler.trace)
  } finally {
    await plane.stop()
  }
}

function worldOf(
  seed: number,
  plane: ControlPlane,
  clock: VirtualClock,
  scheduler: Scheduler,
): World {
  const transport = (name = 'client', carrier = plane.transport) =>
    scheduler.transport(carrier, name)
  const advance = async (ms: number): Promise<void> => {
    const end = clock.monotonic() + ms
    await scheduler.idle()
    for (let next = clock.next(end); next !== undefined; next = clock.next(end)) {
      clock.advance(next - clock.monotonic())
      await scheduler.idle()
    }
    clock.advance(end - clock.monotonic())
  }
  return {
    seed,
    plane,
    clock,
    random: seededRandom(~seed),
    transport,
    client: (name) => createClient(transport(name), { clock }),
    settle: () => scheduler.idle(),
    advance,
    async until(look, ms = 3_600_000) {
      for (let left = ms; ; left -= 1000) {
        await scheduler.idle()
        const found = await look()
        if (found !== undefined && found !== false) return found
        if (left <= 0) throw new Error(`not within ${ms} ms of the virtual clock`)
        await advance(Math.min(left, 1000))
      }
    },
  }
}

function range(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index + 1)
}

/** @throws Error for what is no number. */
function seedOf(text: string): number {
  const seed = Number(text)
  if (text !== '' && Number.isSafeInteger(seed)) return seed
  throw new Error(`${seedVariable}: "${text}" is not a whole number`)
}

function seedError(seed: number, cause: unknown, trace: readonly string[]): Error {
  const why = errorText(cause)
  const shown = trace.slice(-lastLines)
  const left = trace.length - shown.length
  const lines = [...(left > 0 ? [`(${left} before)`] : []), ...shown].map((line) => `  ${line}`)
  const what = `seed ${seed} fails: ${why}\n${seedVariable}=${seed} replays it`
  return new Error(`${what}; what happened last:\n${lines.join('\n')}`, { cause })
}
