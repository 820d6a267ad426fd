// Only has to compile: what must not compile is marked.
import { deployments } from '../../../../generated/apis/apps/v1/deployment.ts'
import { configMaps } from '../../../../generated/apis/core/v1/config-map.ts'
import type { conditionReasons } from '../../../../runtime/kernel/meta/condition-reasons.ts'
import {
  type Client,
  createClusters,
  createManager,
  defineController,
  done,
  owning,
  setCondition,
} from '../../../../runtime/runtime.ts'

interface Condition {
  readonly type: 'Ready'
  readonly status: 'True' | 'False'
  readonly reason: 'Built'
  readonly lastTransitionTime: string
}

const built = { type: 'Ready', status: 'True', reason: 'Built' } as const

setCondition<Condition>([], built, 0)
// @ts-expect-error a reason that the condition does not declare
setCondition<Condition>([], { type: 'Ready', status: 'True', reason: 'Bulit' }, 0)
// @ts-expect-error the time is the helper's business
setCondition<Condition>([], { ...built, lastTransitionTime: '' }, 0)

interface Paired extends Omit<Condition, 'type' | 'reason'> {
  readonly type: 'Ready' | 'Full'
  readonly reason: 'Built' | 'Crowd'
  readonly [conditionReasons]?: { readonly Ready: 'Built'; readonly Full: 'Crowd' }
}

const paired: readonly Paired[] = []
setCondition(paired, { type: 'Full', status: 'True', reason: 'Crowd' }, 0)
// @ts-expect-error a reason of another type
setCondition(paired, { type: 'Full', status: 'True', reason: 'Built' }, 0)
// @ts-expect-error a type that is not declared
setCondition(paired, { type: 'Empty', status: 'True', reason: 'Built' }, 0)

defineController({
  name: 'types',
  for: deployments,
  owns: [configMaps],
  async reconcile(deployment, { ensure, setStatus, owned }) {
    const data = { replicas: String(deployment.spec?.replicas) }
    await ensure(configMaps, { metadata: { name: deployment.metadata.name }, data })
    await setStatus({ ...deployment.status, replicas: owned(configMaps).length })
    // @ts-expect-error a status of another kind
    await setStatus({ phase: 'Running' })
    // @ts-expect-error an object of another kind
    await ensure(configMaps, { metadata: { name: 'x' }, spec: {} })
    return done
  },
})

// @ts-expect-error a run says how it ended
defineController({ name: 'types', for: deployments, async reconcile() {} })

defineController({
  name: 'types',
  for: deployments,
  owns: [owning(configMaps, { namespaces: ['a'], fields: ['data'] })],
  reconcile: async () => done,
})

// @ts-expect-error a field that the owned kind does not have
owning(configMaps, { fields: ['spec'] })
// @ts-expect-error what is owned is compared whole: its cache keeps all of it
owning(configMaps, { metadataOnly: true })

declare const client: Client
const clusters = createClusters({ east: client, west: client })
clusters.named.east.key({ namespace: 'a', name: 'b' })
// @ts-expect-error a cluster that is not there
clusters.named.north
createManager({ clusters, controllers: [] })
createManager({ client, controllers: [] })
// @ts-expect-error neither a cluster nor clusters
createManager({ controllers: [] })
// @ts-expect-error leases stand in a cluster, not under the name of one
createManager({ clusters, controllers: [], home: 'east' })
