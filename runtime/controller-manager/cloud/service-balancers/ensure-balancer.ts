import type { Node } from '../../../../generated/apis/core/v1/node.ts'
import {
  type LoadBalancerIngress,
  type LoadBalancerStatus,
  type Service,
  services,
} from '../../../../generated/apis/core/v1/service.ts'
import { objectKey } from '../../../informer/informer.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import { deepEqual } from '../../../kernel/values/deep-equal.ts'
import { again, done } from '../../../reconcile/reconcile.ts'
import { targetsOf } from './target-nodes.ts'
import {
  asked,
  synced,
  tell,
  type Work,
  type Worked,
  warnOfNoNodes,
  warnOfSync,
  written,
} from './work.ts'

/** Gives a service a balancer as it asks for. The finalizer is there before anything is made. */
export function ensureBalancer(
  work: Work,
  service: Stored<Service>,
  nodes: readonly Stored<Node>[],
): Promise<Worked> {
  const { balancers, cloud } = work
  return synced(work, service, async () => {
    tell(work, service, 'EnsuringLoadBalancer', 'Ensuring load balancer')
    const held = await written('add load balancer cleanup finalizer', hold(work, service))
    if (nodes.length === 0) warnOfNoNodes(work, service)
    const ensured = await asked('ensure load balancer', balancers.ensure(held, nodes, cloud))
    const isMade = true
    if (ensured.is === 'pending') {
      warnOfSync(work, service, `failed to ensure load balancer: ${ensured.why}`)
      return { outcome: again(ensured.ms, ensured.why), isMade, targets: undefined }
    }
    if (ensured.is === 'ready') {
      tell(work, service, 'EnsuredLoadBalancer', 'Ensured load balancer')
      await written('update load balancer status', writeStatus(work, held, ensured.status))
    }
    return { outcome: done, isMade, targets: targetsOf(nodes) }
  })
}

/** Puts the finalizer on a service; gives the service as it is then. */
async function hold(
  { finalizer, context: { client, signal } }: Work,
  service: Stored<Service>,
): Promise<Stored<Service>> {
  const { resourceVersion, finalizers = [] } = service.metadata
  if (finalizers.includes(finalizer)) return service
  const patch = { metadata: { resourceVersion, finalizers: [...finalizers, finalizer] } }
  const all = client.resource(services)
  return all.mergePatch(objectKey(service), patch, { subresource: 'status' }, signal)
}

/** Says where the balancer answers, unless the service says so already. */
async function writeStatus(
  { context: { client, signal } }: Work,
  service: Stored<Service>,
  status: LoadBalancerStatus,
): Promise<void> {
  if (isSaid(status.ingress, service.status?.loadBalancer?.ingress)) return
  const { uid } = service.metadata
  const patch = { metadata: { uid }, status: { loadBalancer: { ingress: status.ingress ?? null } } }
  const all = client.resource(services)
  await all.mergePatch(objectKey(service), patch, { subresource: 'status' }, signal)
}

/** True if a service says all that the cloud says. */
function isSaid(
  wanted: readonly LoadBalancerIngress[] = [],
  said: readonly LoadBalancerIngress[] = [],
): boolean {
  return (
    wanted.length === said.length &&
    wanted.every((one, at) => {
      // What the cloud does not say of this has a default.
      const { ipMode: _, ...rest } = said[at] ?? {}
      return deepEqual(one, one.ipMode === undefined ? rest : said[at])
    })
  )
}
