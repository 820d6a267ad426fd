/** A server with kinds and gates that are off by default, and controllers beside it. */
import type { ControllerName } from '../../generated/controllers.ts'
import { metrics as facts } from '../../generated/metrics.ts'
import { scheme as ownScheme } from '../../generated/scheme.ts'
import { startApiServer } from '../../runtime/apiserver/apiserver.ts'
import { type Client, createClient } from '../../runtime/client/client.ts'
import { controllersInProcess } from '../../runtime/controller-manager/controller-manager.ts'
import { systemClock } from '../../runtime/kernel/async/clock.ts'
import type { UserInfo } from '../../runtime/kernel/auth/user-info.ts'
import { enabledGatesOf } from '../../runtime/kernel/descriptors/enabled-gates.ts'
import type { Platform } from '../../runtime/kernel/descriptors/platform.ts'
import { createMetrics, type Metrics, silentLog } from '../../runtime/observe/observe.ts'
import { platformScheme } from './platform-scheme.ts'

/** A server that runs, and a client of an administrator. */
export interface AlphaPlane {
  readonly client: Client
  readonly platform: Platform
  /** What the controllers count. */
  readonly metrics: Metrics
  /** The controllers that run. */
  readonly controllers: readonly ControllerName[]
  /** Resolves when their caches are filled; rejects if they cannot run. */
  readonly ready: Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts a server under the names of a platform, where each controller has the rights of its account. */
export async function startAlphaPlane(
  name: string,
  controllers: readonly ControllerName[],
  ...switchedOn: readonly string[]
): Promise<AlphaPlane> {
  const scheme = (await platformScheme(name)) ?? ownScheme
  const gates = new Set([...enabledGatesOf(scheme), ...switchedOn])
  const server = await startApiServer({
    ...{ scheme, gates, storage: { kind: 'memory' }, clock: systemClock, log: silentLog },
    ...{ listen: { port: 0 }, hostname: 'machine-1', runtimeConfig: ['api/all=true'] },
    authorization: { modes: ['RBAC'] },
  })
  const clientAs = (user: UserInfo, program: string) =>
    createClient(
      { send: (request) => server.dispatch({ ...request, user }), close: async () => {} },
      { manager: program, platform: ownScheme.platform },
    )
  const { platform } = scheme
  const { release } = platform
  const metrics = createMetrics(facts, { release, daemon: 'controller-manager' })
  const manager = await controllersInProcess({
    ...{ controllers, clientAs, platform, gates, clock: systemClock, log: silentLog, metrics },
  })
  const end = new AbortController()
  const running = manager.run(end.signal)
  return {
    client: clientAs({ username: 'admin', groups: ['system:masters'] }, 'test'),
    ...{ platform, metrics },
    controllers: manager.controllers,
    ready: Promise.race([manager.ready, running.then(() => {})]),
    async [Symbol.asyncDispose]() {
      end.abort()
      await running
      await server.stop()
    },
  }
}
