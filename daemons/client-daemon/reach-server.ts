import { arch, type } from 'node:os'
import type { Client } from '../../runtime/client/client.ts'
import { platformOfServer } from '../../runtime/connection/connection.ts'
import { pause, systemClock } from '../../runtime/kernel/async/clock.ts'
import type { Platform } from '../../runtime/kernel/descriptors/platform.ts'
import { packageVersion } from '../version.ts'

/** How requests name a program: `orch-scheduler/v1.29.0 (linux/amd64) orch/0.1.0`. */
export function programName(component: string, { prefix, release, brand }: Platform): string {
  const system = `${type().toLowerCase()}/${arch() === 'x64' ? 'amd64' : arch()}`
  return `${prefix}-${component}/v${release} (${system}) ${brand}/${packageVersion()}`
}

/** How often a server is looked for that does not answer yet, and how long one look waits for the next. */
const looks = 10
const lookMs = 1000

/** The names of the server, which may start beside the daemon; undefined if `signal` aborts first. @throws why it cannot be reached. */
export async function platformWhenReached(
  client: Client,
  own: Platform,
  signal: AbortSignal,
): Promise<Platform | undefined> {
  for (let look = 1; ; look++) {
    try {
      return await platformOfServer(client, own, signal)
    } catch (error) {
      if (signal.aborted) return undefined
      if (look === looks) throw error
      await pause(systemClock, lookMs, signal)
    }
  }
}
