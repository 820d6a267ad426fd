/**
 * The scheduler: which node each pod goes to.
 *
 *  1. The decision is a pure function of a pod and of what is known of the cluster (`schedule`): nodes that something is against are left
 *     out, those that are left are compared, and of the best ones chance takes one. If none is left, `preempt` says which less important
 *     pods would have to go.
 *  2. What is known of the cluster is kept as the server tells of changes. A pod is taken to be on its node from the decision on.
 *  3. A pod for which there is no node waits until something happens that may help, by what was against it; or for five minutes.
 *  4. Nothing is kept but in the server: a scheduler that is started anew goes on where the last one ended.
 */

export { type Attempt, beginAttempt } from './decision/attempt.ts'
export { type DefaultSpread, spreadConstraints, spreadProblem } from './decision/default-spread.ts'
export { unfitMessage } from './decision/messages.ts'
export { type Preemption, preempt } from './decision/preempt.ts'
export { type Decision, type DecisionOptions, schedule, type Unfit } from './decision/schedule.ts'
export { platformKeys } from './facts/platform-keys.ts'
export { type SchedulerInProcessOptions, schedulerInProcess, schedulerUser } from './in-process.ts'
export { createScheduler, type Scheduler } from './running/create-scheduler.ts'
export type { SchedulerOptions, SchedulerSettings } from './running/scheduler-options.ts'
export { type UsualSettings, usualSettings } from './running/usual-settings.ts'
export { Cluster } from './snapshot/cluster.ts'
export type { Lookups } from './snapshot/lookups.ts'
