/** A control plane under the names of a platform, in a cloud that notes what it is asked. */
import { events } from '../../../../generated/apis/core/v1/event.ts'
import { platform as own } from '../../../../generated/platform.ts'
import { type Client, createClient } from '../../../../runtime/client/client.ts'
import type { Platform } from '../../../../runtime/kernel/descriptors/platform.ts'
import {
  type CloudCall,
  type ControlPlane,
  type ControlPlaneOptions,
  type MemoryCloud,
  memoryCloud,
  startControlPlane,
  type VirtualClock,
  virtualClock,
} from '../../../../runtime/testing/testing.ts'
import { platformScheme } from '../../../support/platform-scheme.ts'

/** The control plane, its cloud, and what becomes of both. */
export interface CloudPlane {
  readonly plane: ControlPlane
  readonly client: Client
  readonly clock: VirtualClock
  readonly platform: Platform
  readonly cloud: MemoryCloud
  /** What the cloud was asked since this was read last: `ensure balancer default/web`. */
  asked(): readonly string[]
  /** What goes wrong in the cloud from now on: what is given for a call is its answer. */
  fail(why: (call: CloudCall) => string | undefined): void
  /** Events in the order of their text: `Normal EnsuredLoadBalancer Ensured load balancer x1 (service-controller)`. */
  told(): Promise<readonly string[]>
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts controllers, each with the rights of its account. */
export async function startCloudPlane(
  platform: string,
  options: Pick<ControlPlaneOptions, 'controllers' | 'clusterCIDR' | 'simulatedNodes'>,
): Promise<CloudPlane> {
  const scheme = await platformScheme(platform)
  const clock = virtualClock()
  let calls: string[] = []
  let failing: (call: CloudCall) => string | undefined = () => undefined
  const cloud = memoryCloud({
    before(call) {
      calls.push(`${call.verb} ${call.of}`.trim())
      const why = failing(call)
      if (why !== undefined) throw new Error(why)
    },
  })
  const plane = await startControlPlane({
    ...(scheme && { scheme }),
    ...{ authorization: 'RBAC', clock, cloud, ...options },
  })
  const client = createClient(plane.transport, { clock, platform: own })
  return {
    ...{ plane, client, clock, cloud, platform: plane.scheme.platform },
    asked() {
      const since = calls
      calls = []
      return since
    },
    fail(why) {
      failing = why
    },
    async told() {
      await clock.advanceAsync(1000)
      const { items } = await client.resource(events).listAll()
      return items
        .map(
          ({ type, reason, message, count, source }) =>
            `${type} ${reason} ${message} x${count} (${source?.component})`,
        )
        .sort()
    },
    async [Symbol.asyncDispose]() {
      await client.close()
      await plane.stop()
    },
  }
}
