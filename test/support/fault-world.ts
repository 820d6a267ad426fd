/** Programs on a bad day: requests fail, answers get lost, and the program is started anew at any moment. */
import type { ControllerName } from '../../generated/controllers.ts'
import { platform } from '../../generated/platform.ts'
import { type Client, createClient, type Transport } from '../../runtime/client/client.ts'
import { controllersInProcess } from '../../runtime/controller-manager/controller-manager.ts'
import { pause } from '../../runtime/kernel/async/clock.ts'
import { enabledGatesOf } from '../../runtime/kernel/descriptors/enabled-gates.ts'
import { silentLog } from '../../runtime/observe/observe.ts'
import {
  type CloudProvider,
  type FaultRule,
  injectFaults,
  type World,
} from '../../runtime/testing/testing.ts'

/** One request of twenty is refused, one of twenty loses its answer, and watches break. */
const bad: readonly FaultRule[] = [
  { fault: { is: 'status', code: 409 }, verb: 'update', chance: 0.1 },
  { fault: { is: 'status', code: 500 }, chance: 0.05 },
  { fault: { is: 'lost' }, verb: 'create', chance: 0.05 },
  { fault: { is: 'lost' }, verb: 'delete', chance: 0.05 },
  { fault: { is: 'broken', afterEvents: 5 }, verb: 'watch', chance: 0.3 },
]

/** A program that can be started anew, and the faults that it meets until all is well. */
export interface BadDay {
  /** Ends it, one time of two without another request, whatever it was about to write next, and starts it anew. */
  restart(): Promise<void>
  /** Requests are refused for so long: all of them, or those of one resource, such as the lease that it has to renew. */
  cutOff(ms: number, resource?: string): Promise<void>
  /** No request fails from now on. */
  mend(): void
  stop(): Promise<void>
}

/** What runs until a signal aborts. */
interface Runs {
  run(signal: AbortSignal): Promise<unknown>
}

/** Starts controllers in a world whose requests go wrong. */
export function badDay(
  world: World,
  controllers: readonly ControllerName[],
  cloud?: CloudProvider,
): Promise<BadDay> {
  const { plane, clock } = world
  return badDayOf(world, 'manager', (client) =>
    controllersInProcess({
      ...{ controllers, platform, clock, log: silentLog },
      gates: enabledGatesOf(plane.scheme),
      clientAs: () => client,
      ...(cloud && { cloud }),
    }),
  )
}

/**
 * Starts a program in a world whose requests go wrong: what `make` gives with a client of its own, each time anew. Requests that get through
 * go to `behind`.
 */
export async function badDayOf(
  world: World,
  name: string,
  make: (client: Client) => Promise<Runs>,
  behind: Transport = world.plane.transport,
): Promise<BadDay> {
  const { clock, random, transport } = world
  const faulty = injectFaults(behind, { rules: [], clock, random })
  let generation = 0
  let rules = bad
  let running = await passing(world, start())
  faulty.setRules(rules)

  async function start() {
    const client = createClient(transport(`${name} ${generation++}`, faulty), { clock })
    const end = new AbortController()
    const ended = supervise(await make(client), client, end.signal)
    return {
      async stop() {
        end.abort()
        await ended
        client.close()
      },
    }
  }

  /** A program that ends by itself, as one does that lost its lease, is started again. */
  async function supervise(first: Runs, client: Client, signal: AbortSignal): Promise<void> {
    await first.run(signal)
    while (!signal.aborted) {
      await pause(clock, 1000, signal)
      const next = await make(client).catch(() => undefined)
      await next?.run(signal)
    }
  }

  return {
    async restart() {
      faulty.setRules(random() < 0.5 ? [] : [{ fault: { is: 'refused' } }])
      await passing(world, running.stop())
      faulty.setRules([])
      running = await passing(world, start())
      faulty.setRules(rules)
    },
    async cutOff(ms, resource) {
      faulty.setRules([{ fault: { is: 'refused' }, ...(resource && { resource }) }])
      await world.advance(ms)
      faulty.setRules(rules)
    },
    mend() {
      rules = []
      faulty.setRules(rules)
    },
    stop: () => passing(world, running.stop()),
  }
}

/** What work gives, while time passes for it. */
async function passing<T>({ advance }: World, work: Promise<T>): Promise<T> {
  let isOver = false
  const over = work.finally(() => {
    isOver = true
  })
  while (!isOver) await advance(100)
  return over
}
