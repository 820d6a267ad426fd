/** How often the programs beside a control plane ask it for something. */
import { type ControllerName, controllers } from '../../generated/controllers.ts'
import {
  type ControlPlane,
  type ControlPlaneOptions,
  startControlPlane,
  type VirtualClock,
  virtualClock,
} from '../../runtime/testing/testing.ts'

const minute = 60_000

/** A control plane with every controller that runs by default, a scheduler and nodes, whose requests are counted. */
export interface CountedPlane {
  readonly plane: ControlPlane
  readonly clock: VirtualClock
  /**
   * Requests a minute over the next minutes of virtual time: all but watches, and renewals of leases, which are as many whatever
   * happens. The test itself asks nothing meanwhile.
   */
  callsPerMinute(minutes: number): Promise<Calls>
  [Symbol.asyncDispose](): Promise<void>
}

/** A rate, and what it is made of. */
export interface Calls {
  readonly perMinute: number
  /** The rate of those whose path has a part, such as `/namespaces/shop/`. */
  perMinuteOf(part: string): number
  /** The most frequent requests, a line each. */
  readonly most: string
}

/** Starts one whose controllers have come to rest. */
export async function startCountedPlane(options: ControlPlaneOptions = {}): Promise<CountedPlane> {
  const counts = new Map<string, number>()
  const clock = virtualClock()
  const plane = await startControlPlane({
    ...{ clock, authorization: 'RBAC', controllers: onByDefault(), simulatedNodes: 3 },
    scheduler: true,
    use: [
      async (context, next) => {
        const { method, path, querystring, headers } = context
        const isRegular = querystring.includes('watch=true') || path.includes('/leases')
        const asked = `${headers['user-agent']} ${method} ${path}`
        if (!isRegular) counts.set(asked, (counts.get(asked) ?? 0) + 1)
        await next()
      },
    ],
    ...options,
  })
  await clock.advanceAsync(minute)
  return {
    plane,
    clock,
    async callsPerMinute(minutes) {
      counts.clear()
      await clock.advanceAsync(minutes * minute)
      const perMinuteOf = (part: string): number => {
        const asked = [...counts].filter(([request]) => request.includes(part))
        return asked.reduce((sum, [, count]) => sum + count, 0) / minutes
      }
      const frequent = [...counts].sort(([, a], [, b]) => b - a).slice(0, 5)
      const most = frequent.map(([asked, count]) => `${count} ${asked}`).join('\n')
      return { perMinute: perMinuteOf(''), perMinuteOf, most }
    },
    [Symbol.asyncDispose]: () => plane.stop(),
  }
}

function onByDefault(): readonly ControllerName[] {
  return controllers.flatMap(({ controller, off, cloud }) => (off || cloud ? [] : [controller]))
}
