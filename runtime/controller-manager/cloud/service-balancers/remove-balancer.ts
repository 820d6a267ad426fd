import { type Service, services } from '../../../../generated/apis/core/v1/service.ts'
import { objectKey } from '../../../informer/informer.ts'
import { errorText } from '../../../kernel/errors/error-text.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import { done } from '../../../reconcile/reconcile.ts'
import { asked, synced, tell, type Work, type Worked, warn, written } from './work.ts'

/**
 * Removes the balancer of a service, and then lets the service go. `ifThere`: a service of whose balancer the cloud knows nothing is
 * another program's, and is left alone.
 */
export function removeBalancer(
  work: Work,
  service: Stored<Service>,
  ifThere: boolean,
): Promise<Worked> {
  const { balancers, cloud } = work
  const removed: Worked = { outcome: done, isMade: false, targets: undefined }
  return synced(work, service, async () => {
    const what = 'check if load balancer exists before cleanup'
    const known = await asked(what, balancers.get(service, cloud))
    if (known === undefined && ifThere) return removed
    if (known !== undefined) tell(work, service, 'DeletingLoadBalancer', 'Deleting load balancer')
    await asked('delete load balancer', balancers.delete(service, cloud))
    await written('remove load balancer cleanup finalizer', release(work, service))
    tell(work, service, 'DeletedLoadBalancer', 'Deleted load balancer')
    return removed
  })
}

/** Removes the balancer of a service that is gone although it was held. */
export async function removeLostBalancer(work: Work, service: Stored<Service>): Promise<void> {
  tell(work, service, 'DeletingLoadBalancer', 'Deleting load balancer')
  try {
    await work.balancers.delete(service, work.cloud)
  } catch (error) {
    const message = `Error deleting load balancer: ${errorText(error)}`
    warn(work, service, 'DeleteLoadBalancerFailed', message)
    throw new Error(`failed to delete load balancer: ${errorText(error)}`, { cause: error })
  }
  tell(work, service, 'DeletedLoadBalancer', 'Deleted load balancer')
}

/** Takes the finalizer off, and with it what the service said of its balancer: one that asks for none may not say that. */
async function release(
  { finalizer, context: { client, signal } }: Work,
  service: Stored<Service>,
): Promise<void> {
  const { resourceVersion, uid, finalizers = [] } = service.metadata
  const isSaid = (service.status?.loadBalancer?.ingress ?? []).length > 0
  if (!finalizers.includes(finalizer) && !isSaid) return
  const left = finalizers.filter((one) => one !== finalizer)
  const patch = {
    metadata: { uid, resourceVersion, finalizers: left },
    ...(isSaid && { status: { loadBalancer: { ingress: null } } }),
  }
  const all = client.resource(services)
  await all.mergePatch(objectKey(service), patch, { subresource: 'status' }, signal)
}
