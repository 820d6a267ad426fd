/** The simulated nodes that run in the process of `orch up`. */
import { platform as own } from '../../generated/platform.ts'
import type { RunningApiServer } from '../../runtime/apiserver/apiserver.ts'
import { createClient } from '../../runtime/client/client.ts'
import { systemClock } from '../../runtime/kernel/async/clock.ts'
import type { Platform } from '../../runtime/kernel/descriptors/platform.ts'
import type { Log } from '../../runtime/observe/observe.ts'

/** How many nodes, and on which server. */
export interface RunNodesOptions {
  readonly count: number
  readonly platform: Platform
  readonly log: Log
}

/** Who they are to the server: they write nodes, leases and pods. */
const user = {
  username: 'system:simulated-nodes',
  groups: ['system:masters', 'system:authenticated'],
}

/** Runs simulated nodes on a server of this process until they are stopped. Their code is loaded if there are any. */
export function runSimulatedNodes(
  server: Pick<RunningApiServer, 'dispatch'>,
  { count, platform, log }: RunNodesOptions,
): { readonly failed: Promise<never>; stop(): Promise<void> } {
  const end = new AbortController()
  const running = count > 0 ? run() : Promise.resolve()
  const failed = new Promise<never>((_, reject) => running.catch(reject))
  failed.catch(() => {})
  return {
    failed,
    async stop() {
      end.abort()
      await running.catch(() => {})
    },
  }

  async function run(): Promise<void> {
    const { createSimulatedNodes } = await import(
      '../../runtime/simulated-nodes/simulated-nodes.ts'
    )
    const send = (request: Parameters<typeof server.dispatch>[0]) =>
      server.dispatch({ ...request, user })
    const client = createClient(
      { send, close: async () => {} },
      { manager: platform.agent, platform: own },
    )
    const nodes = createSimulatedNodes({ count, client, platform, clock: systemClock, log })
    if (!end.signal.aborted) await nodes.run(end.signal)
  }
}
