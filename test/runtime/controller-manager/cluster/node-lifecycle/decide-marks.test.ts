// The taints and labels that nodes have by what they say (T-10, I-12).
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Node } from '../../../../../generated/apis/core/v1/node.ts'
import { decideMarks } from '../../../../../runtime/controller-manager/cluster/node-lifecycle/decide-marks.ts'

const test = suite('runtime/controller-manager/cluster/node-lifecycle: marks')

const now = Date.parse('2030-01-01T00:00:00Z')

/** A node of conditions such as `Ready=False` and taints such as `not-ready:NoExecute`, and what its taints are to be. */
function taintsOf(conditions: string, taints: string, unschedulable = false): string | undefined {
  const node = {
    spec: {
      ...(unschedulable && { unschedulable }),
      taints: words(taints).map((word) => {
        const [key = '', effect] = word.split(':')
        return { key: key.includes('/') ? key : `node.orch.io/${key}`, effect }
      }),
    },
    status: {
      conditions: words(conditions).map((word) => {
        const [type, status] = word.split('=')
        return { type, status }
      }),
    },
    metadata: {},
  } as unknown as Node
  return decideMarks(node, 'orch.io', now)
    ?.taints?.map(({ key, effect, timeAdded }) => {
      return `${key.replace('node.orch.io/', '')}:${effect}${timeAdded ? ' new' : ''}`
    })
    .join(', ')
}

const words = (text: string) => text.split(' ').filter((word) => word !== '')

const table: readonly (readonly [string, [string, string, boolean?], string | undefined])[] = [
  ['a node that is ready loses what kept pods from it', ['Ready=True', 'not-ready:NoSchedule'], ''],
  ['so does one that says nothing', ['', 'not-ready:NoSchedule'], ''],
  ['one that is not ready keeps it', ['Ready=False', 'not-ready:NoSchedule'], undefined],
  [
    'one that is silent is unreachable',
    ['Ready=Unknown', 'not-ready:NoSchedule'],
    'unreachable:NoSchedule new',
  ],
  [
    'each pressure has its taint',
    [
      'Ready=True MemoryPressure=True DiskPressure=True PIDPressure=True NetworkUnavailable=True',
      '',
    ],
    'memory-pressure:NoSchedule new, disk-pressure:NoSchedule new, pid-pressure:NoSchedule new, network-unavailable:NoSchedule new',
  ],
  [
    'a pressure that is not known has none',
    ['Ready=True MemoryPressure=Unknown', 'memory-pressure:NoSchedule'],
    '',
  ],
  ['a cordoned node has one', ['Ready=True', '', true], 'unschedulable:NoSchedule new'],
  ['and loses it afterwards', ['Ready=True', 'unschedulable:NoSchedule'], ''],
  [
    'taints of others stay where they are',
    ['Ready=True', 'a/b:NoSchedule not-ready:NoSchedule c/d:NoExecute'],
    'a/b:NoSchedule, c/d:NoExecute',
  ],
  ['so do those of other effects', ['Ready=True', 'not-ready:PreferNoSchedule'], undefined],
  [
    'pods need not leave a node that is ready',
    ['Ready=True', 'unreachable:NoExecute not-ready:NoExecute'],
    '',
  ],
  [
    'what they leave by becomes the other one',
    ['Ready=Unknown', 'unreachable:NoSchedule not-ready:NoExecute'],
    'unreachable:NoSchedule, unreachable:NoExecute new',
  ],
  [
    'in both directions',
    ['Ready=False', 'not-ready:NoSchedule unreachable:NoExecute'],
    'not-ready:NoSchedule, not-ready:NoExecute new',
  ],
  [
    'of two, one goes',
    ['Ready=False', 'not-ready:NoSchedule unreachable:NoExecute not-ready:NoExecute'],
    'not-ready:NoSchedule, not-ready:NoExecute',
  ],
  ['it is not given here', ['Ready=Unknown', 'unreachable:NoSchedule'], undefined],
  ['nor taken from a node that says nothing', ['', 'unreachable:NoExecute'], undefined],
]

for (const [title, given, expected] of table) {
  test(title, () => assert.is(taintsOf(...given), expected))
}

test('labels have the values of those that replaced them, and are never made of nothing', () => {
  const labelsOf = (labels?: Record<string, string>) =>
    decideMarks({ metadata: { labels } } as unknown as Node, 'orch.io', now)?.labels
  assert.is(labelsOf(), undefined)
  assert.is(labelsOf({ 'beta.orch.io/os': 'linux' }), undefined)
  assert.equal(labelsOf({ 'orch.io/os': 'linux', 'orch.io/arch': 'arm64' }), {
    'beta.orch.io/os': 'linux',
    'beta.orch.io/arch': 'arm64',
  })
  const other = { 'orch.io/os': 'linux', 'beta.orch.io/os': 'windows' }
  assert.equal(labelsOf(other), { 'beta.orch.io/os': 'linux' })
  assert.is(labelsOf({ 'orch.io/os': 'linux', 'beta.orch.io/os': 'linux' }), undefined)
})

test.run()
