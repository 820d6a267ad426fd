import type { Client } from '../client/client.ts'
import type { UserInfo } from '../kernel/auth/user-info.ts'
import type { Platform } from '../kernel/descriptors/platform.ts'
import { createScheduler, type Scheduler } from './running/create-scheduler.ts'
import type { SchedulerOptions } from './running/scheduler-options.ts'

/** A scheduler beside a server of the same process. */
export interface SchedulerInProcessOptions
  extends Omit<SchedulerOptions, 'client' | 'leaderElection' | 'keepAlive'> {
  /** A client that acts as a user, under the name of a program; it is not closed. */
  readonly clientAs: (user: UserInfo, program: string) => Client
}

/** A scheduler that acts as the user that a scheduler is. */
export function schedulerInProcess({
  clientAs,
  ...options
}: SchedulerInProcessOptions): Promise<Scheduler> {
  const { platform } = options
  const client = clientAs(schedulerUser(platform), `${platform.prefix}-scheduler`)
  return createScheduler({ ...options, client, keepAlive: false })
}

/** The user that a scheduler is. */
export function schedulerUser({ prefix }: Pick<Platform, 'prefix'>): UserInfo {
  return { username: `system:${prefix}-scheduler`, groups: ['system:authenticated'] }
}
