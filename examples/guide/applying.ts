import { defineController, dependent, done, ensureDependents } from 'orch'
import { deployments } from 'orch/generated/apis/apps/v1/deployment'
import { jobs } from 'orch/generated/apis/batch/v1/job'
import { type ConfigMap, configMaps } from 'orch/generated/apis/core/v1/config-map'

/** Each ConfigMap gets a Deployment that serves it. Who scales or restarts it is not undone. */
export const serverController = defineController({
  name: 'server',
  for: configMaps,
  owns: [deployments],
  async reconcile(map, { ensure }) {
    const { name } = map.metadata
    const labels = { app: name }
    await ensure(deployments, {
      metadata: { name, labels },
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { containers: [{ name: 'web', image: map.data?.image ?? 'nginx' }] },
        },
      },
    })
    return done
  },
})

/** What a release consists of: its servers come after its migration, if there is one. */
export function partsOf({ metadata: { name }, data }: ConfigMap & { metadata: { name: string } }) {
  const labels = { app: name }
  const containers = [{ name: 'main', image: data?.image ?? 'nginx' }]
  return [
    dependent({
      ...{ name: 'migration', kind: jobs, wanted: data?.migrate === 'yes' },
      draft: {
        metadata: { name: `${name}-migration` },
        spec: { template: { spec: { containers, restartPolicy: 'Never' } } },
      },
      isReady: (job) => (job.status?.succeeded ?? 0) > 0,
    }),
    dependent({
      ...{ name: 'servers', kind: deployments, after: ['migration'] },
      draft: {
        metadata: { name },
        spec: {
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers } },
        },
      },
      isReady: (deployment) => (deployment.status?.readyReplicas ?? 0) > 0,
    }),
  ]
}

/** Makes them in order, and writes down how far they are. */
export const releaseController = defineController({
  name: 'release',
  for: configMaps,
  owns: [jobs, deployments],
  async reconcile(map, context) {
    const { isReady, starting, waiting } = await ensureDependents(context, partsOf(map))
    const state = isReady ? 'ready' : `${[...starting, ...waiting].join(', ')} not ready`
    if (map.metadata.annotations?.state === state) return done
    const annotations = { state }
    await context.client
      .resource(configMaps)
      .mergePatch(map.metadata, { metadata: { annotations } })
    return done
  },
})

/** Runs as many servers as a ConfigMap of the same name says, in a Deployment of another program: it may write that number and nothing else. */
export const sizeController = defineController({
  name: 'size',
  for: configMaps,
  scope: { labelSelector: 'size' },
  scales: [deployments],
  async reconcile({ metadata, data = {} }, { client }) {
    const wanted = Number(data.size ?? 0)
    const size = client.resource(deployments).scale(metadata)
    const { spec } = await size.get()
    if (spec?.replicas !== wanted) await size.patch({ spec: { replicas: wanted } })
    return done
  },
})
