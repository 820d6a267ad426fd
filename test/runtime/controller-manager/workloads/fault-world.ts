/** Controllers on a bad day: requests fail, answers get lost, and the program is started anew at any moment. */
import type { ControllerName } from '../../../../generated/controllers.ts'
import { platform } from '../../../../generated/platform.ts'
import { createClient } from '../../../../runtime/client/client.ts'
import { controllersInProcess } from '../../../../runtime/controller-manager/controller-manager.ts'
import { enabledGatesOf } from '../../../../runtime/kernel/descriptors/enabled-gates.ts'
import { silentLog } from '../../../../runtime/observe/observe.ts'
import {
  type CloudProvider,
  type FaultRule,
  injectFaults,
  type World,
} from '../../../../runtime/testing/testing.ts'

/** One request of twenty is refused, one of twenty loses its answer, and watches break. */
const bad: readonly FaultRule[] = [
  { fault: { is: 'status', code: 409 }, verb: 'update', chance: 0.1 },
  { fault: { is: 'status', code: 500 }, chance: 0.05 },
  { fault: { is: 'lost' }, verb: 'create', chance: 0.05 },
  { fault: { is: 'lost' }, verb: 'delete', chance: 0.05 },
  { fault: { is: 'broken', afterEvents: 5 }, verb: 'watch', chance: 0.3 },
]

/** Controllers that can be started anew, and the faults that they meet until all is well. */
export interface Controllers {
  restart(): Promise<void>
  /** No request fails from now on. */
  mend(): void
  stop(): Promise<void>
}

/** Starts controllers in a world whose requests go wrong. */
export async function badDay(
  world: World,
  controllers: readonly ControllerName[],
  cloud?: CloudProvider,
): Promise<Controllers> {
  const { plane, clock, random, transport } = world
  const faulty = injectFaults(plane.transport, { rules: [], clock, random })
  let generation = 0
  let running = await passing(world, start())
  faulty.setRules(bad)

  async function start() {
    const client = createClient(transport(`manager ${generation++}`, faulty), { clock })
    const end = new AbortController()
    const manager = await controllersInProcess({
      ...{ controllers, platform, clock, log: silentLog },
      gates: enabledGatesOf(plane.scheme),
      clientAs: () => client,
      ...(cloud && { cloud }),
    })
    const ended = manager.run(end.signal)
    return {
      async stop() {
        end.abort()
        await ended
        client.close()
      },
    }
  }

  return {
    async restart() {
      faulty.setRules([])
      await passing(world, running.stop())
      running = await passing(world, start())
      faulty.setRules(bad)
    },
    mend: () => faulty.setRules([]),
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
