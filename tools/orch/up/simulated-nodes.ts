/** The simulated nodes that run in the process of `orch up`. */
import type { RunningApiServer } from '../../../runtime/apiserver/apiserver.ts'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import type { Platform } from '../../../runtime/kernel/descriptors/platform.ts'
import type { Log } from '../../../runtime/observe/observe.ts'
import { clientsOf, type Running, runUntilStopped } from '../in-process.ts'

/** How many nodes, and on which server. */
export interface RunNodesOptions {
  readonly count: number
  /** Whether they open themselves to pods, since no controller does. */
  readonly removesTaint: boolean
  readonly platform: Platform
  readonly log: Log
}

/** Runs simulated nodes on a server of this process until they are stopped. Their code is loaded if there are any. */
export function runSimulatedNodes(
  server: Pick<RunningApiServer, 'dispatch'>,
  { count, removesTaint, platform, log }: RunNodesOptions,
): Running {
  return runUntilStopped(async (signal) => {
    if (count === 0) return
    const { nodesInProcess } = await import('../../../runtime/simulated-nodes/simulated-nodes.ts')
    const nodes = nodesInProcess({
      ...{ count, removesTaint, clientAs: clientsOf(server), platform, clock: systemClock, log },
    })
    if (!signal.aborted) await nodes.run(signal)
  })
}
