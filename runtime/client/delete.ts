import type { Kind } from '../kernel/descriptors/kind.ts'
import type { ApiObject } from '../kernel/meta/object.ts'
import type { JsonObject } from '../kernel/values/json.ts'
import { isObject } from '../kernel/values/json.ts'
import type { Key } from './resource.ts'
import type { DeleteOptions } from './resource-options.ts'

/** The DeleteOptions body for a target. An object that is given whole is named by its uid, with `unchanged` by its version, too. */
export function deleteOptionsBody(
  target: string | Key | ApiObject,
  { dryRun, gracePeriodSeconds, propagationPolicy, unchanged }: DeleteOptions,
): object {
  const known = typeof target === 'object' && 'metadata' in target ? target.metadata : undefined
  return {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    gracePeriodSeconds,
    propagationPolicy,
    dryRun: dryRun ? ['All'] : undefined,
    preconditions: known && {
      uid: known.uid,
      resourceVersion: unchanged ? known.resourceVersion : undefined,
    },
  }
}

/** What the response to a DELETE says. */
export interface DeleteResponse {
  readonly uid: string | undefined
  /** The object, if the server sent it. */
  readonly object: JsonObject | undefined
  /** The object is still there: finalizers hold it, or its grace period is not over. */
  readonly left: boolean
}

/** Reads the response to a DELETE: a Status with details, or the object itself. */
export function readDeleteResponse(kind: Kind, body: JsonObject): DeleteResponse {
  if (body.kind === 'Status' && kind.kind !== 'Status') {
    const details = isObject(body.details) ? body.details : {}
    return { uid: stringOrUndefined(details.uid), object: undefined, left: false }
  }
  const metadata = isObject(body.metadata) ? body.metadata : {}
  const held = Array.isArray(metadata.finalizers) && metadata.finalizers.length > 0
  const waits = Number(metadata.deletionGracePeriodSeconds ?? 0) > 0
  return { uid: stringOrUndefined(metadata.uid), object: body, left: held || waits }
}

function stringOrUndefined(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
