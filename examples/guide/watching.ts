import { again, defineController, done, every, owning, watching } from 'orch'
import { type ConfigMap, configMaps } from 'orch/generated/apis/core/v1/config-map'
import { namespaces } from 'orch/generated/apis/core/v1/namespace'
import { secrets } from 'orch/generated/apis/core/v1/secret'

/** Copies a secret's type into the ConfigMaps that name it, whichever namespace they are in. */
export const typesController = defineController<ConfigMap>({
  name: 'types',
  for: configMaps,
  scope: {
    fields: ['data'],
    where: ({ data }) => data?.secret !== undefined,
    indexes: { secret: ({ data }) => [data?.secret ?? ''] },
  },
  watches: [
    watching(
      secrets,
      ({ metadata }, { cached }) =>
        cached(configMaps)
          .index('secret', metadata.name)
          .map((map) => map.metadata),
      { fields: ['type'] },
    ),
  ],
  async reconcile({ metadata, data = {} }, { cached, client }) {
    const key = { namespace: metadata.namespace, name: data.secret ?? '' }
    const type = cached(secrets).get(key)?.type
    if (type === undefined) return again(60_000, 'there is no such secret')
    if (data.type !== type)
      await client.resource(configMaps).mergePatch(metadata, { data: { type } })
    return done
  },
})

/** Numbers of the namespaces, written now and then, and not from more than their metadata. */
export const countController = defineController<ConfigMap>({
  name: 'count',
  for: configMaps,
  scope: { where: ({ metadata }) => metadata.name === 'count' },
  watches: [
    watching(namespaces, () => [{ namespace: 'default', name: 'count' }], {
      metadataOnly: true,
      priority: 'routine',
    }),
  ],
  sources: [every(60_000, () => [{ namespace: 'default', name: 'count' }])],
  queue: { minIntervalMs: 1000, rate: { perSecond: 10, burst: 10 } },
  resyncMs: 600_000,
  writes: [],
  async reconcile({ metadata, data }, { cached, client }) {
    const namespaceCount = String(cached(namespaces).size)
    if (data?.namespaces === namespaceCount) return done
    const patch = { data: { namespaces: namespaceCount } }
    await client.resource(configMaps).mergePatch(metadata, patch)
    return done
  },
})

/** Keeps a secret for each ConfigMap, and looks again when its data changes: the cache holds such secrets only, not those of others. */
export const keyController = defineController<ConfigMap>({
  name: 'key',
  for: configMaps,
  scope: { labelSelector: 'app=vault' },
  owns: [owning(secrets, { labelSelector: 'app=vault', fields: ['data'] })],
  async reconcile({ metadata: { name } }, { ensure }) {
    await ensure(secrets, {
      metadata: { name, labels: { app: 'vault' } },
      data: { key: btoa(name) },
    })
    return done
  },
})
