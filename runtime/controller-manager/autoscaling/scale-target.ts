import type { Scale } from '../../../generated/apis/autoscaling/v1/scale.ts'
import type { CrossVersionObjectReference } from '../../../generated/apis/autoscaling/v2/horizontal-pod-autoscaler.ts'
import type { Client, DynamicObject, ScalableResource } from '../../client/client.ts'
import { isStatus } from '../../kernel/errors/status-error.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { SpecError } from './autoscaler-metrics.ts'

/** What an autoscaler scales. */
export interface ScaleTarget {
  readonly resource: ScalableResource<DynamicObject>
  readonly scale: Stored<Scale>
}

/**
 * The scale of what an autoscaler names, whatever version it names it by.
 *
 * @throws Error that says why it could not be read.
 */
export async function readTarget(
  { apiVersion = '', kind, name }: CrossVersionObjectReference,
  namespace: string,
  { client, signal }: { readonly client: Client; readonly signal: AbortSignal },
): Promise<ScaleTarget> {
  const parts = apiVersion.split('/')
  if (parts.length > 2) throw new SpecError(`unexpected GroupVersion string: ${apiVersion}`)
  const group = parts.length === 2 ? (parts[0] ?? '') : ''
  const resource = await resourceOf({ group, kind }, namespace, { client, signal })
  try {
    return { resource, scale: await resource.getSubresource<Stored<Scale>>(name, 'scale', signal) }
  } catch (error) {
    const hasScale = !isStatus(error, 'NotFound') || error.details?.name !== undefined
    throw hasScale ? error : new Error('the server could not find the requested resource')
  }
}

async function resourceOf(
  { group, kind }: { readonly group: string; readonly kind: string },
  namespace: string,
  { client, signal }: { readonly client: Client; readonly signal: AbortSignal },
): Promise<ScalableResource<DynamicObject>> {
  try {
    return (await client.dynamic({ group, kind }, signal)).in(namespace)
  } catch (error) {
    if (!isStatus(error, 'NotFound')) throw error
    throw new Error(`no matches for kind "${kind}" in group "${group}"`)
  }
}

/** Asks for another number of what the target makes, unless its scale has changed since. */
export async function writeScale(
  { resource, scale }: ScaleTarget,
  replicas: number,
  signal: AbortSignal,
): Promise<void> {
  const next = { ...scale, spec: { ...scale.spec, replicas } }
  await resource.scale(scale.metadata.name).update(next, {}, signal)
}
