import type { Kind } from '../../kernel/descriptors/kind.ts'
import type { Scheme } from '../../kernel/descriptors/scheme.ts'
import type { ApiObject, Stored } from '../../kernel/meta/object.ts'
import { again, done, type KeyController, watching } from '../../reconcile/reconcile.ts'
import { ignoreLostRace } from '../contract/lost-race.ts'
import { configMapKind } from './cluster-authentication.ts'

interface ConfigMap extends ApiObject {
  readonly data?: Readonly<Record<string, string>>
}

const retryMs = 1000

/** Servers of an older release, which keep no track, remove the object: it comes back so often at most. */
const betweenCreationsMs = 30 * 60_000

/**
 * The config map that says since when each use of a legacy token is noted on its secret (O-08).
 *
 *   reads    ConfigMap: one of them
 *   writes   the same: create, update
 *   wakes    when it changes
 *   settles  when it has a date
 */
export function tokenTrackingController(scheme: Scheme): KeyController | undefined {
  const kind = configMapKind(scheme) as Kind<ConfigMap> | undefined
  if (kind === undefined) return undefined
  const { prefix } = scheme.platform
  const namespace = `${prefix}-system`
  const name = `${prefix}-apiserver-legacy-service-account-token-tracking`
  const scope = { namespace, fieldSelector: `metadata.name=${name}` }
  let createdAt = Number.NEGATIVE_INFINITY
  return {
    name: 'token-tracking',
    watches: [watching(kind, () => [{ namespace, name }], scope)],
    seeds: [{ namespace, name }],
    async reconcile(key, { client, cached, clock, log }) {
      const stored = cached(kind).get(key)
      const since = new Date(clock.now()).toISOString().slice(0, 10)
      const leftMs = createdAt + betweenCreationsMs - clock.monotonic()
      if (stored === undefined && leftMs > 0) return again(leftMs)
      const configMaps = client.resource(kind)
      try {
        if (stored === undefined) {
          const draft = { metadata: { namespace, name }, data: { since } }
          await ignoreLostRace(configMaps.create(draft as never))
          createdAt = clock.monotonic()
        } else if (!hasDate(stored)) {
          await ignoreLostRace(configMaps.update({ ...stored, data: { ...stored.data, since } }))
        }
        return done
      } catch (error) {
        log.warn('it is not said since when tokens are tracked', { reason: String(error) })
        return again(retryMs)
      }
    },
  }
}

function hasDate({ data = {} }: Stored<ConfigMap>): boolean {
  const { since = '' } = data
  return /^\d{4}-\d\d-\d\d$/.test(since) && !Number.isNaN(Date.parse(since))
}
