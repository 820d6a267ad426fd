/** Owners and what becomes of what they own. */
import {
  type ControllerScenarios,
  deployment,
  deployments,
  nodes,
  pod,
  pods,
  replicaSets,
} from './shapes.ts'
import { complete, node } from './workloads.ts'

const maps = 'v1/configmaps'
const ownerOf = (
  one: { kind?: string; metadata: { name: string; uid?: string } },
  more: object = {},
) => ({
  ...{
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: one.metadata.name,
    uid: one.metadata.uid,
    ...more,
  },
})

export const collection: ControllerScenarios = {
  's-gc-background': async (c) => {
    await c.create(deployments, deployment('web', { replicas: 2 }))
    await complete(c, 'web', 2)
    await c.delete(deployments, 'web', { propagationPolicy: 'Background' })
    await c.count(replicaSets, 0)
    await c.count(pods, 0)
  },
  's-gc-foreground': async (c) => {
    await c.create(deployments, deployment('web', { replicas: 2 }))
    await complete(c, 'web', 2)
    await c.delete(deployments, 'web', { propagationPolicy: 'Foreground' })
    await c.gone(deployments, 'web')
    await c.count(pods, 0)
  },
  's-gc-orphan': async (c) => {
    await c.create(deployments, deployment('web', { replicas: 2 }))
    await complete(c, 'web', 2)
    await c.delete(deployments, 'web', { propagationPolicy: 'Orphan' })
    await c.gone(deployments, 'web')
    await c.count(replicaSets, 1, ({ metadata }) => !('ownerReferences' in metadata))
  },
  's-gc-absent': async (c) => {
    const absent = { metadata: { name: 'absent', uid: '00000000-0000-4000-8000-000000000000' } }
    await c.create(maps, { metadata: { name: 'a', ownerReferences: [ownerOf(absent)] } })
    await c.gone(maps, 'a')
    const there = await c.create(maps, { metadata: { name: 'there' } })
    await c.create(maps, {
      metadata: { name: 'b', ownerReferences: [ownerOf(absent), ownerOf(there)] },
    })
    await c.has(
      maps,
      'b',
      ({ metadata }) => (metadata as { ownerReferences?: object[] }).ownerReferences?.length === 1,
    )
  },
  's-gc-cycle': async (c) => {
    const a = await c.create(maps, { metadata: { name: 'a' } })
    const b = await c.create(maps, {
      metadata: { name: 'b', ownerReferences: [ownerOf(a, { blockOwnerDeletion: true })] },
    })
    await c.patch(maps, 'a', {
      metadata: { ownerReferences: [ownerOf(b, { blockOwnerDeletion: true })] },
    })
    await c.delete(maps, 'a', { propagationPolicy: 'Foreground' })
    await c.gone(maps, 'a')
    await c.gone(maps, 'b')
  },
  's-gc-other': async (c) => {
    const other = c.in('s-gc-other-two')
    await c.create('v1/namespaces', { metadata: { name: 's-gc-other-two' } })
    const owner = await other.create(maps, { metadata: { name: 'owner' } })
    await c.create(maps, { metadata: { name: 'child', ownerReferences: [ownerOf(owner)] } })
    await c.gone(maps, 'child')
    await c.create(maps, {
      metadata: {
        name: 'odd',
        ownerReferences: [
          {
            apiVersion: 'no.example/v1',
            kind: 'Nothing',
            name: 'x',
            uid: '00000000-0000-4000-8000-000000000001',
          },
        ],
      },
    })
  },
  's-gc-custom': async (c) => {
    await c.create('apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: 's-gc-custom-things.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 's-gc-custom-things', kind: 'Thing' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object' } },
          },
        ],
      },
    })
    const things = 'example.com/v1/s-gc-custom-things'
    await c.until('things are served', async () => (await c.list(things)).length === 0)
    const thing = await c.create(things, {
      apiVersion: 'example.com/v1',
      kind: 'Thing',
      metadata: { name: 'a' },
    })
    await c.create(maps, {
      metadata: {
        name: 'child',
        ownerReferences: [
          { apiVersion: 'example.com/v1', kind: 'Thing', name: 'a', uid: thing.metadata.uid },
        ],
      },
    })
    await c.delete(things, 'a')
    await c.gone(maps, 'child')
  },
  's-pod-gone': async (c) => {
    await node(c, 's-pod-gone-node', {})
    await c.create(pods, pod('a', 'ready', { nodeName: 's-pod-gone-node' }))
    await c.has(pods, 'a', ({ status }) => status.phase === 'Running')
    await c.delete(nodes, 's-pod-gone-node')
    await c.until('the pod', async () => (await c.list(pods)).length === 0)
  },
  's-taint': async (c) => {
    await node(c, 's-taint-node', {})
    await c.create(
      pods,
      pod('short', 'ready', {
        nodeName: 's-taint-node',
        tolerations: [{ key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 2 }],
      }),
    )
    await c.create(pods, pod('none', 'ready', { nodeName: 's-taint-node' }))
    await c.create(
      pods,
      pod('all', 'ready', { nodeName: 's-taint-node', tolerations: [{ operator: 'Exists' }] }),
    )
    await c.count(pods, 3, ({ status }) => status.phase === 'Running')
    await c.patch(nodes, 's-taint-node', {
      spec: { taints: [{ key: 'k', value: 'v', effect: 'NoExecute' }] },
    })
    await c.count(pods, 1)
  },
}
