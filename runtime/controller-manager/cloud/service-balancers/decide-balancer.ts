import type { Node } from '../../../../generated/apis/core/v1/node.ts'
import type { Service } from '../../../../generated/apis/core/v1/service.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import { changeOf, type ToldChange, wantsBalancer } from './service-changes.ts'
import { sameTargets, type Targets, targetsOf } from './target-nodes.ts'

/** What is remembered of a service from one look to the next. */
export interface KnownService {
  /** As it was. */
  readonly service: Stored<Service>
  /** The cloud may have a balancer for it. */
  readonly isMade: boolean
  /** What its balancer stands in front of; undefined if the last try failed, or there was none. */
  readonly targets: Targets | undefined
}

/** What there is to do about the balancer of a service. */
export type BalancerPlan =
  | { readonly is: 'nothing' }
  /** Make it, or make it what the service asks for now. */
  | { readonly is: 'ensure' }
  /** Put it in front of other nodes. */
  | { readonly is: 'update' }
  /** Remove it, and let the service go. `ifThere`: what the cloud knows nothing of is another program's. */
  | { readonly is: 'remove'; readonly ifThere: boolean }

/** A plan, and the change that it follows, if that is to be told. */
export interface DecidedBalancer {
  readonly plan: BalancerPlan
  readonly told: ToldChange | undefined
}

/** What there is to do about the balancer of a service that was last seen as it is remembered, in front of these nodes. */
export function decideBalancer(
  service: Stored<Service>,
  known: KnownService | undefined,
  nodes: readonly Stored<Node>[],
  finalizer: string,
): DecidedBalancer {
  const change = known && changeOf(known.service, service)
  const plan = (): BalancerPlan => {
    const { finalizers, deletionTimestamp } = service.metadata
    if (deletionTimestamp !== undefined || !wantsBalancer(service)) {
      const isHeld = finalizers?.includes(finalizer) === true
      if (!isHeld && known?.isMade !== true) return { is: 'nothing' }
      return { is: 'remove', ifThere: service.spec?.loadBalancerClass !== undefined }
    }
    if (known?.targets === undefined || change !== undefined) return { is: 'ensure' }
    return sameTargets(known.targets, targetsOf(nodes)) ? { is: 'nothing' } : { is: 'update' }
  }
  return { plan: plan(), told: change?.told }
}

/** True for a change after which there may be something to do about the balancer of a service. */
export function concernsBalancer(
  service: Stored<Service>,
  before: Stored<Service> | undefined,
  finalizer: string,
): boolean {
  if (before === undefined || changeOf(before, service) !== undefined) return true
  if (service.metadata.finalizers?.includes(finalizer) !== true) return false
  return service.metadata.deletionTimestamp !== undefined || service.spec?.type !== 'LoadBalancer'
}
