import {
  type ResourceQuota,
  resourceQuotas,
} from '../../../generated/apis/core/v1/resource-quota.ts'
import type { Key } from '../../client/client.ts'
import type { CacheReader } from '../../informer/informer.ts'
import { objectKey } from '../../informer/informer.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import { resourceName } from '../../kernel/descriptors/kind.ts'
import type { Platform } from '../../kernel/descriptors/platform.ts'
import { isStatus } from '../../kernel/errors/status-error.ts'
import type { ApiObject, Stored } from '../../kernel/meta/object.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { parseDuration } from '../../kernel/values/duration.ts'
import {
  limitedResources,
  mayUseLess,
  namesByResource,
  quotableKinds,
  type Usage,
  usageOf,
  usesOnlyCount,
} from '../../quota/quota.ts'
import {
  again,
  type Change,
  done,
  every,
  type KeyContext,
  type KeyController,
  type Lookup,
  type Outcome,
  watching,
} from '../../reconcile/reconcile.ts'
import type { BuildContext } from '../contract/build-controller.ts'
import { discoveryKey, discoveryMs, FollowedKinds, patienceMs } from '../contract/followed-kinds.ts'
import { type Countable, decideQuota } from './decide-quota.ts'

/** When a quota is looked at again of which less is in use than was said: by then what was charged meanwhile is stored. */
const doubtMs = 2000

/**
 * Counts what is in use of quotas (T-16). What is created, the server charges itself; this controller gives back what went.
 *
 *   reads    ResourceQuota, Pod, Service, PersistentVolumeClaim; metadata of every other kind in namespaces, but for events
 *   writes   ResourceQuota: status
 *   wakes    when the limits of a quota change; when something goes that it counts, or may use less than before; at each full count
 *   settles  when the status of each quota says what is there
 */
export async function resourceQuotaController({
  name,
  concurrency = 5,
  configuration,
  platform,
}: BuildContext): Promise<readonly KeyController[]> {
  const { ResourceQuotaSyncPeriod } = configuration.ResourceQuotaController
  const counter = new Counter(platform)
  const periodMs = parseDuration(ResourceQuotaSyncPeriod) ?? 0
  return [
    {
      name,
      seeds: [discoveryKey],
      concurrency: concurrency + 1,
      timeoutMs: 2 * patienceMs,
      watches: [watching(resourceQuotas, (quota) => [objectKey(quota)], { when: hasOtherLimits })],
      sources: periodMs > 0 ? [every(periodMs, allQuotas)] : [],
      reconcile: (key, context) =>
        key.namespace === undefined ? counter.discover(context) : counter.count(key, context),
    },
  ]
}

/** What the server writes when it charges a quota is no reason to count. */
function hasOtherLimits({ object, before }: Change<ResourceQuota>): boolean {
  return before === undefined || !deepEqual(object.spec?.hard, before.spec?.hard)
}

function allQuotas({ cached }: Pick<Lookup, 'cached'>): readonly Key[] {
  return cached(resourceQuotas).list().map(objectKey)
}

/** Counts objects of kinds that come and go. */
class Counter {
  readonly #platform: Platform
  /** What there is of each resource. */
  readonly #countable = new Map<string, Omit<Countable, 'objects'> & Cached>()
  /** What each version of an object uses. */
  readonly #usages = new WeakMap<object, Usage>()
  readonly #kinds = new FollowedKinds({
    watch: (kind) => ({
      keys: (object, lookup) => quotasOf(resourceName(kind), object, lookup),
      scope: {
        ...(usesOnlyCount(kind) && { metadataOnly: true }),
        when: ({ type, object, before }) =>
          before === undefined ? type !== 'added' : mayUseLess(kind, before, object),
      },
    }),
    filled: (kind, cache, resource) => {
      const usageOf = (object: Stored<ApiObject>) => this.#usageOf(kind, object)
      this.#countable.set(resource, { kind, cache, usageOf })
    },
    gone: (_, resource) => this.#countable.delete(resource),
  })

  constructor(platform: Platform) {
    this.#platform = platform
  }

  /** Watches what is served now. */
  async discover(context: KeyContext): Promise<Outcome> {
    const served = await context.client.kinds(context.signal)
    await this.#kinds.follow(quotableKinds(served), context)
    return again(discoveryMs)
  }

  /** Writes what is in use of one quota. */
  async count(key: Key, { client, cached, clock, signal }: KeyContext): Promise<Outcome> {
    await this.#kinds.ready(signal)
    const quota = cached(resourceQuotas).get(key)
    const { namespace } = key
    const plan =
      quota && decideQuota(quota, (one) => this.#countableOf(one, namespace), clock.now())
    if (plan === undefined) return done
    try {
      await client.resource(resourceQuotas).updateStatus(plan.write, {}, signal)
    } catch (error) {
      if (isStatus(error, 'Conflict')) return again(0, 'it has changed meanwhile')
      if (isStatus(error, 'NotFound')) return done
      throw error
    }
    return plan.frees ? again(doubtMs) : done
  }

  #countableOf(resource: string, namespace: string | undefined): Countable | undefined {
    const found = this.#countable.get(resource)
    return found && { ...found, objects: found.cache.list(namespace) }
  }

  #usageOf(kind: AnyKind, object: Stored<ApiObject>): Usage {
    const usage = this.#usages.get(object) ?? usageOf(kind, object, this.#platform)
    this.#usages.set(object, usage)
    return usage
  }
}

interface Cached {
  readonly cache: CacheReader<ApiObject>
}

/** The quotas of the namespace of an object that limit what objects of its resource use. */
function quotasOf(
  resource: string,
  { metadata }: Stored<ApiObject>,
  { cached }: Lookup,
): readonly Key[] {
  return cached(resourceQuotas)
    .list(metadata.namespace)
    .filter((quota) => namesByResource(limitedResources(quota)).has(resource))
    .map(objectKey)
}
