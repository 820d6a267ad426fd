import {
  type Client,
  createManager,
  defineController,
  done,
  type Manager,
  watching,
  writing,
} from 'orch'
import { deployments } from 'orch/generated/apis/apps/v1/deployment'
import { configMaps } from 'orch/generated/apis/core/v1/config-map'

/** Serves what a ConfigMap names. How many servers there are is not its to say: a draft with `replicas` would not compile. */
export const serverController = defineController({
  name: 'server',
  for: configMaps,
  owns: [deployments],
  writes: [writing(deployments, ['metadata.labels', 'spec.selector', 'spec.template'])],
  async reconcile({ metadata: { name }, data }, { ensure }) {
    const labels = { app: name }
    const containers = [{ name: 'web', image: data?.image ?? 'nginx' }]
    await ensure(deployments, {
      metadata: { name, labels },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers } },
      },
    })
    return done
  },
})

/** Says how many, and nothing else of a Deployment. */
export const sizeController = defineController({
  name: 'size',
  for: configMaps,
  scope: { fields: ['metadata.annotations[example.com/size]'] },
  watches: [watching(deployments, ({ metadata }) => [metadata], { fields: ['spec.replicas'] })],
  writes: [writing(deployments, ['spec.replicas'])],
  async reconcile({ metadata }, { client, cached }) {
    const replicas = Number(metadata.annotations?.['example.com/size'] ?? 1)
    const deployment = cached(deployments).get(metadata)
    if (deployment === undefined || deployment.spec?.replicas === replicas) return done
    await client.resource(deployments).mergePatch(metadata, { spec: { replicas } })
    return done
  },
})

/** Compiles, since no field is written by both. */
export function servingManager(client: Client): Manager {
  return createManager({ client, controllers: [serverController, sizeController] })
}
