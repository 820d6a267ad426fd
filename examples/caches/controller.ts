import { type AnyKind, defineController, done } from 'orch'
import { statefulSets } from 'orch/generated/apis/apps/v1/stateful-set'
import { configMaps } from 'orch/generated/apis/core/v1/config-map'
import { services } from 'orch/generated/apis/core/v1/service'
import { caches } from './generated/apis/caches/v1/cache.ts'
import { serversSpec, serviceSpec, settingsOf } from './servers.ts'

export { cacheWebhook } from './webhook.ts'

const children: readonly AnyKind[] = [configMaps, services, statefulSets]

/**
 * Keeps caches: each one owns its settings, a Service by which its servers find each other, and the servers.
 *
 *   reads    Cache in its stored version, whichever its author wrote
 *   writes   ConfigMap, Service, StatefulSet; the status of the Cache
 *   wakes    when a Cache changes, or one of the objects it owns
 *   settles  when the status says how many servers are ready
 */
export const cacheController = defineController({
  name: 'cache',
  for: caches,
  owns: children,

  async reconcile(cache, { ensure, setStatus }) {
    const { name, generation = 0 } = cache.metadata
    await ensure(configMaps, { metadata: { name }, data: settingsOf(cache) })
    await ensure(services, { metadata: { name }, spec: serviceSpec(cache) })
    const servers = await ensure(statefulSets, { metadata: { name }, spec: serversSpec(cache) })
    await setStatus({ observedGeneration: generation, ready: servers.status?.readyReplicas ?? 0 })
    return done
  },
})
