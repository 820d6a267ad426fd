import { type Node, nodes } from '../../../../generated/apis/core/v1/node.ts'
import { type Service, services } from '../../../../generated/apis/core/v1/service.ts'
import type { LoadBalancers } from '../../../cloud/cloud.ts'
import { formatKey, objectKey } from '../../../informer/informer.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import {
  again,
  done,
  type KeyContext,
  type KeyController,
  type Outcome,
  type Watch,
  watching,
} from '../../../reconcile/reconcile.ts'
import type { BuildContext } from '../../contract/build-controller.ts'
import { type BalancerMetrics, balancerMetrics } from './balancer-metrics.ts'
import {
  type BalancerPlan,
  concernsBalancer,
  decideBalancer,
  type KnownService,
} from './decide-balancer.ts'
import { ensureBalancer } from './ensure-balancer.ts'
import { removeBalancer, removeLostBalancer } from './remove-balancer.ts'
import { wantsBalancer } from './service-changes.ts'
import { changesTargets, isTarget, type TargetRules } from './target-nodes.ts'
import { updateBalancer } from './update-balancer.ts'
import { isOvertaken, type Work, type Worked } from './work.ts'

/** Waits after a failure, in milliseconds. */
const backoff = { baseMs: 5000, maxMs: 300_000 }

/** The longest that a cloud may take for one service, in milliseconds. */
const timeoutMs = 300_000

/** Milliseconds after which a service is looked at again that another writer has changed meanwhile. */
const overtakenMs = 100

/** The index of services that ask for a balancer. */
const balanced = 'asks for a balancer'

/**
 * Keeps a load balancer of the cloud for each service that asks for one, and says where it answers (T-12).
 *
 *   reads    Service, Node
 *   writes   Service: finalizer, status.loadBalancer; Event; in the cloud: load balancers
 *   wakes    when a service changes in what its balancer follows, and when nodes come, go or change so that balancers follow
 *   settles  when each service that asks for a balancer has one in front of the nodes that count, and no other has one
 *
 * Without a cloud that has balancers there is nothing to do.
 */
export async function balancerController(context: BuildContext): Promise<readonly KeyController[]> {
  const { name, platform, gates, concurrency = 1, cloud } = context
  if (cloud?.loadBalancers === undefined) return []
  const rules: BalancerRules = {
    balancers: cloud.loadBalancers,
    cluster: context.configuration.OrchCloudShared.ClusterName,
    finalizer: `service.${platform.domain}/load-balancer-cleanup`,
    targets: { domain: platform.domain, isStable: gates.has('StableLoadBalancerNodeSet') },
  }
  const known = new Map<string, KnownService>()
  const counts = balancerMetrics(context.metrics)
  return [
    {
      ...{ name, component: 'service-controller', concurrency, timeoutMs, queue: { backoff } },
      watches: watchesOf(rules),
      async reconcile(key, run) {
        try {
          return await settle(
            formatKey(key),
            run.cached(services).get(key),
            known,
            { ...rules, counts },
            run,
          )
        } catch (error) {
          if (isOvertaken(error)) return again(overtakenMs, 'it has changed meanwhile')
          throw error
        }
      },
    },
  ]
}

/** By what balancers are kept. */
interface BalancerRules {
  readonly balancers: LoadBalancers
  readonly cluster: string
  readonly finalizer: string
  readonly targets: TargetRules
}

type CountedRules = BalancerRules & { readonly counts: BalancerMetrics }

function watchesOf({ finalizer, targets }: BalancerRules): readonly Watch[] {
  const asks = (service: Stored<Service>) => (wantsBalancer(service) ? ['yes'] : [])
  return [
    watching(services, (service) => [objectKey(service)], {
      indexes: { [balanced]: asks },
      when: ({ type, object, before }) =>
        type === 'deleted' || concernsBalancer(object, before, finalizer),
    }),
    watching(nodes, (_, { cached }) => cached(services).index(balanced, 'yes').map(objectKey), {
      priority: 'routine',
      when: ({ type, object, before }) =>
        type !== 'listed' && changesTargets(object, before, targets),
    }),
  ]
}

/** Does what there is to do about one service, and remembers how far that came. */
async function settle(
  id: string,
  service: Stored<Service> | undefined,
  known: Map<string, KnownService>,
  { balancers, cluster, finalizer, targets, counts }: CountedRules,
  context: KeyContext,
): Promise<Outcome> {
  const { signal } = context
  const work: Work = { balancers, finalizer, context, cloud: { cluster, signal }, counts }
  const last = known.get(id)
  const isOther = last?.service.metadata.uid !== service?.metadata.uid
  if (last?.isMade && isOther) await removeLostBalancer(work, last.service)
  if (service === undefined) {
    known.delete(id)
    return done
  }
  const before = last && isOther ? { ...last, isMade: false, targets: undefined } : last
  const present = wantsBalancer(service) ? context.cached(nodes).list() : []
  const chosen = present.filter((node) => isTarget(node, targets))
  const { plan, told } = decideBalancer(service, before, chosen, finalizer)
  if (told !== undefined) context.event(service, { type: 'Normal', ...told })
  const { isMade = false } = before ?? {}
  known.set(id, { service, isMade: isMade || plan.is === 'ensure', targets: undefined })
  const { outcome, ...seen } = await carryOut(plan, work, service, chosen, before)
  known.set(id, { service, ...seen })
  return outcome
}

async function carryOut(
  plan: BalancerPlan,
  work: Work,
  service: Stored<Service>,
  chosen: readonly Stored<Node>[],
  before: KnownService | undefined,
): Promise<Worked> {
  switch (plan.is) {
    case 'ensure':
      return ensureBalancer(work, service, chosen)
    case 'update':
      return updateBalancer(work, service, chosen)
    case 'remove':
      return removeBalancer(work, service, plan.ifThere)
    default:
      return { outcome: done, isMade: before?.isMade === true, targets: before?.targets }
  }
}
