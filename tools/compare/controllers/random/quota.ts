/** Quotas with scopes, whose hard limits change, and what they count. */
import type { Random } from '../../random.ts'
import { claims, deployments, jobs, pod, pods, services, template } from '../scenarios/shapes.ts'
import { type Operation, playSome } from './steps.ts'
import type { World } from './world.ts'

const quotas = 'v1/resourcequotas'
const quotaNames = ['a', 'b', 'c']
const numbers = ['0', '1', '2', '5', '20']

const counted = [
  ...['pods', 'services', 'services.nodeports', 'services.loadbalancers', 'configmaps', 'secrets'],
  ...['persistentvolumeclaims', 'requests.storage', 'resourcequotas', 'replicationcontrollers'],
  ...['count/deployments.apps', 'count/replicasets.apps', 'count/pods', 'count/jobs.batch'],
  ...[
    'count/configmaps',
    'count/services',
    'count/leases.coordination.k8s.io',
    'count/nothing.example.com',
  ],
  ...['cpu', 'memory', 'requests.cpu', 'limits.cpu', 'requests.memory', 'limits.memory'],
  ...['requests.ephemeral-storage', 'requests.example.com/gpu', 'ephemeral-storage'],
  ...['gold.storageclass.storage.k8s.io/requests.storage'],
  ...['gold.storageclass.storage.k8s.io/persistentvolumeclaims'],
]
const ofPods = ['pods', 'cpu', 'requests.cpu', 'limits.memory', 'count/pods', 'requests.memory']

function hardOf(random: Random, names: readonly string[]): object {
  const some = Array.from({ length: 1 + random.below(6) }, () => random.pick(names))
  return Object.fromEntries(some.map((name) => [name, random.pick(numbers)]))
}

function quotaSpec(random: Random, namespace: string): object {
  const scope = random.pick<object | undefined>([
    ...[undefined, undefined, undefined],
    { scopes: ['BestEffort'] },
    { scopes: ['NotBestEffort'] },
    { scopes: ['Terminating'] },
    { scopes: ['NotTerminating'] },
    { scopes: ['NotTerminating', 'NotBestEffort'] },
    {
      scopeSelector: {
        matchExpressions: [
          { scopeName: 'PriorityClass', operator: 'In', values: [`${namespace}-high`] },
        ],
      },
    },
    { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'Exists' }] } },
    {
      scopeSelector: {
        matchExpressions: [
          { scopeName: 'PriorityClass', operator: 'NotIn', values: [`${namespace}-high`] },
        ],
      },
    },
    {
      scopeSelector: {
        matchExpressions: [{ scopeName: 'CrossNamespacePodAffinity', operator: 'Exists' }],
      },
    },
  ])
  return { hard: hardOf(random, scope === undefined ? counted : ofPods), ...scope }
}

const aQuota: Operation = (c, random) =>
  c.create(quotas, {
    metadata: { name: random.pick(quotaNames) },
    spec: quotaSpec(random, c.namespace),
  })

const otherHard: Operation = (c, random) =>
  c.patch(quotas, random.pick(quotaNames), {
    spec: {
      hard: {
        ...hardOf(random, counted),
        ...(random.chance(0.5) && { [random.pick(counted)]: null }),
      },
    },
  })

const noQuota: Operation = (c, random) => c.delete(quotas, random.pick(quotaNames))

const resources = [
  {},
  { requests: { cpu: '100m' } },
  { requests: { cpu: '1', memory: '10Mi' }, limits: { cpu: '2', memory: '0.5Gi' } },
  { limits: { cpu: '1500m', memory: '1' } },
  { requests: { 'example.com/gpu': '1' }, limits: { 'example.com/gpu': '1' } },
  { requests: { 'ephemeral-storage': '1G' } },
]

const aPod: Operation = (c, random) => {
  const affinityTerm = { topologyKey: 'zone', namespaces: ['other'], labelSelector: {} }
  const container = () => ({ name: 'main', image: 'work', resources: random.pick(resources) })
  const spec = {
    containers: [container()],
    ...(random.chance(0.2) && { initContainers: [{ ...container(), name: 'first' }] }),
    ...(random.chance(0.2) && { overhead: undefined, activeDeadlineSeconds: 3600 }),
    ...(random.chance(0.2) && { priorityClassName: `${c.namespace}-high` }),
    ...(random.chance(0.1) && {
      affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [affinityTerm] } },
    }),
  }
  const agent = random.pick(['ready', 'pending', 'succeeds', 'fails'])
  return c.create(pods, pod(`p${random.below(6)}`, agent, spec))
}

const podEnds: Operation = (c, random) =>
  c.patch(pods, `p${random.below(6)}`, {
    metadata: { annotations: { agent: random.pick(['succeeds', 'fails', 'ready']) } },
  })

const noPod: Operation = (c, random) => c.delete(pods, `p${random.below(6)}`)

const aService: Operation = (c, random) =>
  c.create(services, {
    metadata: { name: random.pick(quotaNames) },
    spec: {
      ports: [
        { name: 'a', port: 80 },
        { name: 'b', port: 81 },
      ].slice(0, 1 + random.below(2)),
      type: random.pick(['ClusterIP', 'NodePort', 'LoadBalancer']),
      ...(random.chance(0.3) && { selector: { app: 'x' } }),
    },
  })

const otherService: Operation = (c, random) =>
  c.patch(services, random.pick(quotaNames), {
    spec: random.pick<object>([
      { type: 'ClusterIP' },
      { type: 'NodePort' },
      { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false },
    ]),
  })

const noService: Operation = (c, random) => c.delete(services, random.pick(quotaNames))

const aClaim: Operation = (c, random) =>
  c.create(claims, {
    metadata: {
      name: `c${random.below(3)}`,
      ...(random.chance(0.2) && {
        annotations: { 'volume.beta.kubernetes.io/storage-class': 'gold' },
      }),
    },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: random.pick(['1', '1Ki', '2']) } },
      storageClassName: random.pick(['gold', 'other', '']),
    },
  })

const noClaim: Operation = (c, random) => c.delete(claims, `c${random.below(3)}`)

const small: Operation = (c, random) =>
  c.create(random.pick(['v1/configmaps', 'v1/secrets']), {
    metadata: { name: `m${random.below(3)}` },
  })

const noSmall: Operation = (c, random) =>
  c.delete(random.pick(['v1/configmaps', 'v1/secrets']), `m${random.below(3)}`)

const workload: Operation = (c, random) => {
  const replicas = random.below(3)
  const own = { containers: [{ name: 'main', image: 'work', resources: random.pick(resources) }] }
  return random.chance(0.7)
    ? c.create(deployments, {
        metadata: { name: 'web' },
        spec: {
          replicas,
          selector: { matchLabels: { app: 'x' } },
          template: template('ready', own),
        },
      })
    : c.create(jobs, {
        metadata: { name: 'work' },
        spec: { template: template('succeeds', { ...own, restartPolicy: 'Never' }) },
      })
}

const noWorkload: Operation = (c, random) =>
  random.chance(0.5)
    ? c.delete(deployments, 'web', { propagationPolicy: 'Background' })
    : c.delete(jobs, 'work', { propagationPolicy: 'Background' })

export const quotaWorlds: readonly World[] = [
  {
    name: 'quota',
    async play(c, random) {
      await c.create('scheduling.k8s.io/v1/priorityclasses', {
        metadata: { name: `${c.namespace}-high` },
        value: 10,
      })
      await playSome(c, random, { steps: 20 }, [
        ...[aQuota, aQuota, aQuota, otherHard, otherHard, noQuota],
        ...[aPod, aPod, aPod, podEnds, podEnds, noPod, aService, aService, otherService, noService],
        ...[aClaim, aClaim, noClaim, small, small, noSmall, workload, noWorkload],
      ])
    },
  },
]
