import type { JsonObject } from '../../../runtime/kernel/values/json.ts'
import type { Random } from '../random.ts'

/** The values that labels of nodes and pods have in worlds. */
export const words = {
  zones: ['z1', 'z2', 'z3'],
  apps: ['web', 'db', 'cache'],
  tiers: ['front', 'back'],
  disks: ['ssd', 'hdd'],
  images: ['example.com/large:1', 'example.com/small:1', 'example.com/plain'],
} as const

/** The keys by which pods are spread and grouped: the last one no node has. */
const topologyKeys = [
  'kubernetes.io/hostname',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/zone',
  'rack',
  'nowhere',
] as const

/** The labels of a pod. */
export function podLabels(random: Random): JsonObject {
  return {
    ...(random.chance(0.9) && { app: random.pick(words.apps) }),
    ...(random.chance(0.4) && { tier: random.pick(words.tiers) }),
    ...(random.chance(0.2) && { version: random.pick(['1', '2']) }),
  }
}

/** The fields of a pod that decide where it goes, each of them now and then; `nodes` are names that may be meant. */
export function podSpec(random: Random, nodes: readonly string[]): JsonObject {
  return {
    terminationGracePeriodSeconds: random.pick([0, 0, 30]),
    containers: containers(random),
    ...(random.chance(0.15) && {
      initContainers: [
        { ...container(random, 'init'), ...(random.chance(0.4) && { restartPolicy: 'Always' }) },
      ],
    }),
    ...(random.chance(0.4) && {
      priorityClassName: random.pick(['low', 'middle', 'high', 'high', 'quiet']),
    }),
    ...(random.chance(0.15) && { nodeSelector: nodeSelector(random) }),
    ...(random.chance(0.5) && { affinity: affinity(random, nodes) }),
    ...(random.chance(0.5) && { tolerations: some(random, 2, toleration) }),
    ...(random.chance(0.35) && { topologySpreadConstraints: spread(random) }),
    ...(random.chance(0.05) && { schedulingGates: [{ name: 'example.com/wait' }] }),
  }
}

function containers(random: Random): JsonObject[] {
  const first = container(random, 'main')
  return random.chance(0.2) ? [first, container(random, 'side')] : [first]
}

function container(random: Random, name: string): JsonObject {
  const requests = {
    ...(random.chance(0.7) && { cpu: random.pick(['100m', '500m', '1', '1500m', '2', '3']) }),
    ...(random.chance(0.6) && { memory: random.pick(['64Mi', '512Mi', '1Gi', '3Gi']) }),
    ...(random.chance(0.1) && { 'ephemeral-storage': random.pick(['1Gi', '6Gi']) }),
    ...(random.chance(0.1) && { 'example.com/gpu': random.pick(['1', '2']) }),
  }
  const gpu = 'example.com/gpu' in requests && { 'example.com/gpu': requests['example.com/gpu'] }
  const hostPort = random.pick([80, 80, 443])
  const port = {
    containerPort: 80,
    hostPort,
    ...(random.chance(0.3) && { protocol: 'UDP' }),
    ...(random.chance(0.3) && { hostIP: random.pick(['127.0.0.1', '0.0.0.0', '10.0.0.1']) }),
  }
  return {
    name,
    image: random.pick(words.images),
    resources: { requests, ...(gpu && { limits: gpu }) } as unknown as JsonObject,
    ...(random.chance(0.2) && name !== 'side' && { ports: [port] }),
  }
}

function nodeSelector(random: Random): JsonObject {
  return random.chance(0.5)
    ? { disk: random.pick(words.disks) }
    : { 'topology.kubernetes.io/zone': random.pick(words.zones) }
}

function affinity(random: Random, nodes: readonly string[]): JsonObject {
  return {
    ...(random.chance(0.4) && { nodeAffinity: nodeAffinity(random, nodes) }),
    ...(random.chance(0.45) && { podAffinity: podAffinity(random) }),
    ...(random.chance(0.45) && { podAntiAffinity: podAffinity(random) }),
  }
}

function nodeAffinity(random: Random, nodes: readonly string[]): JsonObject {
  return {
    ...(random.chance(0.6) && {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: some(random, 2, () => nodeTerm(random, nodes)),
      },
    }),
    ...(random.chance(0.6) && {
      preferredDuringSchedulingIgnoredDuringExecution: some(random, 2, () => ({
        weight: 1 + random.below(100),
        preference: nodeTerm(random, nodes),
      })),
    }),
  }
}

function nodeTerm(random: Random, nodes: readonly string[]): JsonObject {
  const names = [...nodes, 'nobody']
  const field = {
    key: 'metadata.name',
    operator: random.pick(['In', 'In', 'NotIn']),
    values: [random.pick(names)],
  }
  const isField = random.chance(0.3)
  return {
    ...(isField && { matchFields: [field] }),
    ...((!isField || random.chance(0.3)) && {
      matchExpressions: some(random, 2, nodeRequirement),
    }),
  }
}

function nodeRequirement(random: Random): JsonObject {
  switch (random.below(5)) {
    case 0:
      return { key: 'disk', operator: random.pick(['Exists', 'DoesNotExist']) }
    case 1:
      return { key: 'size', operator: random.pick(['Gt', 'Lt']), values: ['4'] }
    case 2:
      return {
        key: 'topology.kubernetes.io/zone',
        operator: random.pick(['In', 'NotIn']),
        values: [random.pick(words.zones), random.pick(words.zones)],
      }
    default:
      return {
        key: 'disk',
        operator: random.pick(['In', 'NotIn']),
        values: [random.pick(words.disks)],
      }
  }
}

function podAffinity(random: Random): JsonObject {
  return {
    ...(random.chance(0.6) && {
      requiredDuringSchedulingIgnoredDuringExecution: some(random, 2, podTerm),
    }),
    ...(random.chance(0.6) && {
      preferredDuringSchedulingIgnoredDuringExecution: some(random, 2, () => ({
        weight: 1 + random.below(100),
        podAffinityTerm: podTerm(random),
      })),
    }),
  }
}

function podTerm(random: Random): JsonObject {
  return {
    topologyKey: random.pick(topologyKeys),
    ...(random.chance(0.95) && { labelSelector: selector(random) }),
    ...(random.chance(0.15) && { namespaces: ['default', random.pick(['other', 'nowhere'])] }),
    ...(random.chance(0.15) && {
      namespaceSelector: random.chance(0.3) ? {} : { matchLabels: { team: 'a' } },
    }),
  }
}

/** A selector of pods. */
export function selector(random: Random): JsonObject {
  switch (random.below(6)) {
    case 0:
      return {}
    case 1:
      return {
        matchExpressions: [
          { key: 'tier', operator: random.pick(['In', 'NotIn']), values: [...words.tiers] },
        ],
      }
    case 2:
      return {
        matchExpressions: [{ key: 'tier', operator: random.pick(['Exists', 'DoesNotExist']) }],
      }
    default:
      return { matchLabels: { app: random.pick(words.apps) } }
  }
}

function toleration(random: Random): JsonObject {
  if (random.chance(0.3)) return { operator: 'Exists' }
  const effect = random.pick(['NoSchedule', 'NoExecute', 'PreferNoSchedule', ''])
  const isEqual = random.chance(0.5)
  return {
    key: random.pick(['dedicated', 'dedicated', 'broken', 'node.kubernetes.io/unschedulable']),
    ...(isEqual ? { value: random.pick(['a', 'b', '']) } : { operator: 'Exists' }),
    ...(effect !== '' && { effect }),
  }
}

function spread(random: Random): JsonObject[] {
  const made = some(random, 2, (): JsonObject => {
    const whenUnsatisfiable = random.pick(['DoNotSchedule', 'DoNotSchedule', 'ScheduleAnyway'])
    return {
      maxSkew: 1 + random.below(3),
      topologyKey: random.pick(topologyKeys),
      whenUnsatisfiable,
      labelSelector: selector(random),
      ...(whenUnsatisfiable === 'DoNotSchedule' &&
        random.chance(0.25) && { minDomains: 1 + random.below(4) }),
      ...(random.chance(0.25) && { nodeAffinityPolicy: random.pick(['Honor', 'Ignore']) }),
      ...(random.chance(0.25) && { nodeTaintsPolicy: random.pick(['Honor', 'Ignore']) }),
      ...(random.chance(0.2) && { matchLabelKeys: random.pick([['version'], ['version', 'x']]) }),
    }
  })
  const keys = made.map((one) => `${one.topologyKey} ${one.whenUnsatisfiable}`)
  return made.filter((_, at) => keys.indexOf(keys[at]!) === at)
}

/** One or more of something, at most so many. */
export function some<T>(random: Random, most: number, make: (random: Random) => T): T[] {
  return Array.from({ length: 1 + random.below(most) }, () => make(random))
}
