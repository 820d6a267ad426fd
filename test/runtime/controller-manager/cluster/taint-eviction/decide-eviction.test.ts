// How long a pod may stay on a node with taints (T-10).
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Taint } from '../../../../../generated/apis/core/v1/node.ts'
import type { Toleration } from '../../../../../generated/apis/core/v1/scheduling.ts'
import { decideEviction } from '../../../../../runtime/controller-manager/cluster/taint-eviction/decide-eviction.ts'

const test = suite('runtime/controller-manager/cluster/taint-eviction: decisions')

const taint = (key: string, effect: Taint['effect'] = 'NoExecute'): Taint => ({ key, effect })
const tolerate = (key: string, tolerationSeconds?: number): Toleration => ({
  ...{ key, operator: 'Exists' },
  ...(tolerationSeconds !== undefined && { tolerationSeconds }),
})

const table: readonly (readonly [
  string,
  readonly Taint[] | undefined,
  readonly Toleration[] | undefined,
  number | undefined,
  string,
])[] = [
  ['a pod stays on a node without taints', undefined, undefined, undefined, 'stays'],
  ['and on one that is only not for new pods', [taint('a', 'NoSchedule')], [], undefined, 'stays'],
  ['it goes from one whose taint it does not tolerate', [taint('a')], undefined, undefined, 'goes'],
  [
    'also if it tolerates another one',
    [taint('a'), taint('b')],
    [tolerate('a')],
    undefined,
    'goes',
  ],
  [
    'it stays where it tolerates all of them',
    [taint('a'), taint('b')],
    [tolerate('a'), tolerate('b')],
    undefined,
    'stays',
  ],
  [
    'for the shortest time of its tolerations',
    [taint('a'), taint('b')],
    [tolerate('a', 60), tolerate('b', 30)],
    undefined,
    'waits 30000',
  ],
  [
    'one without a time aside',
    [taint('a'), taint('b')],
    [tolerate('a', 60), tolerate('b')],
    undefined,
    'waits 60000',
  ],
  ['counted from when it began to wait', [taint('a')], [tolerate('a', 60)], 95_000, 'waits 55000'],
  ['and goes then', [taint('a')], [tolerate('a', 60)], 40_000, 'goes tolerated'],
  ['no time is no tolerance', [taint('a')], [tolerate('a', 0)], undefined, 'goes tolerated'],
  ['nor is less than none', [taint('a')], [tolerate('a', -5)], undefined, 'goes tolerated'],
  [
    'of a taint that went only the other ones count',
    [taint('b')],
    [tolerate('a', 10), tolerate('b', 300)],
    40_000,
    'waits 240000',
  ],
  [
    'the first toleration of a taint counts',
    [taint('a')],
    [tolerate('a', 10), tolerate('a')],
    undefined,
    'waits 10000',
  ],
]

for (const [title, taints, tolerations, since, expected] of table) {
  test(title, () => {
    const plan = decideEviction(taints, tolerations, since, 100_000)
    const more =
      plan.is === 'waits' ? ` ${plan.ms}` : plan.is === 'goes' && plan.tolerated ? ' tolerated' : ''
    assert.is(plan.is + more, expected)
  })
}

test.run()
