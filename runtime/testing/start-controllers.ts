import type { ControllerName } from '../../generated/controllers.ts'
import type { Client, ClientOptions } from '../client/client.ts'
import type { Clock } from '../kernel/async/clock.ts'
import { enabledGatesOf } from '../kernel/descriptors/enabled-gates.ts'
import type { Scheme } from '../kernel/descriptors/scheme.ts'
import type { Log } from '../observe/observe.ts'
import type { SchedulerSettings } from '../scheduler/scheduler.ts'
import type { ActingUser } from './acting-user.ts'

/** What controllers of a control plane for tests run on. */
export interface StartControllersOptions {
  readonly as: (user: ActingUser, settings: ClientOptions) => Client
  readonly scheme: Scheme
  readonly clock: Clock
  readonly log: Log
}

/** Starts controllers of the controller manager, if any are named. Their code is loaded then. */
export async function startControllers(
  names: readonly ControllerName[],
  { as, scheme, clock, log }: StartControllersOptions,
): Promise<{ stop(): Promise<void> }> {
  if (names.length === 0) return { stop: async () => {} }
  const [{ controllersInProcess }, { platform: own }] = await Promise.all([
    import('../controller-manager/controller-manager.ts'),
    import('../../generated/platform.ts'),
  ])
  const manager = await controllersInProcess({
    ...{ controllers: names, clock, log },
    platform: scheme.platform,
    gates: enabledGatesOf(scheme),
    clientAs: ({ username: user, groups }, program) =>
      as({ user, groups }, { manager: program, platform: own }),
  })
  const end = new AbortController()
  const ended = manager.run(end.signal)
  await Promise.race([manager.ready, ended])
  return {
    async stop() {
      end.abort()
      await ended
    },
  }
}

/** Starts a scheduler. Its code is loaded then. */
export async function startScheduler(
  settings: SchedulerSettings,
  { as, scheme, clock, log }: StartControllersOptions,
): Promise<{ stop(): Promise<void> }> {
  const [{ schedulerInProcess }, { platform: own }] = await Promise.all([
    import('../scheduler/scheduler.ts'),
    import('../../generated/platform.ts'),
  ])
  const scheduler = await schedulerInProcess({
    ...{ clock, log, platform: scheme.platform, ...settings },
    clientAs: ({ username: user, groups }, program) =>
      as({ user, groups }, { manager: program, platform: own }),
  })
  const end = new AbortController()
  const ended = scheduler.run(end.signal)
  await Promise.race([scheduler.ready, ended])
  return {
    async stop() {
      end.abort()
      await ended
    },
  }
}
