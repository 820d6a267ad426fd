import {
  type Client,
  type Cluster,
  type Clusters,
  type ClusterView,
  createClusters,
  createManager,
  defineController,
  done,
  type Log,
  type Manager,
  watching,
} from 'orch'
import { type ConfigMap, configMaps } from 'orch/generated/apis/core/v1/config-map'

/** The label of what is copied from the hub into the other clusters. */
const shared = 'shared.example.com/everywhere'

/** Copies ConfigMaps of one cluster, the hub, into all others, and says in the hub who has them. */
export const sharingController = (hub: Cluster, clusters: Clusters) =>
  defineController<ConfigMap>({
    name: 'sharing',
    for: configMaps,
    clusters: (cluster) => cluster === hub,
    scope: { labelSelector: `${shared}=yes`, fields: ['data'] },
    watches: [
      watching(configMaps, ({ metadata }) => [hub.key(metadata)], {
        clusters: (cluster) => cluster !== hub,
        labelSelector: `${shared}=copy`,
      }),
    ],
    async reconcile(map, { client, at }) {
      const { name, namespace = 'default' } = map.metadata
      const members = clusters.all.filter((one) => one !== hub)
      await Promise.all(members.map((member) => copyTo(at(member), map)))
      const annotations = { 'shared-with': members.map((one) => one.name).join(',') }
      await client.resource(configMaps).apply({ metadata: { name, namespace, annotations } })
      return done
    },
  })

/** Brings the copy in one cluster to what the hub has. */
async function copyTo({ client, cached }: ClusterView, map: ConfigMap): Promise<void> {
  const { name = '', namespace = 'default' } = map.metadata
  const data = { text: map.data?.text ?? '' }
  if (cached(configMaps).get({ namespace, name })?.data?.text === data.text) return
  const metadata = { name, namespace, labels: { [shared]: 'copy' } }
  await client.resource(configMaps).apply({ metadata, data }, { force: true })
}

/** A manager of a hub and a first cluster; others are added to `clusters` while it runs. */
export function federated(
  hub: Client,
  first: Client,
  log: Log,
): { readonly manager: Manager; readonly clusters: Clusters<'hub' | 'first'> } {
  const clusters = createClusters({ hub, first })
  const { hub: home } = clusters.named
  const controllers = [sharingController(home, clusters)]
  const leaderElection = { name: 'sharing' }
  return { manager: createManager({ clusters, home, controllers, leaderElection, log }), clusters }
}
