import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  hostPortsConflict,
  hostPortsOf,
  matchesNodeAffinity,
  podRequests,
  printResourceList,
  untolerated,
} from '../../../runtime/pods/pods.ts'

const test = suite('runtime/pods')

const container = (cpu: string, more: object = {}) => ({
  name: 'c',
  resources: { requests: { cpu } },
  ...more,
})
const requests = (spec: object) => printResourceList(podRequests(spec as never))

test('what containers request is summed up', () => {
  assert.equal(requests({ containers: [container('1'), container('500m')] }), { cpu: '1500m' })
})

test('init containers run one by one before them', () => {
  const initContainers = [container('2'), container('1')]
  assert.equal(requests({ initContainers, containers: [container('1')] }), { cpu: '2' })
})

test('sidecars run beside what starts after them', () => {
  const sidecar = container('1', { restartPolicy: 'Always' })
  const initContainers = [container('3'), sidecar, container('2500m')]
  assert.equal(requests({ initContainers, containers: [container('1')] }), { cpu: '3500m' })
})

test('overhead counts, of resources that no container requests, too', () => {
  const overhead = { cpu: '250m', 'ephemeral-storage': '1Gi' }
  const wanted = { cpu: '1250m', 'ephemeral-storage': '1Gi' }
  assert.equal(requests({ containers: [container('1')], overhead }), wanted)
})

const node = { metadata: { name: 'a', labels: { zone: 'x' } } }

test('a name of every object is no label', () => {
  assert.not(matchesNodeAffinity({ nodeSelector: { constructor: 'x' } }, node as never))
  assert.ok(matchesNodeAffinity({ nodeSelector: { zone: 'x' } }, node as never))
})

test('the first taint of an effect is told that nothing tolerates', () => {
  const taints = [
    { key: 'a', effect: 'PreferNoSchedule' },
    { key: 'b', effect: 'NoSchedule' },
    { key: 'c', effect: 'NoSchedule' },
  ] as const
  const tolerations = [{ key: 'b', operator: 'Exists' }] as const
  assert.is(untolerated(taints, tolerations, ['NoSchedule'])?.key, 'c')
  assert.is(untolerated(taints, tolerations, ['NoExecute']), undefined)
})

const port = (hostPort: number, hostIP?: string, protocol?: string) =>
  hostPortsOf({
    containers: [{ name: 'c', ports: [{ containerPort: 1, hostPort, hostIP, protocol }] }],
  } as never)

const conflicts: readonly (readonly [
  string,
  ReturnType<typeof port>,
  ReturnType<typeof port>,
  boolean,
])[] = [
  ['the same port at all addresses', port(80), port(80), true],
  ['all addresses have each', port(80), port(80, '10.0.0.1'), true],
  ['two addresses', port(80, '10.0.0.2'), port(80, '10.0.0.1'), false],
  ['two protocols', port(80), port(80, '', 'UDP'), false],
  ['two ports', port(80), port(81), false],
]

for (const [name, [a], [b], want] of conflicts) {
  test(`ports of a node: ${name}`, () => assert.is(hostPortsConflict(a!, b!), want))
}

test('a container port takes no port of the node', () => {
  assert.equal(port(0), [])
})

test.run()
