/** Graphs of owners, what becomes of them when something goes, and namespaces that go. */
import type { Random } from '../../random.ts'
import type { Cluster } from '../cluster.ts'
import { deployment, deployments, pod, pods, services } from '../scenarios/shapes.ts'
import { type Operation, playSome } from './steps.ts'
import type { World } from './world.ts'

const maps = 'v1/configmaps'
const classes = 'scheduling.k8s.io/v1/priorityclasses'
const names = ['m0', 'm1', 'm2', 'm3', 'm4', 'm5']
const policies = ['Background', 'Foreground', 'Foreground', 'Orphan']

/** References to one or two objects, each of them right or wrong in its own way; none to what is not there. */
async function references(c: Cluster, random: Random): Promise<readonly object[]> {
  const found: object[] = []
  for (let number = 1 + random.below(2); number > 0; number -= 1) {
    const blocks = random.chance(0.6) ? { blockOwnerDeletion: true } : {}
    const map = random.pick(names)
    const absent = { name: 'absent', uid: `00000000-0000-4000-8000-00000000000${random.below(3)}` }
    const owner = await random.pick<() => Promise<object | undefined>>([
      ...Array.from({ length: 6 }, () => () => ownerOf(c, maps, map)),
      () => ownerOf(c, classes, `${c.namespace}-class`),
      () => ownerOf(c.in(`${c.namespace}-two`), maps, 'far'),
      async () => ({ apiVersion: 'v1', kind: 'ConfigMap', ...absent }),
    ])()
    if (owner !== undefined) found.push({ ...owner, ...blocks })
  }
  return found
}

async function ownerOf(c: Cluster, resource: string, name: string): Promise<object | undefined> {
  const owner = await c.find(resource, name)
  const kind =
    resource === maps
      ? { apiVersion: 'v1', kind: 'ConfigMap' }
      : { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass' }
  return owner && { ...kind, name, uid: owner.metadata.uid }
}

const held = (random: Random): object =>
  random.chance(0.15) ? { finalizers: ['example.com/held'] } : {}

const aMap: Operation = async (c, random) =>
  c.create(maps, {
    metadata: {
      name: random.pick(names),
      ownerReferences: await references(c, random),
      ...held(random),
    },
  })

const otherOwners: Operation = async (c, random) =>
  c.patch(maps, random.pick(names), {
    metadata: { ownerReferences: random.chance(0.8) ? await references(c, random) : null },
  })

const noMap: Operation = (c, random) =>
  c.delete(maps, random.pick(names), { propagationPolicy: random.pick(policies) })

const letGo: Operation = (c, random) =>
  c.patch(maps, random.pick(names), { metadata: { finalizers: null } })

const aClass: Operation = (c) =>
  c.create(classes, { metadata: { name: `${c.namespace}-class` }, value: 1 })

/** An owner without namespace whose own owner has one. */
const ownedClass: Operation = async (c, random) =>
  c.patch(classes, `${c.namespace}-class`, {
    metadata: { ownerReferences: await references(c, random) },
  })

const noClass: Operation = (c, random) =>
  c.delete(classes, `${c.namespace}-class`, { propagationPolicy: random.pick(policies) })

const ownedPod: Operation = async (c, random) =>
  c.create(
    pods,
    pod(`p${random.below(3)}`, 'ready', {}, { ownerReferences: await references(c, random) }),
  )

const noFar: Operation = (c) => c.in(`${c.namespace}-two`).delete(maps, 'far')

const content: Operation = (c, random) =>
  random.pick<() => Promise<unknown>>([
    () => c.create(deployments, deployment(`d${random.below(2)}`, { replicas: random.below(3) })),
    () =>
      c.create(maps, {
        metadata: {
          name: `held-${random.below(3)}`,
          finalizers: [`example.com/${random.below(3)}`],
        },
      }),
    () => c.create(maps, { metadata: { name: random.pick(names) } }),
    () =>
      c.create(
        pods,
        pod(
          `held-${random.below(2)}`,
          'ready',
          { terminationGracePeriodSeconds: 3600 },
          { annotations: { agent: 'ready', 'agent-holds': '' } },
        ),
      ),
    () =>
      c.create(services, {
        metadata: { name: 'web' },
        spec: { selector: { app: 'x' }, ports: [{ port: 80 }] },
      }),
    () =>
      c.create('v1/secrets', {
        metadata: { name: 'held', finalizers: ['example.com/held', 'example.com/0'] },
      }),
  ])()

const released: Operation = (c, random) =>
  random.pick<() => Promise<unknown>>([
    () => c.patch(maps, `held-${random.below(3)}`, { metadata: { finalizers: null } }),
    () => c.patch('v1/secrets', 'held', { metadata: { finalizers: ['example.com/0'] } }),
    () => c.patch('v1/secrets', 'held', { metadata: { finalizers: null } }),
    () =>
      c.patch(pods, `held-${random.below(2)}`, {
        metadata: { annotations: { 'agent-holds': null } },
      }),
  ])()

export const ownerWorlds: readonly World[] = [
  {
    name: 'owners',
    async play(c, random) {
      const other = c.in(`${c.namespace}-two`)
      await other.create('v1/namespaces', { metadata: { name: `${c.namespace}-two` } })
      await other.create(maps, { metadata: { name: 'far' } })
      for (const name of names.slice(0, 3)) await c.create(maps, { metadata: { name } })
      await playSome(c, random, { steps: 16 }, [
        ...[aMap, aMap, aMap, aMap, otherOwners, otherOwners, noMap, noMap, noMap, letGo],
        ...[aClass, ownedClass, noClass, ownedPod, noFar],
      ])
    },
  },
  {
    name: 'namespaces',
    async play(c, random) {
      const going = c.in(`${c.namespace}-two`)
      await going.create('v1/namespaces', { metadata: { name: going.namespace } })
      await going.has('v1/serviceaccounts', 'default', () => true)
      await playSome(going, random, { steps: 5 }, [content])
      await going.delete('v1/namespaces', going.namespace)
      await going.until('the namespace goes', async () => {
        const one = await going.find('v1/namespaces', going.namespace)
        return one === undefined || (one.status.conditions ?? []).length > 0
      })
      await going.settled()
      await playSome(going, random, { steps: 1 + random.below(6) }, [
        released,
        released,
        released,
        content,
      ])
    },
  },
]
