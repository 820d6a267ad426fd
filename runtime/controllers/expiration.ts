import { formatKey, objectKey } from '../informer/informer.ts'
import { timestamp } from '../kernel/async/clock.ts'
import type { AnyKind } from '../kernel/descriptors/kind.ts'
import { type ApiObject, apiVersionOf, type Stored } from '../kernel/meta/object.ts'
import { again, done, type KeyController, watching } from '../reconcile/reconcile.ts'
import { ignoreLostRace } from './contract/lost-race.ts'

/** What goes, and when. */
export interface ExpirationControllerOptions {
  /** A kind whose objects stay for a time only. */
  readonly kind: AnyKind
  /** Milliseconds that an object stays after its last write. */
  readonly ttlMs: number
}

/**
 * Deletes objects whose kind keeps them for a time only, so long after their last write: events, by the supplement's
 * U-08. After a restart the last write is when the records of managers say it was.
 *
 *   reads    the kind, of whose objects only the key and the time of the last write are cached
 *   writes   the kind: delete
 *   wakes    when an object changes, and when its time is over
 *   settles  when no object is older than its time
 */
export function expirationController({ kind, ttlMs }: ExpirationControllerOptions): KeyController {
  const writes = new Map<string, LastWrite>()
  const apiVersion = apiVersionOf(kind)
  const scope = {
    transform: (object: Stored<ApiObject>) => ({
      ...{ apiVersion, kind: kind.kind },
      metadata: keptMetadata(object.metadata),
    }),
  }
  return {
    name: `expiration-${kind.plural}.${kind.group}`,
    watches: [watching(kind, (object) => [objectKey(object)], scope)],
    async reconcile(key, { client, cached, clock, log }) {
      const object = cached(kind).get(key)
      const id = formatKey(key)
      if (object === undefined) {
        writes.delete(id)
        return done
      }
      const write = lastWrite(object, writes.get(id), clock.now())
      writes.set(id, write)
      const leftMs = write.at + ttlMs - clock.now()
      if (leftMs > 0) return again(leftMs)
      try {
        const options = { unchanged: true, gracePeriodSeconds: 0 }
        await ignoreLostRace(client.resource<ApiObject>(kind).delete(object, options))
        return done
      } catch (error) {
        const { name } = object.metadata
        log.warn('expired object stays', { kind: kind.kind, name, reason: String(error) })
        return again(retryMs)
      }
    },
  }
}

/** How long to wait after a deletion that failed. */
const retryMs = 60_000

/** When an object was written last, in milliseconds since the epoch, and the version that this write left. */
export interface LastWrite {
  readonly resourceVersion: string
  readonly at: number
}

/**
 * The last write of an object: now, if it was seen before in another version; if it is seen for the first time, when its
 * own records say.
 */
export function lastWrite(
  { metadata }: Stored<ApiObject>,
  known: LastWrite | undefined,
  now: number,
): LastWrite {
  const { resourceVersion } = metadata
  if (known?.resourceVersion === resourceVersion) return known
  return { resourceVersion, at: known === undefined ? (recordedWrite(metadata) ?? now) : now }
}

type Metadata = ApiObject['metadata'] & {
  readonly managedFields?: readonly { readonly time?: string }[]
}

/** When the records of managers say that an object was written last. */
function recordedWrite({ creationTimestamp, managedFields = [] }: Metadata): number | undefined {
  const times = [creationTimestamp, ...managedFields.map(({ time }) => time)]
  const known = times.map((time) => Date.parse(time ?? '')).filter((ms) => !Number.isNaN(ms))
  return known.length === 0 ? undefined : Math.max(...known)
}

/** What the decision needs: of a hundred thousand events no more is kept in memory. */
function keptMetadata(metadata: Stored<ApiObject>['metadata']): Stored<ApiObject>['metadata'] {
  const { name, namespace, uid, resourceVersion } = metadata
  const written = recordedWrite(metadata)
  return {
    ...{ name, uid, resourceVersion },
    creationTimestamp: written === undefined ? '' : timestamp(written),
    ...(namespace !== undefined && { namespace }),
  }
}
