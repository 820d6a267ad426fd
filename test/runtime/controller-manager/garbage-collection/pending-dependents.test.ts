import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { PendingDependents } from '../../../../runtime/controller-manager/garbage-collection/pending-dependents.ts'

const test = suite('runtime/controller-manager: turns of dependents')

const keysOf = (owner: string, count: number) => () =>
  Array.from({ length: count }, (_, at) => ({ namespace: 'pods', name: `${owner}-${at}` }))

/** The names of each turn of an owner, until it has none left. */
function turnsOf(pending: PendingDependents, owner: string, count: number): readonly string[] {
  const turns: string[] = []
  for (let isLeft = true; isLeft; ) {
    const turn = pending.next(owner, keysOf(owner, count))
    turns.push(turn.keys.map(({ name }) => name).join(' '))
    isLeft = turn.over()
  }
  return turns
}

test('one owner has the whole width, several share it, and each has at least one dependent a turn', () => {
  const pending = new PendingDependents(4)
  assert.equal(turnsOf(pending, 'a', 6), ['a-0 a-1 a-2 a-3', 'a-4 a-5'])
  pending.next('b', keysOf('b', 9))
  assert.equal(turnsOf(pending, 'a', 3), ['a-0 a-1', 'a-2'])
  for (const other of ['c', 'd', 'e', 'f']) pending.next(other, keysOf(other, 9))
  assert.equal(turnsOf(pending, 'a', 2), ['a-0', 'a-1'])
})

test('a turn that is not over comes again, and an owner that changes meanwhile begins anew', () => {
  const pending = new PendingDependents(2)
  pending.next('a', keysOf('a', 3))
  const turn = pending.next('a', keysOf('a', 3))
  assert.equal(
    turn.keys.map(({ name }) => name),
    ['a-0', 'a-1'],
  )
  pending.renew('a')
  assert.is(turn.over(), true)
  assert.equal(turnsOf(pending, 'a', 3), ['a-0 a-1', 'a-2'])
  assert.equal(turnsOf(pending, 'b', 0), [''])
})

test.run()
