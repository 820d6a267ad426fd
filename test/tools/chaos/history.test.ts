/** The judges of a chaos run find what they look for. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  judgeHistory,
  judgeLeaders,
  judgeLists,
  judgeUnique,
  judgeWatches,
  type LogRow,
  type Operation,
} from '../../../tools/chaos/history.ts'

const test = suite('tools/chaos: judging')

const row = (revision: number, value: string): LogRow => ({ key: 'k', revision, value })
const log = [row(1, 'a'), row(2, 'b'), row(5, 'c')]

const operation = (
  kind: Operation['kind'],
  value: string,
  revision: number | undefined,
  [began, ended]: readonly [number, number],
): Operation => ({ key: 'k', kind, value, revision, began, ended })

const write = (value: string, revision: number | undefined, began: number, ended: number) =>
  operation('write', value, revision, [began, ended])
const read = (value: string, revision: number, began: number, ended: number) =>
  operation('read', value, revision, [began, ended])

test('a history is accepted in which reads and writes overlap', () => {
  const operations = [
    write('a', 1, 0, 1),
    write('b', 2, 2, 9),
    read('a', 1, 3, 4),
    read('b', 2, 5, 6),
    read('c', 5, 7, 8),
    write('c', undefined, 6, 20),
    write('lost', undefined, 6, 20),
  ]
  assert.equal(judgeHistory(operations, log), [])
})

const wrong: readonly (readonly [string, readonly Operation[], readonly LogRow[], RegExp])[] = [
  [
    'an acknowledged write is lost',
    [write('x', 3, 0, 1)],
    log,
    /write of k at 3 was x, the log has undefined/,
  ],
  ['a write took effect twice', [], [...log, row(6, 'a')], /a of k was written twice/],
  [
    'a read is older than an earlier one',
    [read('b', 2, 0, 1), read('a', 1, 2, 3)],
    log,
    /read of k at 1 came after 2/,
  ],
  [
    'a read misses an acknowledged write',
    [write('b', 2, 0, 1), read('a', 1, 2, 3)],
    log,
    /read of k at 1 came after 2/,
  ],
  [
    'a write is ordered before an earlier one',
    [read('c', 5, 0, 1), write('b', 2, 2, 3)],
    log,
    /write of k at 2 came after 5/,
  ],
  ['a read saw another value', [read('b', 1, 0, 1)], log, /read of k at 1 was b, the log has a/],
  [
    'a value is read before it is written',
    [read('a', 1, 0, 1), write('a', 1, 2, 3)],
    log,
    /a of k was read before it was written/,
  ],
]

for (const [what, operations, rows, problem] of wrong) {
  test(`it is found where ${what}`, () => {
    assert.match(judgeHistory(operations, rows).join('\n'), problem)
  })
}

test('a watch has to tell every change once and in order', () => {
  const told = (events: readonly LogRow[]) =>
    judgeWatches([{ server: 's', after: 1, events }], log).length
  assert.is(told([row(2, 'b'), row(5, 'c')]), 0)
  assert.is(told([row(2, 'b')]), 0)
  assert.is(told([row(5, 'c')]), 1)
  assert.is(told([row(2, 'b'), row(2, 'b'), row(5, 'c')]), 1)
  assert.is(told([row(2, 'b'), row(5, 'c'), row(5, 'c')]), 1)
  assert.is(told([row(5, 'c'), row(2, 'b')]), 1)
})

test('a list has to be what the log had at its revision', () => {
  const told = (revision: number, items: readonly LogRow[]) =>
    judgeLists(
      [
        { revision: 2, items: [row(2, 'b')] },
        { revision, items },
      ],
      log,
    ).length
  assert.is(told(4, [row(2, 'b')]), 0)
  assert.is(told(5, [row(5, 'c')]), 0)
  assert.is(told(5, [row(2, 'b')]), 1)
  assert.is(told(4, [row(5, 'c')]), 1)
  assert.is(told(4, []), 1)
})

test('two leaders at once and values that are given twice are found', () => {
  const term = (began: number, ended: number) => ({ who: 'w', began, ended })
  assert.is(judgeLeaders([term(5, 9), term(1, 5)]).length, 0)
  assert.is(judgeLeaders([term(5, 9), term(1, 6)]).length, 1)
  assert.is(judgeUnique('port', ['1', '2', '1']).length, 1)
})

test.run()
