import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Node } from '../../../../generated/apis/core/v1/node.ts'
import type { Pod } from '../../../../generated/apis/core/v1/pod.ts'
import type { Stored } from '../../../../runtime/kernel/meta/object.ts'
import { clusterOf, nodeOf, outcome, podOf } from '../cluster-of.ts'

const test = suite('runtime/scheduler/decision: where a pod may go')

const useless = (count: number) =>
  `preemption: 0/${count} nodes are available: ${count} Preemption is not helpful for scheduling.`
const nobody = (count: number) =>
  `preemption: 0/${count} nodes are available: ${count} No preemption victims found for incoming pod.`

const apart = (app: string, topologyKey = 'zone') => ({
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { labelSelector: { matchLabels: { app } }, topologyKey },
      ],
    },
  },
})
const near = (app: string, more: object = {}) => ({
  affinity: {
    podAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { labelSelector: { matchLabels: { app } }, topologyKey: 'zone', ...more },
      ],
    },
  },
})
const spread = (more: object = {}) => ({
  labels: { set: 'x' },
  topologySpreadConstraints: [
    {
      ...{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' },
      labelSelector: { matchLabels: { set: 'x' } },
      ...more,
    },
  ],
})
const required = (term: object) => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] },
    },
  },
})
const port = (hostIP?: string) => ({
  ports: [{ containerPort: 80, hostPort: 80, ...(hostIP !== undefined && { hostIP }) }],
})
const zone = (name: string, value: string) => nodeOf(name, { labels: { zone: value } })
const two = [zone('a', 'x'), zone('b', 'y')]
const set = (name: string) => podOf(name, {}, { labels: { set: 'x' } })

interface Case {
  readonly nodes?: readonly Stored<Node>[]
  readonly placed?: Readonly<Record<string, readonly Stored<Pod>[]>>
  readonly pod: Stored<Pod>
  readonly want: string
}

const cases: Readonly<Record<string, Case>> = {
  'a node with room': { nodes: [nodeOf('a')], pod: podOf('p', { cpu: '4' }), want: 'a' },
  'a node without room, each reason': {
    nodes: [nodeOf('a')],
    pod: podOf('p', { cpu: '5', memory: '9Gi', 'ephemeral-storage': '1Gi', 'x.io/gpu': '1' }),
    want: `0/1 nodes are available: 1 Insufficient cpu, 1 Insufficient ephemeral-storage, 1 Insufficient memory, 1 Insufficient x.io/gpu. ${nobody(1)}`,
  },
  'a node has what others left': {
    nodes: [nodeOf('a')],
    placed: { a: [podOf('q', { cpu: '1500m' })] },
    pod: podOf('p', { cpu: '2501m' }),
    want: `0/1 nodes are available: 1 Insufficient cpu. ${nobody(1)}`,
  },
  'overhead counts': {
    nodes: [nodeOf('a')],
    pod: podOf('p', { cpu: '4' }, { overhead: { cpu: '1m' } }),
    want: `0/1 nodes are available: 1 Insufficient cpu. ${nobody(1)}`,
  },
  'a node takes so many pods': {
    nodes: [nodeOf('a', { allocatable: { pods: '1' } })],
    placed: { a: [podOf('q')] },
    pod: podOf('p'),
    want: `0/1 nodes are available: 1 Too many pods. ${nobody(1)}`,
  },
  'taints and closed nodes': {
    nodes: [
      nodeOf('a', { taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }] }),
      nodeOf('b', { unschedulable: true }),
    ],
    pod: podOf('p'),
    want: `0/2 nodes are available: 1 node(s) had untolerated taint {k: v}, 1 node(s) were unschedulable. ${useless(2)}`,
  },
  'a closed node is tolerated': {
    nodes: [nodeOf('b', { unschedulable: true })],
    pod: podOf(
      'p',
      {},
      { tolerations: [{ key: 'node.orch.io/unschedulable', operator: 'Exists' }] },
    ),
    want: 'b',
  },
  'a label that is selected': {
    nodes: two,
    pod: podOf('p', {}, { nodeSelector: { zone: 'y' } }),
    want: 'b',
  },
  'a label that no node has': {
    nodes: two,
    pod: podOf('p', {}, { nodeSelector: { zone: 'z' } }),
    want: `0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector. ${useless(2)}`,
  },
  'a node that is named': {
    nodes: two,
    pod: podOf(
      'p',
      {},
      required({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['b'] }] }),
    ),
    want: 'b',
  },
  'a node that is named and not there': {
    nodes: two,
    pod: podOf(
      'p',
      {},
      required({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['c'] }] }),
    ),
    want: `0/2 nodes are available: ${useless(2)}`,
  },
  'names that contradict each other': {
    nodes: two,
    pod: podOf(
      'p',
      {},
      required({
        matchFields: ['a', 'b'].map((name) => ({
          ...{ key: 'metadata.name', operator: 'In', values: [name] },
        })),
      }),
    ),
    want: `0/2 nodes are available: pod affinity terms conflict. ${useless(2)}`,
  },
  'a port that is taken': {
    nodes: [nodeOf('a')],
    placed: { a: [podOf('q', {}, port())] },
    pod: podOf('p', {}, port('10.0.0.1')),
    want: `0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports. ${nobody(1)}`,
  },
  'the same port at another address': {
    nodes: [nodeOf('a')],
    placed: { a: [podOf('q', {}, port('10.0.0.2'))] },
    pod: podOf('p', {}, port('10.0.0.1')),
    want: 'a',
  },
  'near a pod': {
    nodes: two,
    placed: { b: [podOf('web')] },
    pod: podOf('p', {}, near('web')),
    want: 'b',
  },
  'near no pod': {
    nodes: two,
    pod: podOf('p', {}, near('web')),
    want: `0/2 nodes are available: 2 node(s) didn't match pod affinity rules. ${useless(2)}`,
  },
  'near pods of another namespace only where it is named': {
    nodes: two,
    placed: { b: [podOf('web', {}, { namespace: 'shop' })] },
    pod: podOf('p', {}, near('web', { namespaceSelector: {} })),
    want: 'b',
  },
  'the first of those that are near each other': {
    nodes: two,
    pod: podOf('p', {}, near('p')),
    want: 'a',
  },
  'apart from a pod': {
    nodes: two,
    placed: { a: [podOf('web')] },
    pod: podOf('p', {}, apart('web')),
    want: 'b',
  },
  'a pod that keeps others away': {
    nodes: [zone('a', 'x')],
    placed: { a: [podOf('web', {}, apart('p'))] },
    pod: podOf('p'),
    want: `0/1 nodes are available: 1 node(s) didn't satisfy existing pods anti-affinity rules. ${nobody(1)}`,
  },
  'spread over zones': {
    nodes: two,
    placed: { a: [set('s')] },
    pod: podOf('p', {}, spread()),
    want: 'b',
  },
  'a zone that is too full': {
    nodes: two,
    placed: { a: [set('s')] },
    pod: podOf('p', {}, { ...spread(), tolerations: [], nodeName: '' }),
    want: 'b',
  },
  'fewer zones than asked for count as empty': {
    nodes: two,
    placed: { a: [set('s')], b: [set('t')] },
    pod: podOf('p', {}, spread({ minDomains: 3 })),
    want: `0/2 nodes are available: 2 node(s) didn't match pod topology spread constraints. ${nobody(2)}`,
  },
  'nodes in no zone': {
    nodes: [nodeOf('a')],
    pod: podOf('p', {}, spread()),
    want: `0/1 nodes are available: 1 node(s) didn't match pod topology spread constraints (missing required label). ${useless(1)}`,
  },
  'zones that the pod cannot reach do not count': {
    nodes: two,
    placed: { a: [set('s')] },
    pod: podOf('p', {}, { ...spread(), nodeSelector: { zone: 'x' } }),
    want: 'a',
  },
  'unless it says that they do': {
    nodes: two,
    placed: { a: [set('s')] },
    pod: podOf(
      'p',
      {},
      { ...spread({ nodeAffinityPolicy: 'Ignore' }), nodeSelector: { zone: 'x' } },
    ),
    want: `0/2 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) didn't match pod topology spread constraints. preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling.`,
  },
  'a claim that is not there': {
    nodes: two,
    pod: podOf('p', {}, { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] }),
    want: `0/2 nodes are available: persistentvolumeclaim "c" not found. ${useless(2)}`,
  },
}

for (const [name, { nodes = [nodeOf('a')], placed, pod, want }] of Object.entries(cases)) {
  test(name, () => assert.is(outcome(clusterOf(nodes, placed), pod), want))
}

const important = { priority: 10 }

test('the least important pods go, and no more than have to', () => {
  const cluster = clusterOf([nodeOf('a'), nodeOf('b')], {
    a: [podOf('mid', { cpu: '2' }, { priority: 5 }), podOf('low', { cpu: '2' })],
    b: [podOf('top', { cpu: '4' }, { priority: 9 })],
  })
  assert.is(outcome(cluster, podOf('p', { cpu: '2' }, important)), 'a without low')
  assert.is(outcome(cluster, podOf('p', { cpu: '3' }, important)), 'a without mid low')
})

test('pods that a budget keeps stay, where others can go', () => {
  const budget = {
    metadata: { name: 'b', namespace: 'default' },
    spec: { selector: { matchLabels: { kept: 'yes' } } },
    status: { disruptionsAllowed: 0 },
  }
  const kept = podOf('kept', { cpu: '4' }, { labels: { kept: 'yes' } })
  const nodes = [nodeOf('a'), nodeOf('b')]
  const placed = { a: [kept], b: [podOf('mid', { cpu: '4' }, { priority: 5 })] }
  const cluster = clusterOf(nodes, placed, { budgets: () => [budget as never] })
  assert.is(outcome(cluster, podOf('p', { cpu: '2' }, important)), 'b without mid')
})

test('nobody goes for a pod that is polite', () => {
  const cluster = clusterOf([nodeOf('a')], { a: [podOf('low', { cpu: '4' })] })
  const polite = podOf('p', { cpu: '2' }, { ...important, preemptionPolicy: 'Never' })
  const why = 'preemption: not eligible due to preemptionPolicy=Never.'
  assert.is(outcome(cluster, polite), `0/1 nodes are available: 1 Insufficient cpu. ${why}`)
})

test('room that another pod waits for is not taken by one that is less important', () => {
  const cluster = clusterOf([nodeOf('a')])
  cluster.nominate(cluster.classes.infoOf(podOf('first', { cpu: '3' }, important)), 'a')
  const want = `0/1 nodes are available: 1 Insufficient cpu. ${nobody(1)}`
  assert.is(outcome(cluster, podOf('p', { cpu: '2' })), want)
  assert.is(outcome(cluster, podOf('q', { cpu: '2' }, { priority: 20 })), 'a')
})

test.run()
