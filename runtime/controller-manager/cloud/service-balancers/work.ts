/** What is done about the balancer of one service, and how it is told. */
import type { Service } from '../../../../generated/apis/core/v1/service.ts'
import type { CloudContext, LoadBalancers } from '../../../cloud/cloud.ts'
import { errorText } from '../../../kernel/errors/error-text.ts'
import { isStatus } from '../../../kernel/errors/status-error.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import type { KeyContext, Outcome } from '../../../reconcile/reconcile.ts'
import type { BalancerMetrics } from './balancer-metrics.ts'
import type { KnownService } from './decide-balancer.ts'

/** What it is done with. */
export interface Work {
  readonly balancers: LoadBalancers
  readonly cloud: CloudContext
  readonly context: KeyContext
  /** What holds a service as long as it may have a balancer. */
  readonly finalizer: string
  readonly counts: BalancerMetrics
}

/** How it ended, and what is to be remembered. */
export interface Worked extends Omit<KnownService, 'service'> {
  readonly outcome: Outcome
}

/** Tells of a service what is as it should be. */
export function tell(work: Work, service: Stored<Service>, reason: string, message: string): void {
  work.context.event(service, { type: 'Normal', reason, message })
}

/** Tells of a service what a person may have to look at. */
export function warn(work: Work, service: Stored<Service>, reason: string, message: string): void {
  work.context.event(service, { type: 'Warning', reason, message })
}

/** Asks the cloud. What goes wrong says what was to be done. */
export async function asked<T>(what: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    throw failureOf(what, error)
  }
}

/** Writes the service. What goes wrong says what was to be done; that the service has changed or is gone says so itself. */
export async function written<T>(what: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    throw isOvertaken(error) ? error : failureOf(what, error)
  }
}

function failureOf(what: string, error: unknown): Error {
  return new Error(`failed to ${what}: ${errorText(error)}`, { cause: error })
}

/** Does what brings a balancer to what its service asks for. What goes wrong is told, and tried again. */
export async function synced<T>(
  work: Work,
  service: Stored<Service>,
  steps: () => Promise<T>,
): Promise<T> {
  try {
    return await steps()
  } catch (error) {
    if (!isOvertaken(error)) warnOfSync(work, service, errorText(error))
    throw error
  }
}

/** Tells why a balancer is not what its service asks for. */
export function warnOfSync(work: Work, service: Stored<Service>, why: string): void {
  warn(work, service, 'SyncLoadBalancerFailed', `Error syncing load balancer: ${why}`)
}

/** True where the service has changed since it was looked at, or is gone. */
export function isOvertaken(error: unknown): boolean {
  return isStatus(error, 'Conflict') || isStatus(error, 'NotFound')
}

/** Tells of a balancer that has nowhere to send anything. */
export function warnOfNoNodes(work: Work, service: Stored<Service>): void {
  const message = 'There are no available nodes for LoadBalancer'
  warn(work, service, 'UnAvailableLoadBalancer', message)
}
