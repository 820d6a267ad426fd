import type { Kind } from '../kernel/descriptors/kind.ts'
import type { ApiObject } from '../kernel/meta/object.ts'
import type { JsonObject } from '../kernel/values/json.ts'
import { isObject } from '../kernel/values/json.ts'
import type { DeleteOptions, Key } from './resource.ts'

/** The DeleteOptions body for a target. An object given with `unchanged` is named by uid and version. */
export function deleteOptionsBody(
  target: string | Key | ApiObject,
  { dryRun, gracePeriodSeconds, propagationPolicy, unchanged }: DeleteOptions,
): object {
  const given = typeof target === 'object' && 'metadata' in target ? target.metadata : undefined
  return {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    gracePeriodSeconds,
    propagationPolicy,
    dryRun: dryRun ? ['All'] : undefined,
    preconditions: given && {
      uid: given.uid,
      resourceVersion: unchanged ? given.resourceVersion : undefined,
    },
  }
}

/** What an answer to DELETE says: the uid, the object if it came back, and whether it is still there. */
export function readDeleteResponse(
  kind: Kind,
  answer: JsonObject,
): { uid: string | undefined; object: JsonObject | undefined; left: boolean } {
  if (answer.kind === 'Status' && kind.kind !== 'Status') {
    const details = isObject(answer.details) ? answer.details : {}
    return { uid: stringOrUndefined(details.uid), object: undefined, left: false }
  }
  const metadata = isObject(answer.metadata) ? answer.metadata : {}
  const held = Array.isArray(metadata.finalizers) && metadata.finalizers.length > 0
  const waits = Number(metadata.deletionGracePeriodSeconds ?? 0) > 0
  return { uid: stringOrUndefined(metadata.uid), object: answer, left: held || waits }
}

function stringOrUndefined(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
