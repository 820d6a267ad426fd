import type { JsonObject } from '../../../runtime/kernel/values/json.ts'
import { Random, seedOf } from '../random.ts'
import { words } from './random-pods.ts'
import { budget, placedPod } from './random-world.ts'
import { pathsIn, type World, type WorldObject } from './world.ts'

/** The world of a seed and an index in which nodes are full of pods, and some that come are more important than some of these. */
export function preemptionWorld(seed: number, index: number, namespace: string): World {
  const random = new Random(seedOf('preemption', seed, index))
  const paths = pathsIn(namespace)
  const names = Array.from({ length: 1 + random.below(4) }, (_, at) => `n${index}-${at}`)
  const pod = (name: string, priorityClassName: string, cpu: string, at = 0): WorldObject => {
    const metadata = { name, labels: { app: random.pick(words.apps) } }
    const spec = { ...podSpec(random, cpu, at), priorityClassName }
    return { path: paths.pods, body: { apiVersion: 'v1', kind: 'Pod', metadata, spec } }
  }
  const placed = names.flatMap((node, place) =>
    Array.from({ length: 2 + random.below(3) }, (_, at) => {
      const number = place * 10 + at
      const priority = random.pick(['low', 'low', 'middle', 'middle', 'high'])
      const cpu = random.pick(['500m', '1', '1500m'])
      return placedPod(pod(`placed-${number}`, priority, cpu, at), node, number, random)
    }),
  )
  const pods = Array.from({ length: 1 + random.below(4) }, (_, at) => {
    const priority = random.pick(['middle', 'high', 'high', 'quiet'])
    return pod(`p${at}`, priority, random.pick(['1', '2', '3', '4']))
  })
  const budgets = Array.from({ length: random.below(3) }, () => budget(random, paths.budgets))
  const nodes = names.map((name) => node(random, name, paths.nodes))
  const objects = [...nodes, ...budgets, ...placed]
  return { namespace, objects, pods, hasSidecars: false, actions: [] }
}

function node(random: Random, name: string, path: string): WorldObject {
  const zone = random.pick(words.zones)
  const labels = { 'kubernetes.io/hostname': name, 'topology.kubernetes.io/zone': zone }
  const allocatable = { cpu: '4', memory: '16Gi', pods: random.pick(['3', '110', '110']) }
  const body = { apiVersion: 'v1', kind: 'Node', metadata: { name, labels } }
  return { path, body, status: { allocatable, capacity: allocatable } }
}

/**
 * Pods that need processors, and some of them a node or a port of their own. Of those on one node, the first one only has a port: two with the
 * same one cannot have come to be.
 */
function podSpec(random: Random, cpu: string, at: number): JsonObject {
  const port = { containerPort: 80, hostPort: 80 }
  const main = {
    ...{ name: 'main', image: 'example.com/plain', resources: { requests: { cpu } } },
    ...(random.chance(at === 0 ? 0.3 : 0) && { ports: [port] }),
  }
  const labelSelector = { matchLabels: { app: random.pick(words.apps) } }
  const topologyKey = random.pick(['kubernetes.io/hostname', 'topology.kubernetes.io/zone'])
  const requiredDuringSchedulingIgnoredDuringExecution = [{ labelSelector, topologyKey }]
  const apart = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution } }
  return {
    terminationGracePeriodSeconds: random.pick([0, 30]),
    containers: [main],
    ...(random.chance(0.2) && { affinity: apart }),
  }
}
