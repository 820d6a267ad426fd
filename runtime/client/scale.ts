import type { Scale } from '../../generated/apis/autoscaling/v1/scale.ts'
import {
  hasSubresource,
  type Kind,
  resourceName,
  type ScalableKind,
} from '../kernel/descriptors/kind.ts'
import { StatusError } from '../kernel/errors/status-error.ts'
import type { ApiObject, Stored } from '../kernel/meta/object.ts'
import type { MergePatch } from './patch.ts'
import type { Draft, Key, NamedDraft, Resource } from './resource.ts'
import type { WriteOptions } from './resource-options.ts'

export type { Scale } from '../../generated/apis/autoscaling/v1/scale.ts'

/** The scale of one object: how many it should have of what it makes, and how many it has. */
export interface ScaleVerbs {
  /**
   * Reads the scale.
   *
   * @throws StatusError `NotFound` if the object is not there.
   */
  get(signal?: AbortSignal): Promise<Stored<Scale>>
  /**
   * Replaces the scale.
   *
   * @throws StatusError `Conflict` if the object has another resourceVersion than the given scale, `Invalid`.
   * @example
   * const scale = await deployments.scale('web').get()
   * await deployments.scale('web').update({ ...scale, spec: { replicas: 3 } })
   */
  update(scale: Draft<Scale>, options?: WriteOptions, signal?: AbortSignal): Promise<Stored<Scale>>
  /**
   * Changes the fields that a JSON merge patch names.
   *
   * @example await deployments.scale('web').patch({ spec: { replicas: 3 } })
   */
  patch(
    patch: MergePatch<Scale>,
    options?: WriteOptions,
    signal?: AbortSignal,
  ): Promise<Stored<Scale>>
}

/** The verbs of a kind whose objects can be scaled. */
export interface ScalableResource<T extends ApiObject> extends Resource<T> {
  in(namespace: string): ScalableResource<T>
  /**
   * The scale of an object. Nothing is sent before one of its verbs is called.
   *
   * @throws StatusError `NotFound` for a kind that is known only at run time and declares none.
   */
  scale(key: string | Key): ScaleVerbs
}

/** The verbs of a kind: with `scale` where its objects can be scaled. */
export interface ResourceOf {
  <T extends ApiObject>(kind: ScalableKind<T>): ScalableResource<T>
  <T extends ApiObject>(kind: Kind<T>): Resource<T>
}

/**
 * The scale of an object, by the verbs of its kind.
 *
 * @throws StatusError `NotFound` if the kind declares none.
 */
export function scaleVerbs<T extends ApiObject>(
  resource: Resource<T>,
  key: string | Key,
): ScaleVerbs {
  const { kind } = resource
  if (!hasSubresource(kind, 'scale')) throw notScalable(kind)
  const place = typeof key === 'string' ? { name: key } : key
  const whole = (scale: Draft<Scale>): unknown => ({
    ...{ kind: 'Scale', apiVersion: 'autoscaling/v1', ...scale },
    metadata: { ...scale.metadata, ...place },
  })
  return {
    get: (signal) => resource.getSubresource<Stored<Scale>>(key, 'scale', signal),
    update: async (scale, options, signal) => {
      const body = whole(scale) as NamedDraft<T>
      const answer = await resource.update(body, { ...options, subresource: 'scale' }, signal)
      return answer as unknown as Stored<Scale>
    },
    patch: async (patch, options, signal) => {
      const body = patch as MergePatch<T>
      const answer = await resource.mergePatch(
        key,
        body,
        { ...options, subresource: 'scale' },
        signal,
      )
      return answer as unknown as Stored<Scale>
    },
  }
}

function notScalable(kind: Kind): StatusError {
  const declared = kind.subresources.map(({ name }) => name).join(', ') || 'none'
  return new StatusError(
    'NotFound',
    `${resourceName(kind)} declares no subresource "scale": it declares ${declared}`,
  )
}
