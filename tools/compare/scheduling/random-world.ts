import type { JsonObject } from '../../../runtime/kernel/values/json.ts'
import { Random, seedOf } from '../random.ts'
import { podLabels, podSpec, selector, some, words } from './random-pods.ts'
import { claimsAndVolumes, driver } from './random-volumes.ts'
import { type Action, pathsIn, type World, type WorldObject } from './world.ts'

/** The world of a seed and an index: always the same one, but for its namespace. */
export function randomWorld(seed: number, index: number, namespace: string): World {
  const random = new Random(seedOf('scheduling', seed, index))
  const paths = pathsIn(namespace)
  const names = Array.from({ length: 1 + random.below(5) }, (_, at) => `n${index}-${at}`)
  const nodes = names.map((name) => node(random, name, paths.nodes))
  const hasVolumes = random.chance(0.35)
  const storage = hasVolumes ? claimsAndVolumes(random, namespace, names) : undefined
  const owner = random.chance(0.3) ? replicaSet(random, paths.replicaSets) : undefined
  const pod = (name: string, used?: Set<string>): WorldObject => {
    const volumes = storage && random.chance(0.7) ? storage.volumesOf(random, name, used) : []
    const spec = { ...podSpec(random, names), ...(volumes.length > 0 && { volumes }) }
    const ownerReferences = owner && random.chance(0.5) ? [owner.reference] : undefined
    const labels = podLabels(random)
    const metadata = { name, labels, ...(ownerReferences && { ownerReferences }) }
    return { path: paths.pods, body: { apiVersion: 'v1', kind: 'Pod', metadata, spec } }
  }
  const used = new Set<string>()
  const placed = Array.from({ length: random.below(1 + 2 * names.length) }, (_, at) =>
    placedPod(pod(`placed-${at}`, used), random.pick(names), at, random),
  )
  const pods = Array.from({ length: 2 + random.below(5) }, (_, at) => pod(`p${at}`))
  return {
    namespace,
    objects: [
      ...nodes,
      ...(storage?.objects ?? []),
      ...(hasVolumes ? names.flatMap((name) => csiNode(random, name, paths.csiNodes)) : []),
      ...(owner ? [owner.object] : []),
      ...(random.chance(0.3) ? [service(random, paths.services)] : []),
      ...(random.chance(0.3) ? some(random, 2, () => budget(random, paths.budgets)) : []),
      ...placed,
    ],
    pods,
    hasSidecars: JSON.stringify([placed, pods]).includes('"restartPolicy":"Always"'),
    actions: actions(random, namespace, names, placed),
  }
}

/** An image is as large on every node: the scheduler of the comparison believes the first one that tells. */
const bytesOf = {
  'example.com/large:1': 2_000_000_000,
  'example.com/small:1': 10_000_000,
  'example.com/plain': 300_000_000,
} as const

function node(random: Random, name: string, path: string): WorldObject {
  const labels = {
    ...(random.chance(0.95) && { 'kubernetes.io/hostname': name }),
    ...(random.chance(0.8) && { 'topology.kubernetes.io/zone': random.pick(words.zones) }),
    ...(random.chance(0.3) && { 'topology.kubernetes.io/region': 'r1' }),
    ...(random.chance(0.5) && { disk: random.pick(words.disks) }),
    ...(random.chance(0.4) && { size: random.pick(['2', '4', '8', 'x']) }),
    ...(random.chance(0.4) && { rack: random.pick(['r1', 'r2']) }),
  }
  const taints = random.chance(0.35)
    ? some(
        random,
        2,
        (): JsonObject => ({
          key: random.pick(['dedicated', 'broken']),
          effect: random.pick(['NoSchedule', 'NoExecute', 'PreferNoSchedule']),
          ...(random.chance(0.6) && { value: random.pick(['a', 'b']) }),
        }),
      )
    : []
  const ids = taints.map(({ key, effect }) => `${key} ${effect}`)
  const allocatable = {
    cpu: random.pick(['2', '4', '16', '31900m']),
    memory: random.pick(['4Gi', '16Gi', '32Gi']),
    pods: random.pick(['2', '5', '110', '110']),
    ...(random.chance(0.7) && { 'ephemeral-storage': '10Gi' }),
    ...(random.chance(0.3) && { 'example.com/gpu': '2' }),
  }
  const images = words.images
    .filter(() => random.chance(0.3))
    .map((image) => ({
      names: [image.includes(':') ? image : `${image}:latest`],
      sizeBytes: bytesOf[image],
    }))
  return {
    path,
    body: {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels },
      spec: {
        taints: taints.filter((_, at) => ids.indexOf(ids[at]!) === at),
        ...(random.chance(0.12) && { unschedulable: true }),
      },
    },
    status: { allocatable, capacity: allocatable, images },
  }
}

/** A pod that runs on a node since a time of its own, so that no two victims are as good as each other. */
export function placedPod(
  { path, body }: WorldObject,
  nodeName: string,
  at: number,
  random: Random,
): WorldObject {
  const { schedulingGates: _, ...spec } = body.spec as JsonObject
  const minute = String(random.below(60)).padStart(2, '0')
  const startTime = `2026-01-01T00:${minute}:${String(at % 60).padStart(2, '0')}Z`
  const status = { phase: 'Running', startTime }
  return { path, body: { ...body, spec: { ...spec, nodeName } }, status }
}

function csiNode(random: Random, name: string, path: string): WorldObject[] {
  if (random.chance(0.3)) return []
  const count = random.chance(0.6) ? { allocatable: { count: random.below(3) } } : {}
  const drivers = [{ name: driver, nodeID: name, ...count }]
  const body = { apiVersion: 'storage.k8s.io/v1', kind: 'CSINode', metadata: { name } }
  return [{ path, body: { ...body, spec: { drivers } } }]
}

function replicaSet(random: Random, path: string) {
  const app = random.pick(words.apps)
  const metadata = { name: 'owner' }
  const template = {
    metadata: { labels: { app } },
    spec: { containers: [{ name: 'main', image: 'example.com/plain' }] },
  }
  const spec = { replicas: 0, selector: { matchLabels: { app } }, template }
  const kind = { apiVersion: 'apps/v1', kind: 'ReplicaSet' }
  const uid = '3d3f6c3e-0000-4000-8000-000000000001'
  return {
    object: { path, body: { ...kind, metadata, spec } } satisfies WorldObject,
    reference: { ...kind, name: 'owner', uid, controller: true },
  }
}

function service(random: Random, path: string): WorldObject {
  const spec = { selector: { app: random.pick(words.apps) }, ports: [{ port: 80 }] }
  return { path, body: { apiVersion: 'v1', kind: 'Service', metadata: { name: 'all' }, spec } }
}

/** A budget of pods that some label chooses, with what it allows now. */
export function budget(random: Random, path: string): WorldObject {
  const metadata = { name: `budget-${random.below(1_000_000)}` }
  const kind = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' }
  const body = { ...kind, metadata, spec: { minAvailable: 1, selector: selector(random) } }
  const [disruptionsAllowed, expectedPods] = [random.below(3), 3]
  const counts = { currentHealthy: 3, desiredHealthy: 1, expectedPods, observedGeneration: 1 }
  return { path, body, status: { disruptionsAllowed, ...counts } }
}

/** What happens once all pods were tried: mostly something that some of them may have waited for. */
function actions(
  random: Random,
  namespace: string,
  nodes: readonly string[],
  placed: readonly WorldObject[],
): readonly Action[] {
  const paths = pathsIn(namespace)
  const node = `${paths.nodes}/${random.pick(nodes)}`
  const removal = placed.length > 0 && `${paths.pods}/${random.pick(placed).body.metadata.name}`
  const patch = (path: string, body: JsonObject): Action => ({ method: 'PATCH', path, body })
  const allocatable = { cpu: '16', memory: '32Gi', pods: '110', 'example.com/gpu': '8' }
  const possible: readonly Action[] = [
    patch(node, { spec: { unschedulable: null, taints: null } }),
    patch(node, { metadata: { labels: { disk: 'ssd', rack: 'r1', size: '8' } } }),
    patch(`${node}/status`, { status: { allocatable } }),
    ...(removal
      ? [{ method: 'DELETE', path: removal, body: { gracePeriodSeconds: 0 } } as const]
      : []),
  ]
  return some(random, 2, () => random.pick(possible))
}
