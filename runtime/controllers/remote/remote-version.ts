import type { APIService } from '../../../generated/apis/apiregistration/v1.ts'
import type { Client } from '../../client/client.ts'
import { createInformer } from '../../informer/informer.ts'
import type { Clock } from '../../kernel/async/clock.ts'
import type { AnyKind, Kind } from '../../kernel/descriptors/kind.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { Log } from '../../observe/observe.ts'

/** True for a group version for which another server answers. */
export function isRemoteVersion(object: object): boolean {
  const { spec } = object as APIService
  return spec?.service !== undefined && spec.service !== null
}

/**
 * Resolves to true when there is a group version for which another server answers, to false when `signal` aborts before: a server without
 * any does not load what passes requests on.
 */
export async function waitForRemoteVersion(
  client: Client,
  kind: AnyKind,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  signal: AbortSignal,
): Promise<boolean> {
  const found = new AbortController()
  const look = (object: ApiObject): void => {
    if (isRemoteVersion(object)) found.abort()
  }
  const informer = createInformer(client.resource(kind as Kind<ApiObject>), {
    clock,
    log,
    keepAlive: false,
  })
  informer.on({ added: look, updated: look })
  await informer.run(AbortSignal.any([signal, found.signal]))
  return found.signal.aborted && !signal.aborted
}
