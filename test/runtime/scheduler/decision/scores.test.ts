import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { LabelSelection } from '../../../../runtime/scheduler/facts/label-selection.ts'
import { clusterOf, decide, nodeOf, podOf } from '../cluster-of.ts'

const test = suite('runtime/scheduler/decision: which node is best')

const chosen = (...args: Parameters<typeof decide>) => {
  const decision = decide(...args)
  return 'node' in decision ? decision.node : undefined
}

test('the one with more left', () => {
  const cluster = clusterOf([nodeOf('a'), nodeOf('b')], { a: [podOf('q', { cpu: '1' })] })
  assert.is(chosen(cluster, podOf('p')), 'b')
})

test('pods that say nothing of what they need count for a little', () => {
  const cluster = clusterOf([nodeOf('a'), nodeOf('b')], { a: [podOf('q')] })
  assert.is(chosen(cluster, podOf('p')), 'b')
})

test('the one that it would rather be on, though it is fuller', () => {
  const cluster = clusterOf([nodeOf('a'), nodeOf('b')], { a: [podOf('q', { cpu: '1' })] })
  const preference = {
    matchExpressions: [{ key: 'orch.io/hostname', operator: 'In', values: ['a'] }],
  }
  const nodeAffinity = {
    preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference }],
  }
  assert.is(chosen(cluster, podOf('p', {}, { affinity: { nodeAffinity } })), 'a')
})

test('not the one that would rather be without it', () => {
  const taints = [{ key: 'k', effect: 'PreferNoSchedule' }]
  const cluster = clusterOf([nodeOf('a', { taints }), nodeOf('b')], {
    b: [podOf('q', { cpu: '2' })],
  })
  assert.is(chosen(cluster, podOf('p')), 'b')
  assert.is(chosen(cluster, podOf('p', {}, { tolerations: [{ operator: 'Exists' }] })), 'a')
})

test('the one that has its image', () => {
  const status = { images: [{ names: ['example:latest'], sizeBytes: 900_000_000 }] }
  const [a, b] = [nodeOf('a'), nodeOf('b')]
  const cluster = clusterOf([a, { ...b, status: { ...b.status, ...status } }])
  assert.is(chosen(cluster, podOf('p')), 'b')
})

test('the one near those that it would rather be near', () => {
  const affinity = {
    podAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        {
          weight: 1,
          podAffinityTerm: {
            ...{ topologyKey: 'orch.io/hostname' },
            labelSelector: { matchLabels: { app: 'web' } },
          },
        },
      ],
    },
  }
  const cluster = clusterOf([nodeOf('a'), nodeOf('b')], { b: [podOf('web', { cpu: '1' })] })
  assert.is(chosen(cluster, podOf('p', {}, { affinity })), 'b')
})

test('pods of a service are rather on other nodes', () => {
  const selection = new LabelSelection([{ key: 'set', operator: '=', values: ['x'] }])
  const labels = { set: 'x' }
  const nodes = [nodeOf('a'), nodeOf('b')]
  const placed = { a: [podOf('s', {}, { labels })], b: [podOf('q', { cpu: '1', memory: '2Gi' })] }
  const cluster = clusterOf(nodes, placed, { peersOf: () => selection })
  assert.is(chosen(cluster, podOf('p', {}, { labels })), 'b')
  assert.is(chosen(clusterOf(nodes, placed), podOf('p', {}, { labels })), 'a')
})

test('chance decides between those that are as good', () => {
  const cluster = clusterOf([nodeOf('a'), nodeOf('b'), nodeOf('c')])
  const found = [0, 0.4, 0.99].map((number) =>
    chosen(cluster, podOf('p'), { random: () => number }),
  )
  assert.equal(found, ['a', 'b', 'c'])
})

test('of many nodes as many are compared as are asked for, each in turn', () => {
  const nodes = Array.from({ length: 200 }, (_, at) => nodeOf(`n${at}`))
  const cluster = clusterOf(nodes)
  const options = { percentageOfNodes: 50, random: () => 0, cursor: 0 }
  const found = [1, 2, 3].map(() => {
    const decision = decide(cluster, podOf('p'), options)
    return 'node' in decision && decision.node
  })
  assert.equal(found, ['n0', 'n100', 'n0'])
})

test.run()
