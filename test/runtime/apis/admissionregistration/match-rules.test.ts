/** What a webhook or a policy may match. Q-09 */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { matchRule } from '../../../../runtime/apis/admissionregistration/match-rules.ts'
import { errorsOf } from '../../../../runtime/kernel/walker/field.ts'
import { countedList } from '../../../support/counted-list.ts'

const test = suite('runtime/apis: rules of webhooks')

function found(resources: readonly string[]): readonly string[] {
  const rest = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'] }
  return errorsOf(matchRule, { ...rest, resources }, 'rules[0]').map(
    ({ path, message }) => `${path}: ${message}`,
  )
}

const star = "if '*' is present, must not specify other resources without subresources"
const rows: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['all and their subresources', ['*', '*/status'], []],
  [
    'subresources of one',
    ['pods', 'pods/log', 'nodes/*', 'nodes', 'nodes/status'],
    [
      'rules[0].resources[4]: Invalid value: "nodes/status": if \'nodes/*\' is present, must not specify nodes/status',
    ],
  ],
  [
    'a subresource of all and of one',
    ['*/scale', 'pods/scale'],
    [
      'rules[0].resources[1]: Invalid value: "pods/scale": if \'*/scale\' is present, must not specify pods/scale',
    ],
  ],
  [
    'all and some more',
    ['*', 'pods', 'nodes', 'pods/log'],
    [`rules[0].resources: Invalid value: []string{"*", "pods", "nodes", "pods/log"}: ${star}`],
  ],
  ['one and all behind it', ['pods', '*'], []],
  [
    'everything and something',
    ['*/*', 'pods'],
    [
      `rules[0].resources: Invalid value: []string{"*/*", "pods"}: if '*/*' is present, must not specify other resources`,
    ],
  ],
]

for (const [fact, resources, want] of rows) {
  test(fact, () => assert.equal(found(resources), want))
}

test('each name of a long list is read a few times, however many there are', () => {
  const many = Array.from({ length: 20_000 }, (_, at) => `a${at}`)
  const lists = [['*', ...many], many.map((one, at) => (at % 2 ? `${one}/*` : `${one}/x`))]
  for (const [at, problems] of [1, 0].entries()) {
    const { list, reads } = countedList(lists[at] ?? [])
    assert.is(found(list).length, problems)
    assert.ok(reads() <= 5 * list.length, `${reads()} reads`)
  }
})

test.run()
